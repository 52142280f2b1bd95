"""Which files make up the project, for the checks that read its sources.

With git: what it tracks or would track, so build folders and runs do not count. Without git
(an unpacked archive): every file outside folders named like build folders.
"""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(os.environ.get("DROVER_SOURCE_DIR",
                                   pathlib.Path(__file__).resolve().parents[2]))
NOT_SOURCES = ("build", "build-", "runs", ".", "__pycache__")


def source_files(root=ROOT):
    """Paths relative to `root`, sorted, '/' between folders; only files that exist."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others",
               "--exclude-standard"]
    try:
        answer = subprocess.run(command, capture_output=True, check=True).stdout
        names = [name for name in answer.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = list(walked_files(root))
    return sorted(name for name in set(names) if (root / name).is_file())


def walked_files(root):
    for folder, folders, files in os.walk(root):
        at_top = pathlib.Path(folder) == root
        folders[:] = [f for f in folders
                      if f != "__pycache__" and not (at_top and f.startswith(NOT_SOURCES))]
        for name in files:
            yield (pathlib.Path(folder) / name).relative_to(root).as_posix()


def read(name, root=ROOT):
    return (root / name).read_text(encoding="utf-8", errors="replace")
