"""Every command that README.md and docs/ promise to work does work.

A fenced block of shell commands with the line <!-- tested --> before it is run, command by
command, in a scratch folder that looks like the top of the repository: `build/drover` is the
program under test and `examples/` a copy. A file's blocks run in order and share the folder,
so one may resume what another began. Each command must end with exit code 0.

Takes the program's path from DROVER_PROGRAM.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import source_tree

BLOCK = re.compile(r"^<!-- tested -->\n+```(?:sh|bash|console)?\n(.*?)^```", re.M | re.S)
SECONDS_ALLOWED = 120


def commands(text):
    """The commands of the tested blocks: lines, those ending in a backslash joined."""
    found = []
    for block in BLOCK.findall(text):
        for line in re.sub(r"\\\n\s*", "", block).splitlines():
            line = re.sub(r"^\$ ", "", line.strip())
            if line and not line.startswith("#"):
                found.append(line)
    return found


def scratch_repository(folder, program):
    shutil.copytree(source_tree.ROOT / "examples", folder / "examples")
    (folder / "build").mkdir()
    (folder / "build" / "drover").symlink_to(program)


class DocumentedCommands(unittest.TestCase):
    def test_every_documented_command_works(self):
        program = pathlib.Path(os.environ["DROVER_PROGRAM"])
        documents = [name for name in source_tree.source_files()
                     if re.match(r"(README|docs/.*)\.md$", name)]
        self.assertIn("README.md", documents)
        self.assertTrue(commands(source_tree.read("README.md")),
                        "README.md has no block marked <!-- tested -->")
        for document in documents:
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                scratch_repository(folder, program)
                for command in commands(source_tree.read(document)):
                    with self.subTest(document=document, command=command):
                        answer = subprocess.run(
                            ["sh", "-c", command], cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            errors="replace", timeout=SECONDS_ALLOWED)
                        self.assertEqual(answer.returncode, 0, "\n" + answer.stdout[-3000:])

    def test_commands_are_found(self):
        text = ("<!-- tested -->\n```sh\n# why\n$ a b\nc \\\n  d\n\n```\n"
                "```sh\nnot tested\n```\n<!-- tested -->\n\n```\ne\n```\n")
        self.assertEqual(commands(text), ["a b", "c d", "e"])


if __name__ == "__main__":
    unittest.main()
