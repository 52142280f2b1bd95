"""Rules that every source file keeps: its length, and what may not stand in it."""

import re
import unittest

import source_tree

LINES_ALLOWED = 400
CODE = (".hpp", ".cpp", ".cu", ".h", ".c", ".py", ".sh", ".cmake", ".in", ".txt", ".toml")

# (where, pattern, why). `where` is matched against the path from the top of the tree.
FORBIDDEN = [
    (r"(^|/)(CMakeLists\.txt|CMakePresets\.json|Makefile)$|\.cmake(\.in)?$",
     r"-f(fast-math|unsafe-math|associative-math|reciprocal-math|finite-math)|-Ofast",
     "arithmetic must give the same bits for every lane count and CPU, and see NaNs"),
    (r"(^|/)(CMakeLists\.txt|CMakePresets\.json|Makefile)$|\.cmake(\.in)?$",
     r"-m(arch|tune)=native",
     "one program serves every x86-64 CPU; kernels choose at start"),
    (r"\.(hpp|cpp|cu)$", r"#\s*pragma\s+(GCC|STDC|clang)\s+(optimi[sz]e|FP_CONTRACT|fp)\b"
     r"|__attribute__\s*\(\(\s*optimi[sz]e|_Pragma",
     "options that change arithmetic stand in cmake/DroverRooms.cmake alone"),
    (r"", r"/(home|root|Users|work)/\w", "a path of one developer's machine"),
    (r"\.(hpp|cpp|cu|py|sh|cmake|txt)$", r"\b(TODO|FIXME|XXX|HACK)\b",
     "unfinished work belongs in the tracker"),
    (r"\.hpp$", r"^using\s+namespace\b", "it reaches whoever includes the header"),
    (r"^drover/(core|mesh|ad|chem|wave|vmc)/",
     r"\bstd::(cout|cerr|clog)\b|(?<![\w.:>])(?:std::)?(printf|puts|exit|_exit|quick_exit)\s*\(",
     "the library never prints and never ends the process; app does"),
    (r"\.(hpp|cpp)$", r"#\s*include\s*<(cblas|lapacke?|openblas[^>]*|mkl[^>]*)(\.h)?>",
     "no BLAS library is linked"),
]
THIS_FILE = "tests/project/test_sources.py"


def too_long(name, text):
    lines = text.count("\n") + (not text.endswith("\n"))
    return [] if lines < LINES_ALLOWED else [
        f"{name}: {lines} lines; a file stays under {LINES_ALLOWED}: make it two nouns"]


def forbidden(name, text):
    found = []
    for where, pattern, why in FORBIDDEN:
        if re.search(where, name):
            for match in re.finditer(pattern, text, re.MULTILINE):
                line = text.count("\n", 0, match.start()) + 1
                found.append(f"{name}:{line}: {match.group().strip()!r}: {why}")
    return found


class Sources(unittest.TestCase):
    def setUp(self):
        self.names = source_tree.source_files()
        self.assertGreater(len(self.names), 20, "the sources were not found")

    def nothing_found(self, found):
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_every_file_is_shorter_than_400_lines(self):
        self.nothing_found([line for name in self.names
                            if (name.endswith(CODE) or name == "Makefile")
                            and "/data/" not in name
                            for line in too_long(name, source_tree.read(name))])

    def test_nothing_forbidden_stands_in_a_file(self):
        self.nothing_found([line for name in self.names
                            if name != THIS_FILE and name != "LICENSE"
                            for line in forbidden(name, source_tree.read(name))])

    def test_violations_are_seen(self):
        self.assertTrue(too_long("a.cpp", "x\n" * 400))
        self.assertFalse(too_long("a.cpp", "x\n" * 399))
        for name, text in [("CMakeLists.txt", "add_compile_options(-ffast-math)"),
                           ("cmake/a.cmake", "-march=native"),
                           ("drover/core/a.cpp", '#pragma GCC optimize("O1")'),
                           ("docs/a.md", "see /home/someone/drover"),
                           ("bench/a.py", "# TODO later"),
                           ("drover/ad/a.hpp", "using namespace std;"),
                           ("drover/vmc/a.cpp", "  std::exit(1);"),
                           ("drover/vmc/a.cpp", "  std::cerr << 1;"),
                           ("drover/vmc/a.cpp", '  printf("x");'),
                           ("drover/vmc/a.cpp", "#include <cblas.h>")]:
            self.assertTrue(forbidden(name, text), (name, text))
        for name, text in [("docs/a.md", "No -ffast-math."),
                           ("drover/app/a.cpp", "std::cout << 1;"),
                           ("drover/vmc/a.cpp", "scope.exit(1); snprintf(a, 1);"),
                           ("drover/vmc/a.cpp", "std::atexit(f)")]:
            self.assertFalse(forbidden(name, text), (name, text))


if __name__ == "__main__":
    unittest.main()
