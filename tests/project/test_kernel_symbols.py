"""No function of an AVX2 or AVX-512 kernel can be taken for another's by the linker.

Kernel sources (*_v3.cpp, *_v4.cpp) are compiled for x86-64-v3 and v4 into one program. An
inline function that both emit under one name is kept once, and then an AVX-512 body may run
on a CPU without AVX-512. So whatever a kernel object defines with vague linkage (nm's W, V
and u) must carry the namespace of its instruction set in its name. Objects for every CPU, in
turn, must hold no vague definition from those namespaces and no AVX instruction at all.
Test sources *_v3.cpp stand for a user's program, compiled as a whole for AVX2, which every
supported CPU has; they may define what they like.

Takes the object files from DROVER_OBJECT_LISTS: files with one path a line.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import source_tree

VAGUE = "WVu"
# The pointer to the exception personality routine: the same data in every object.
HARMLESS = re.compile(r"^DW\.ref\.__gxx_personality_v0$")
KERNEL = re.compile(r"_v([34])\.cpp\.o$")
A_USERS_PROGRAM = re.compile(r"/tests/\w+/\w+_v3\.cpp\.o$")
WIDE_REGISTER = re.compile(r"%[yz]mm\d|%k[1-7]\b")


def symbols(path):
    """(type, demangled name) of everything that the object defines."""
    answer = subprocess.run(["nm", "--defined-only", "--demangle", "--format=posix", path],
                            capture_output=True, check=True, text=True).stdout
    for line in answer.splitlines():
        match = re.match(r"(.*) ([A-Za-z?-])(?: [0-9a-f]+){0,2} ?$", line)
        if match:
            yield match.group(2), match.group(1)


def mergeable(path):
    """Vague definitions of a kernel object that lack its namespace; of another, that have
    a kernel's."""
    kernel = KERNEL.search(str(path))
    for kind, name in symbols(path):
        if kind not in VAGUE or HARMLESS.match(name):
            continue
        if kernel and f"isa_v{kernel.group(1)}::" not in name:
            yield f"{path}: {kind} {name}"
        if not kernel and re.search(r"\bisa_v[34]::", name):
            yield f"{path}: {kind} {name} (compiled for every CPU)"


def wide_instructions(path):
    """Functions of an object whose code uses registers that not every x86-64 CPU has."""
    command = ["objdump", "-d", "--no-show-raw-insn", "-C", path]
    function, found = "", []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.endswith(">:\n"):
                function = line.strip()
            elif function and WIDE_REGISTER.search(line):
                instruction = line.split(chr(9))[-1].strip()
                found.append(f"{path}: {function} uses {instruction}")
                function = ""
    if process.returncode != 0:
        raise RuntimeError(f"objdump failed on {path}")
    return found


def objects():
    for listing in os.environ["DROVER_OBJECT_LISTS"].split(":"):
        for name in pathlib.Path(listing).read_text().split("\n"):
            if name:
                yield name


class KernelSymbols(unittest.TestCase):
    def nothing_found(self, found):
        if found:
            self.fail("\n".join([f"{len(found)} symbols or functions:"] + found[:20]))

    def test_no_kernel_function_can_be_merged_with_anothers(self):
        found = [line for path in objects() if not A_USERS_PROGRAM.search(path)
                 for line in mergeable(path)]
        self.nothing_found(found)

    def test_every_kernel_source_is_among_the_objects(self):
        built = {pathlib.Path(path).name for path in objects()}
        for name in source_tree.source_files():
            if re.match(r"(drover|tests)/.*_v[34]\.cpp$", name):
                self.assertIn(pathlib.Path(name).name + ".o", built)

    def test_objects_for_every_cpu_hold_no_avx_instruction(self):
        paths = [path for path in objects()
                 if re.search(r"\.dir/(\./)?drover/", path) and not KERNEL.search(path)]
        self.assertGreater(len(paths), 5, "the objects were not found")
        self.nothing_found([line for path in paths for line in wide_instructions(path)])

    def test_a_mergeable_function_and_an_avx_instruction_are_seen(self):
        compiler = os.environ["DROVER_CXX"]
        text = ("inline namespace isa_v4 { template <class T> [[gnu::noinline]] T inside(T x)"
                "{ return x * x; } }\n"
                "[[gnu::noinline]] inline double outside(double x) { return x + x; }\n"
                "double g(double x) { return inside(x) + outside(x); }\n"
                "void h(double* x) { for (int i = 0; i < 64; ++i) x[i] += 1; }\n")
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "k_v4.cpp"
            kernel = pathlib.Path(folder) / "k_v4.cpp.o"
            source.write_text(text)
            subprocess.run([compiler, "-std=c++20", "-O3", "-march=x86-64-v4", "-c", source,
                            "-o", kernel], check=True)
            found = list(mergeable(kernel))
            self.assertEqual(len(found), 1, found)
            self.assertIn("outside(double)", found[0])
            self.assertTrue(wide_instructions(kernel))


if __name__ == "__main__":
    unittest.main()
