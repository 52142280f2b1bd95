"""The cases whose right values are known beforehand, and the tests that hold them.

Model "stack": act = x W0 W1 ... W(L-1), loss = sum of act, gradient of sum_i dv_i loss_i. A test
that is renamed or loses its number must be found here again, not lost.
"""

import re
import unittest

import source_tree

# case: what it says, [(file, test, numbers that stand in the file)]
CASES = {
    "T1": ("ones, 4 devices, 140 samples, 5 microbatches: 256, 560 a device, 2240; one "
           "all-reduce of 48 numbers; a naive loop makes 5 and trips the budget", [
               ("mesh/stack_test.cpp", "Stack.of_ones_on_four_devices_gives_2240_everywhere_"
                "with_one_all_reduce", "256 560 2240 48"),
               ("mesh/stack_test.cpp", "Stack.reduced_in_every_iteration_gives_the_same_"
                "numbers_with_five_collectives", "5"),
               ("vmc/vjp_sum_test.cpp", "VjpSum.of_ones_gives_16_times_the_sum_of_any_"
                "cotangents", "16.0"),
               ("vmc/vjp_sum_test.cpp", "VjpSum.reduced_for_each_microbatch_gives_the_same_"
                "numbers_and_trips_the_budget", "981571.0")]),
    "T2": ("varied weights: gradients, partials of each device, losses", [
        ("mesh/stack_test.cpp", "Stack.of_varied_weights_has_the_known_gradient", "981571"),
        ("vmc/vjp_sum_test.cpp", "VjpSum.of_varied_weights_has_the_known_gradient_partials_"
         "and_losses", "924 -848 436 520 150 184 -267 981571.0 98.0 233.0"),
        ("ad/stack_test.cpp", "Stack.has_the_known_partial_of_each_of_four_shards", "924")]),
    "T3": ("142, 13 and 3 samples on 4 devices", [
        ("vmc/vjp_sum_test.cpp", "VjpSumOfUnevenShards.has_the_known_sums_and_every_device_"
         "joins", "1052 1027584 504 319936 -240"),
        ("mesh/stack_test.cpp", "StackOfUnevenShards.has_the_known_sums_and_every_device_"
         "joins", "1027584 319936")]),
    "T4": ("means over a microbatch accumulate 20, the mean over all gives 4", [
        ("mesh/stack_test.cpp", "Stack.averaged_over_each_microbatch_accumulates_20_and_over_"
         "all_gives_4", "20"),
        ("ad/stack_test.cpp", "Stack.mean_of_a_microbatch_accumulates_20_and_the_mean_of_all_"
         "is_4", "20")]),
    "T6": ("one all-reduce for any layers, microbatches and devices, of the same bytes", [
        ("vmc/vjp_sum_test.cpp", "VjpSum.needs_one_all_reduce_whose_bytes_do_not_depend_on_"
         "microbatches", "35 8")]),
    "T9": ("conversions into partial sums; a NaN stays on device 0", [
        ("mesh/placement_test.cpp", "ToUnreduced.puts_a_replicated_value_on_device_0_and_"
         "zeros_elsewhere", "1.0"),
        ("mesh/placement_test.cpp", "ToUnreduced.of_sharded_rows_has_zeros_outside_them",
         "0"),
        ("mesh/placement_test.cpp", "ToUnreduced.keeps_a_nan_on_device_0_and_reduce_refuses_"
         "to_hide_it", "1")]),
    "T10": ("reduce-scatter of (d+1) [1,2,3,4] leaves 10 (d+1)", [
        ("mesh/placement_test.cpp", "ReduceScatter.leaves_each_device_its_rows_of_the_sum",
         "10.0")]),
    "T17": ("100 and a gradient of 4 are 104; skip drops one product of two", [
        ("vmc/vjp_sum_bits_test.cpp", "VjpSum.added_to_a_buffer_of_100_keeps_what_it_holds",
         "100.0 104.0"),
        ("ad/stack_test.cpp", "Sinks.accumulate_adds_to_what_the_buffer_holds", "104"),
        ("ad/stack_test.cpp", "Sinks.skip_drops_a_dot_products_pullback_from_two_products_to_"
         "one", "")]),
    "T18": ("21 by 10: 10, 10, 1; 35 by 10: 10, 10, 10, 5; by 1; more than all; none", [
        ("mesh/rows_test.cpp", "Microbatches.are_contiguous_with_the_remainder_last_and_"
         "never_padded", "21 35")]),
    "T19": ("the same bits for 1, 2, 3, 4, 7 devices and 1, 3, 64 at a time", [
        ("vmc/vjp_sum_bits_test.cpp", "VjpSum.of_random_numbers_has_the_same_bits_for_all_"
         "devices_and_microbatches", "7 64"),
        ("mesh/order_free_test.cpp", "OrderFree.sums_have_the_same_bits_for_any_devices_and_"
         "microbatch", "7 64"),
        ("vmc/same_bits_test.cpp", "SameBits.any_number_of_devices_gives_the_same_run", "7")]),
    "T20": ("walker 17 over 100 steps on 1, 2, 4 devices, and from 4 to 3", [
        ("vmc/herd_test.cpp", "Walker.moves_the_same_on_any_devices_and_across_a_restart_on_"
         "fewer", "17 100")]),
    "T21": ("the direction of reconfiguration, by parameters and by samples, and SPRING", [
        ("vmc/optimiser_methods_test.cpp", "StochasticReconfiguration.OfFourSamplesGivesThe"
         "KnownDirection", "-5.0 22.0 21.0"),
        ("vmc/optimiser_methods_test.cpp", "StochasticReconfiguration.BySamplesGivesTheSame"
         "Direction", "21.0"),
        ("vmc/optimiser_methods_test.cpp", "StochasticReconfiguration.WithMomentumIsSpring",
         "11.0 9.0")]),
    "T26": ("moments merge; a variance near 1/12 on energies near -1e4", [
        ("vmc/statistics_test.cpp", "Moments.MergeLikeOneSeries", "3.2 14.8"),
        ("vmc/statistics_test.cpp", "Moments.KeepASmallSpreadOnALargeEnergy",
         "65536 -1e4 1e-6")]),
    "T28": ("a NaN energy is dropped and counted, or thrown on every rank", [
        ("mesh/order_free_test.cpp", "OrderFree.a_walker_with_a_nan_energy_is_dropped_and_"
         "counted_on_any_devices", "17"),
        ("mesh/order_free_test.cpp", "OrderFree.a_nan_that_is_refused_is_refused_on_every_"
         "rank_together", ""),
        ("vmc/nonfinite_v3.cpp", "NonFinite.energies_are_counted_named_and_left_out", "")]),
    "T29": ("split R-hat 1.9578900; stuck chains are huge", [
        ("vmc/statistics_test.cpp", "SplitRHat.OfTheStandardExample", "1.9578900"),
        ("vmc/statistics_test.cpp", "SplitRHat.OfStuckChainsIsHuge", "100")]),
    "T31": ("4 MiB, overwritten at once, a thousand times, on devices and on ranks", [
        ("mesh/communicator_test.cpp", "Collectives.of_4_MiB_are_exact_when_their_source_is_"
         "overwritten_at_once", "1000"),
        ("mesh/mpi_test.cpp", "OnTwoRanks.sums_of_4_MiB_whose_source_is_overwritten_at_once",
         "1000")]),
}
TEST = re.compile(r"^TEST(?:_P|_F)?\(\s*(\w+),\s*(\w+)\s*\)", re.M)
NUMBER = re.compile(r"-?\b\d+(?:\.\d+)?(?:e-?\d+)?")


class KnownValues(unittest.TestCase):
    def test_every_case_has_its_tests_with_its_numbers(self):
        for case, (_, tests) in CASES.items():
            self.assertTrue(tests, case)
            for file, name, numbers in tests:
                with self.subTest(case=case, test=name):
                    text = source_tree.read(f"tests/{file}")
                    self.assertIn(name, {f"{a}.{b}" for a, b in TEST.findall(text)})
                    there = {float(number) for number in NUMBER.findall(text)}
                    for number in numbers.split():
                        self.assertTrue(float(number) in there, f"{file}: no {number}")


if __name__ == "__main__":
    unittest.main()
