#!/bin/sh
# Installs what a build needs and this Debian machine lacks. When nothing is missing it
# says nothing, touches nothing and takes some hundredths of a second.
#   tools/setup.sh          what building and testing need
#   tools/setup.sh --lint   also clang-format and clang-tidy
# SETUP=no in the environment leaves the machine as it is. Needs root or sudo only when a
# package is missing; the output of apt goes to build/setup.log.
set -eu
cd "$(dirname "$0")/.."

build_tools="g++ cmake ninja-build pkg-config python3 binutils"
libraries="libeigen3-dev libhdf5-dev libtomlplusplus-dev libcli11-dev libfmt-dev \
libspdlog-dev librandom123-dev libopenmpi-dev openmpi-bin nlohmann-json3-dev"
test_libraries="libgtest-dev libbenchmark-dev"
packages="$build_tools $libraries $test_libraries"
case "${1:-}" in
  "") ;;
  --lint) packages="$packages clang-format clang-tidy" ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

[ "${SETUP:-yes}" = no ] && exit 0
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup: this is not a Debian system, so nothing is installed here." \
    "The build needs what these Debian 12 packages hold: $packages" >&2
  exit 0
fi

installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $packages 2>/dev/null |
  sed -n 's/^installed //p') || true
missing=
for package in $packages; do
  echo "$installed" | grep -qxF "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root="env"
elif command -v sudo >/dev/null; then
  as_root="sudo env"
else
  cat >&2 <<TEXT
setup: packages are missing, and only root may install them; this user is not root and
there is no sudo here. Missing:$missing
Ask an administrator to run
  apt-get install --no-install-recommends$missing
or, if their contents are installed in another way, run make again with SETUP=no.
TEXT
  exit 1
fi

mkdir -p build
log=build/setup.log
echo "setup: installing from Debian's packages:$missing"
echo "setup: this can take a minute or two; apt's output goes to $log"
apt="$as_root DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120"
# A failed update is not the end: the lists that are there may do.
$apt update >"$log" 2>&1 ||
  echo "setup: apt-get update failed (see $log); trying with the package lists at hand" >&2
if ! $apt install -y --no-install-recommends $missing >>"$log" 2>&1; then
  tail -n 15 "$log" >&2
  echo "setup: apt-get could not install the packages above; its whole output is in $log." \
    "Mend what it names (network, disk space, a package held back), then run make again." >&2
  exit 1
fi
echo "setup: done"
