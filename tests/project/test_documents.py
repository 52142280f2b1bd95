"""What the documents point to exists: relative links, and paths named in `code`."""

import posixpath
import re
import unittest

import source_tree

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# `drover/core/pack.hpp`, `tools/setup.sh`: a path below a top folder, ending in a suffix.
PATH = re.compile(r"`((?:\.ci|bench|cmake|docs|drover|examples|python|tests|tools)/"
                  r"[\w./-]*\.\w+)`")


def broken(name, text, exists):
    """Links and paths of the document that lead nowhere; a sentence each."""
    found = []
    folder = posixpath.dirname(name)
    for target in LINK.findall(text):
        if not re.match(r"\w+:|#", target):
            path = posixpath.normpath(posixpath.join(folder, target.split("#")[0]))
            if not exists(path):
                found.append(f"{name}: link to {target}, which does not exist")
    for path in PATH.findall(text):
        # drover/ROOM/noun.hpp: a word in capitals stands for a name of the reader's.
        if not re.search(r"/[A-Z]+/", path) and not exists(path):
            found.append(f"{name}: names {path}, which does not exist")
    return found


class Documents(unittest.TestCase):
    def test_every_link_and_path_leads_somewhere(self):
        names = [name for name in source_tree.source_files() if name.endswith(".md")]
        self.assertIn("README.md", names)
        found = [line for name in names
                 for line in broken(name, source_tree.read(name),
                                    lambda path: (source_tree.ROOT / path).exists())]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_a_broken_link_is_seen(self):
        here = {"docs/a.md", "drover/core"}.__contains__
        self.assertTrue(broken("README.md", "[a](docs/b.md)", here))
        self.assertTrue(broken("docs/a.md", "see `drover/core/none.hpp`", here))
        self.assertFalse(broken("README.md", "[a](docs/a.md#x) [b](https://c.d)", here))
        self.assertFalse(broken("docs/a.md", "see `drover/ROOM/noun.hpp`", here))
        self.assertFalse(broken("docs/a.md", "[core](../drover/core)", here))


if __name__ == "__main__":
    unittest.main()
