#!/bin/sh
# Configures, builds and tests one preset of CMakePresets.json:
#   tools/build-and-test.sh PRESET JOBS
set -eu
[ $# -eq 2 ] || { sed -n '2,3s/^# \{0,1\}//p' "$0" >&2; exit 2; }
cd "$(dirname "$0")/.."
cmake --preset "$1" --log-level=NOTICE >/dev/null
cmake --build --preset "$1" --parallel "$2"
exec ctest --preset "$1" --parallel "$2"
