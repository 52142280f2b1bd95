// Sampling: one visit of the whole herd, folded into order-free sums.
//
// A step moves every walker by some sweeps, takes its local energy and adds up what the
// caller asked for. Energies are summed less a shift that all devices know; a walker
// whose energy is not finite is counted beside the sums and never enters one. All sums of
// a step travel in one packed buffer, in one reduction.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "drover/core/array.hpp"
#include "drover/core/exact_sums.hpp"
#include "drover/mesh/placement.hpp"
#include "drover/vmc/herd.hpp"
#include "drover/vmc/optimiser_moments.hpp"
#include "drover/vmc/statistics.hpp"

namespace drover {

struct SampleSpec {
  VisitPlan visit;
  std::int64_t visits = 1;  // of each tile, one after the other
  double shift = 0.0;       // taken off the energies
  double clip_center =
      0.0;  // energies in gradients and in the clipped variance are limited
  double clip_width = 0.0;  // to center +- width; 0: no limit
  MomentSet moments;        // parameter derivatives to sum
  std::int64_t parameters = 0;
  int half = 0;                      // which running sum of a walker takes the energy
  bool restart_walker_sums = false;  // the walkers' sums begin with this visit
  bool walker_sums = false;          // add up the walkers' running sums after this visit
  std::int64_t microbatch = 0;
  // A set of samples that stays where it is: this visit is number `kept` of it.
  std::int64_t kept = 0;
  bool keep_walkers = false;  // positions and ln|psi|, for further updates over them
  bool keep_slopes = false;   // weight, E and O of each sample, until the next set
  // Takes the kept walkers instead of moving the herd, with weights
  // exp(2 (ln|psi| - ln|psi| then - log_shift)); the reference density does not change.
  bool reuse = false;
  double log_shift = 0.0;
  // Rank 0's wishes, told to all ranks in the step's own message.
  bool wants_checkpoint = false, wants_stop = false;
};

// A walker whose local energy was not finite.
struct BadWalker {
  std::int64_t walker = -1;  // global index, -1: none
  bool kinetic = false;      // the component that is not finite; else the potential
};

// What a device adds up. Copies of its words are summed over devices; `bad` stays where
// it is and is looked at by the host.
class StepSums {
 public:
  StepSums() = default;
  explicit StepSums(const SampleSpec& spec);

  void merge(const StepSums& other) { sums_.merge(other.sums_); }
  std::span<std::int64_t> words() { return sums_.words(); }
  std::int64_t number_count() const { return sums_.size() + sums_.counts(); }
  void canonicalise() { sums_.canonicalise(); }

  ExactSums& sums() { return sums_; }
  const ExactSums& sums() const { return sums_; }

  // Places in sums(); energies are e = E - shift.
  enum Scalar {
    energy,
    energy2,
    kinetic,
    potential,
    deviation,
    clipped,
    clipped2,
    clipped4,
    walker_sum,
    walker_sum2,
    walker_sum_count,
    walker_count2,
    // half chains: number, 1/n, mean, mean^2, sum^2/n
    chain_inverse,
    chain_mean,
    chain_mean2,
    chain_within,
    // of the samples' weights, 1 for fresh ones
    weight,
    weight2,
    scalars
  };
  enum Count {
    counted,
    nonfinite,
    accepted,
    proposed,
    walkers,
    walker_counted,
    chains,
    chain_samples,
    limited,
    overweight,
    checkpoint_wishes,
    stop_wishes,
    counts
  };

 private:
  ExactSums sums_;
};

// Reduced sums in plain words.
struct StepSample {
  std::int64_t counted = 0, nonfinite = 0, accepted = 0, proposed = 0;
  std::int64_t outside = 0;  // numbers too large for the sums; nothing else holds then
  double shift = 0.0;
  double energy = 0.0, kinetic = 0.0, potential = 0.0;  // means over counted energies
  double sum = 0.0, sum2 = 0.0;                         // of E - shift
  double variance = 0.0;                                // of all energies
  double clipped_variance = 0.0;                        // of energies limited to the clip
  double clipped_variance_error = 0.0;
  std::int64_t limited = 0;     // energies beyond the clip
  double effective = 0.0;       // samples, (sum of weights)^2 / (sum of their squares)
  std::int64_t overweight = 0;  // samples left out for a weight above 1e4
  bool checkpoint_wanted = false, stop_wanted = false;
  double deviation = 0.0;  // mean |E - clip center|
  double acceptance = 0.0;
  WalkerSums walkers;          // when walker_sums was set
  HalfChainSums half_chains;   // all but `within`, which needs the sum of squares
  double chain_squares = 0.0;  // sum over half chains of sum^2/n
  OptimiserSums moments{MomentSet{}, 0, 0.0};
  BadWalker bad;  // of this rank's devices, lowest index
};

// Folds one visit into `into`; several visits may be folded before one reduction.
void sample_into(Unreduced<StepSums>& into, Model& model, Sharded<Herd>& herd,
                 const SampleSpec& spec, BadWalker& bad);
Unreduced<StepSums> make_step_sums(const Mesh& mesh, const SampleSpec& spec);
// The one reduction of a step. `outside` is set when sums left the accumulators'
// window.
StepSample reduce_step(Unreduced<StepSums>&& sums, const SampleSpec& spec,
                       const std::string& label);

// Over the kept slopes of `visits` visits: sum of w O (O.v), one reduction of P numbers.
std::vector<double> reduce_products(Sharded<Herd>& herd, std::span<const double> v,
                                    std::int64_t visits, const std::string& label);
// Weight, E and O of every sample on every rank, [walkers][visits][2 + P]: one
// all-gather.
Array<double> gather_slopes(Sharded<Herd>& herd, std::int64_t parameters,
                            std::int64_t visits, const std::string& label);

}  // namespace drover
