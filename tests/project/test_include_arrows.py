"""The rooms of drover/ include each other only along the arrows of docs/architecture.md."""

import re
import unittest

import source_tree

# room: what its files may include besides its own.
ARROWS = {
    "core": set(),
    "mesh": {"core"},
    "ad": {"core"},
    "chem": {"core"},
    "wave": {"ad", "chem", "core"},
    "vmc": {"wave", "mesh", "ad", "chem", "core"},
    "app": {"vmc", "wave", "mesh", "ad", "chem", "core"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
LAUNCHER_HEADERS = {"mpi.h": "mesh", "omp.h": None}


def wrong_includes(name, text):
    """What is wrong with the includes of drover/ROOM/...; a sentence each."""
    room = name.split("/")[1]
    found = []
    for bracket, included in INCLUDE.findall(text):
        parts = included.split("/")
        if parts[0] == "drover" and len(parts) > 2:
            if parts[1] not in ARROWS:
                found.append(f"{name}: includes {included}, which is in no room")
            elif parts[1] != room and parts[1] not in ARROWS[room]:
                found.append(f"{name}: room {room} may not include {included}; it may use "
                             f"{', '.join(sorted(ARROWS[room])) or 'no other room'}")
        elif bracket == '"':
            found.append(f'{name}: write "drover/ROOM/FILE" for {included}, and <> for '
                         "headers that are not Drover's")
        elif LAUNCHER_HEADERS.get(included, room) != room:
            found.append(f"{name}: {included} belongs to {LAUNCHER_HEADERS[included]}")
    return found


class IncludeArrows(unittest.TestCase):
    def test_no_include_goes_against_an_arrow(self):
        names = [name for name in source_tree.source_files()
                 if name.startswith("drover/") and name.endswith((".hpp", ".cpp"))
                 and name.count("/") >= 2]
        self.assertGreater(len(names), 5, "the sources were not found")
        self.assertLessEqual({name.split("/")[1] for name in names}, set(ARROWS))
        found = [line for name in names
                 for line in wrong_includes(name, source_tree.read(name))]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_an_include_against_an_arrow_is_seen(self):
        self.assertTrue(wrong_includes("drover/mesh/a.cpp", '#include "drover/chem/b.hpp"'))
        self.assertTrue(wrong_includes("drover/core/a.hpp", '#include "drover/vmc/b.hpp"'))
        self.assertTrue(wrong_includes("drover/core/a.hpp", "# include <drover/ad/b.hpp>"))
        self.assertTrue(wrong_includes("drover/core/a.hpp", '#include "b.hpp"'))
        self.assertTrue(wrong_includes("drover/wave/a.cpp", "#include <mpi.h>"))
        self.assertFalse(wrong_includes("drover/wave/a.cpp", '#include "drover/ad/b.hpp"'))
        self.assertFalse(wrong_includes("drover/wave/a.cpp", "#include <vector>"))


if __name__ == "__main__":
    unittest.main()
