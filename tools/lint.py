#!/usr/bin/env python3
"""Checks the C++ files as a reviewer would: clang-format on all, clang-tidy on the changed.

  tools/lint.py --format               format every file in place
  tools/lint.py --build BUILD          check format; clang-tidy what differs from upstream
  tools/lint.py --build BUILD --all    clang-tidy everything

Changed: differs from the merge base with origin/HEAD (or origin/main), committed or not; in
a clone without a remote, differs from the last commit. A changed header counts through the
sources that include it. Needs BUILD/compile_commands.json. Exit status 1 on any finding.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CPP = (".hpp", ".cpp")


def git(*words):
    answer = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
    return answer.stdout if answer.returncode == 0 else None


def cpp_files():
    listed = git("ls-files", "--cached", "--others", "--exclude-standard")
    if listed is None:
        sys.exit("lint: needs git's list of files, and this is no git repository; "
                 "run it in a clone")
    return sorted(name for name in set(listed.split("\n"))
                  if name.endswith(CPP) and (ROOT / name).is_file())


def changed_files():
    base = "HEAD"
    for upstream in ("origin/HEAD", "origin/main"):
        found = git("merge-base", "HEAD", upstream)
        if found:
            base = found.strip()
            break
    differing = git("diff", "--name-only", base) or ""
    untracked = git("ls-files", "--others", "--exclude-standard") or ""
    return set(differing.split("\n")) | set(untracked.split("\n"))


def sources_touched(names, changed):
    """The .cpp files that changed or include, directly or not, a header that did."""
    touched = {name for name in names if name in changed}
    text = {name: (ROOT / name).read_text(errors="replace") for name in names}
    includes = {name: set(re.findall(r'#\s*include\s*["<]([^">]+)[">]', text[name]))
                for name in names}
    while True:
        more = {name for name in names if name not in touched and includes[name] & touched}
        if not more:
            return sorted(name for name in touched if name.endswith(".cpp"))
        touched |= more


def check_format(names, in_place):
    options = ["-i"] if in_place else ["--dry-run", "-Werror"]
    return subprocess.run(["clang-format", *options, *names], cwd=ROOT).returncode == 0


def tidy(build, name):
    command = ["clang-tidy", "--quiet", "-p", str(build),
               "--extra-arg=-Wno-unknown-warning-option", str(ROOT / name)]
    answer = subprocess.run(command, capture_output=True, text=True)
    return name, answer.returncode, answer.stdout


def check_tidy(build, names, jobs):
    database = build / "compile_commands.json"
    if not database.is_file():
        sys.exit(f"lint: {database} is missing; configure first (make configure)")
    known = {os.path.realpath(os.path.join(entry["directory"], entry["file"]))
             for entry in json.loads(database.read_text())}
    names = [name for name in names if os.path.realpath(ROOT / name) in known]
    clean = True
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for name, code, output in pool.map(lambda name: tidy(build, name), names):
            print(f"clang-tidy {name}{'' if code == 0 else ': findings'}", flush=True)
            if code != 0:
                clean = False
                print(output, flush=True)
    return clean


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--format", action="store_true", help="format in place and stop")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--all", action="store_true", help="clang-tidy every source")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    names = cpp_files()
    clean = check_format(names, options.format)
    if options.format:
        sys.exit(0 if clean else 1)
    if not clean:
        print("lint: some files are not formatted; make format does it", flush=True)
    chosen = ([name for name in names if name.endswith(".cpp")] if options.all
              else sources_touched(names, changed_files()))
    clean = check_tidy(options.build, chosen, options.jobs) and clean
    print(f"lint: {len(names)} files' format and {len(chosen)} sources checked: "
          f"{'clean' if clean else 'findings above'}")
    sys.exit(0 if clean else 1)


if __name__ == "__main__":
    main()
