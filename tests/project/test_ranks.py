"""The program on several ranks: what it says where they are placed badly or disagree, and that
none is left over when one of them dies.

Takes the program's path from DROVER_PROGRAM. Without mpirun there is nothing to test.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import source_tree

HELIUM = source_tree.ROOT / "tests/data/molden/He_sto-3g.molden"
HYDROGEN = source_tree.ROOT / "tests/data/molden/H_sto-3g.molden"
SHORT = {"sampling.walkers": 256, "sampling.equilibration": 5, "optimise.steps": 0,
         "optimise.reference_steps": 0, "measure.steps": 5}
SECONDS_ALLOWED = 100


def settings(more):
    words = []
    for key, value in {**SHORT, **more}.items():
        words += ["--set", f"{key}={value}"]
    return words


def environment(**more):
    names = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
             "OMPI_MCA_btl_base_warn_component_unused": "0"}
    return {**os.environ, **names, **more}


@unittest.skipUnless(shutil.which("mpirun"), "no mpirun here")
class Ranks(unittest.TestCase):
    def setUp(self):
        self.program = os.environ["DROVER_PROGRAM"]
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_in(self, *command, **more):
        answer = subprocess.run(
            [str(word) for word in command], cwd=self.folder, env=environment(**more),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", timeout=SECONDS_ALLOWED)
        return answer.returncode, answer.stdout

    def mpirun(self, *words):
        return self.run_in("mpirun", "--oversubscribe", "--bind-to", "none", *words)

    def run_of(self, ranks, *more, before=(), file=HELIUM, **keys):
        return ["-n", ranks, *before, self.program, "run", file, "--out",
                self.folder / "out", *more,
                *settings({key.replace("__", "."): value for key, value in keys.items()})]

    def expect(self, answer, code, *texts):
        self.assertEqual(answer[0], code, answer[1])
        for text in texts:
            self.assertIn(text, answer[1])

    def test_where_devices_run_is_printed_by_devices_and_by_a_run(self):
        cores = sorted(os.sched_getaffinity(0))
        alone = self.run_in(self.program, "devices")
        self.expect(alone, 0, "one: not started by mpirun")
        self.assertRegex(alone[1], rf"devices? 0.* on cores? {cores[0]}\b")
        both = self.mpirun("-n", 2, self.program, "devices")
        self.expect(both, 0, "rank 0: device", "rank 1: device", f"on core {cores[0]}")
        self.assertEqual("share" in both[1] or "take turns" in both[1], len(cores) < 2)
        ran = self.mpirun(*self.run_of(2))
        self.expect(ran, 0, "of 2 ranks", "rank 0: device", "rank 1: device")

    def test_more_devices_than_cores_are_told_and_run(self):
        cores = len(os.sched_getaffinity(0))
        answer = self.mpirun(*self.run_of(2, "--devices", cores))
        noun = "core" if cores == 1 else "cores"
        if cores > 1:
            self.expect(answer, 0, f"{2 * cores} devices share {cores} {noun}: no faster")

    def test_ranks_that_are_all_bound_to_one_core_are_told_and_run(self):
        core = min(os.sched_getaffinity(0))
        one = self.mpirun(*self.run_of(3, before=["taskset", "-c", core]))
        self.expect(one, 0, f"all 3 ranks may use core {core} alone", "--bind-to core")

    def test_a_launcher_of_another_mpi_is_an_error(self):
        answer = self.run_in(self.program, "devices", PMI_SIZE="8")
        self.expect(answer, 1, "the launcher announces 8 ranks but MPI sees 1",
                    "use that one's mpirun")

    def test_ranks_with_another_seed_or_key_are_refused(self):
        for key, first, second in [("run.seed", 1, 2), ("sampling.walkers", 64, 128)]:
            with self.subTest(key=key):
                name = key.replace(".", "__")
                answer = self.mpirun(*self.run_of(1, **{name: first}), ":",
                                     *self.run_of(1, **{name: second}))
                self.expect(answer, 2, f"the ranks differ in {key}",
                            f'rank 0 has "{first}", rank 1 has "{second}"')
                self.assertFalse((self.folder / "out").exists())

    def test_ranks_with_files_of_another_content_are_refused(self):
        # As on two machines: files of one name that differ. This name is each rank's own.
        here = pathlib.Path("/proc/self/cwd")
        for value, name in enumerate(["a", "b"]):
            (self.folder / name).mkdir()
            shutil.copy(HELIUM, self.folder / name / "he.molden")
            (self.folder / name / "p.json").write_text(json.dumps(
                {"parameter_names": ["x"], "parameter_values": [value]}))

        def both(**keys):
            each = self.run_of(1, file=here / "he.molden", **keys)
            return self.mpirun("-wdir", self.folder / "a", *each, ":",
                               "-wdir", self.folder / "b", *each)

        self.expect(both(), 0)
        self.expect(both(jastrow__parameters=here / "p.json"), 2,
                    "the ranks differ in the parameters")
        shutil.copy(HYDROGEN, self.folder / "b" / "he.molden")
        self.expect(both(), 2, "the ranks differ in the wave function")

    def test_a_killed_rank_ends_all_others_within_seconds(self):
        for ranks in [2, 4]:
            with self.subTest(ranks=ranks):
                self.kill_one_of(ranks)

    def kill_one_of(self, ranks):
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        words = ["mpirun", "--oversubscribe", "--bind-to", "none",
                 *self.run_of(ranks, measure__steps='"auto"',
                               measure__target_error=1e-9)]
        launcher = subprocess.Popen(
            [str(word) for word in words], env=environment(), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(launcher.stdout.close)
        self.addCleanup(launcher.kill)
        log = out / "log.txt"
        self.wait_until(lambda: launcher.poll() is not None or
                        log.is_file() and "started" in log.read_text())
        time.sleep(1.0)  # into its steps, of which it makes thousands a second
        self.assertIsNone(launcher.poll(), "the run ended before it was killed")
        ids = children(launcher.pid)
        self.assertEqual(len(ids), ranks)
        os.kill(ids[-1], signal.SIGKILL)
        killed = time.monotonic()
        output, _ = launcher.communicate(timeout=SECONDS_ALLOWED)
        self.assertLess(time.monotonic() - killed, 20.0)
        self.assertEqual(launcher.returncode, 128 + signal.SIGKILL, output)
        self.assertIn("signal 9", output)
        self.wait_until(lambda: not any(alive(process) for process in ids))

    def wait_until(self, condition):
        end = time.monotonic() + SECONDS_ALLOWED
        while not condition():
            self.assertLess(time.monotonic(), end, "this took too long")
            time.sleep(0.05)


def status(process):
    """State and parent of a process, or None when it is gone."""
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return None
    state, parent = text.rpartition(")")[2].split()[:2]
    return state, int(parent)


def alive(process):
    found = status(process)
    return found is not None and found[0] != "Z"


def children(parent):
    """Processes that `parent` started, oldest first."""
    ids = sorted(int(path.name) for path in pathlib.Path("/proc").glob("[0-9]*"))
    return [process for process in ids if (status(process) or ("", -1))[1] == parent]


if __name__ == "__main__":
    unittest.main()
