"""`cmake --install` gives a package that another project finds, compiles and links with.

Takes DROVER_BUILD_DIR (a finished build), DROVER_CXX and, when it was built, DROVER_PROGRAM.
"""

import os
import pathlib
import subprocess
import tempfile
import unittest

import source_tree


def run(*command, folder=None):
    answer = subprocess.run([str(word) for word in command], cwd=folder, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if answer.returncode != 0:
        raise AssertionError(f"{command} failed:\n{answer.stdout[-3000:]}")
    return answer.stdout


class Install(unittest.TestCase):
    def test_an_installed_drover_serves_another_project(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            prefix = folder / "prefix"
            run("cmake", "--install", os.environ["DROVER_BUILD_DIR"], "--prefix", prefix)
            self.assertTrue((prefix / "include/drover/core/error.hpp").is_file())
            self.assertFalse((prefix / "include/drover/app").exists())
            if os.environ.get("DROVER_PROGRAM"):
                self.assertIn("Usage", run(prefix / "bin/drover", "--help"))
            # A configuration that names the source or build tree works on one machine only.
            for path in prefix.rglob("*.cmake"):
                text = path.read_text()
                self.assertNotIn(os.environ["DROVER_BUILD_DIR"], text, path)
                self.assertNotIn(f"{source_tree.ROOT}/", text, path)
            self.build("consumer", folder, prefix)
            # H2: -1.1 to -1.3 hartree for any sane sampling of so few walkers.
            self.assertRegex(
                run(folder / "build-consumer/consumer",
                    source_tree.ROOT / "tests/data/molden/H2_1.4_cc-pvdz.molden"),
                r"^drover \d+\.\d+\.\d+.*: 128 walkers, -1\.[0123]\d hartree")
            self.arrays_need_nothing_of_chemistry(folder, prefix)

    def build(self, project, folder, prefix, *options, flags=""):
        run("cmake", "-S", source_tree.ROOT / "tests/project" / project, "-B",
            folder / f"build-{project}", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DDROVER_EXAMPLES={source_tree.ROOT / 'examples'}",
            f"-DCMAKE_CXX_COMPILER={os.environ['DROVER_CXX']}",
            f"-DCMAKE_CXX_FLAGS={flags} {os.environ.get('DROVER_EXTRA_FLAGS', '')}",
            *options)
        run("cmake", "--build", folder / f"build-{project}")

    def arrays_need_nothing_of_chemistry(self, folder, prefix):
        # A machine without Eigen, nlohmann's JSON and HDF5: finding them fails, and so
        # does including them.
        missing = folder / "missing"
        for header in ["Eigen/Core", "Eigen/Dense", "nlohmann/json.hpp",
                       "nlohmann/json_fwd.hpp", "hdf5.h"]:
            (missing / header).parent.mkdir(parents=True, exist_ok=True)
            (missing / header).write_text("#error this machine does not have it\n")
        self.build("consumer_arrays", folder, prefix,
                   *[f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON"
                     for package in ["Eigen3", "nlohmann_json", "HDF5"]],
                   flags=f"-I{missing}")
        arrays = folder / "build-consumer_arrays/arrays"
        self.assertEqual(run(arrays), source_tree.read("examples/expected/jax_thread.txt"))
        self.assertNotIn("hdf5", run("ldd", arrays))


if __name__ == "__main__":
    unittest.main()
