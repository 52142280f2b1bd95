# Drover's front door: everything a newcomer, a developer or a CI machine runs is one of
# these targets. They only call cmake, ctest and the scripts in tools/; `make help` lists
# them. Builds go to build/ (release) and build-<preset>/ (CMakePresets.json).
#
# Variables: JOBS=N      how many compilations or tests at once (default: the cores here)
#            SETUP=no    do not look for missing packages; use what is installed
#            ALL=1       with lint: every file, not only the changed ones

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SETUP ?= yes
DEMO_INPUT := examples/water/water.molden

# Open MPI refuses to start as root unless told that this is meant; test machines often
# have no other user.
TEST_ENV := OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup setup-lint configure build demo test debug asan ubsan tsan format \
  lint bench study-errorbars study-bits study-energies study-seeds install clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)$$/\1|\2/p' $(MAKEFILE_LIST) | \
	  while IFS='|' read -r name text; do printf '  make %-16s %s\n' "$$name" "$$text"; done

setup: ## install what is missing from Debian's packages (root or sudo)
	@SETUP=$(SETUP) sh tools/setup.sh

setup-lint:
	@SETUP=$(SETUP) sh tools/setup.sh --lint

configure: setup
	@cmake --preset release --log-level=NOTICE >/dev/null

build: configure ## set up and make the program: build/drover
	@cmake --build --preset release --parallel $(JOBS) --target drover_program

demo: build ## build, then the energy of a water molecule to 2 mHa
	@n=1; while [ -e runs/demo-$$n ]; do n=$$((n + 1)); done; mkdir -p runs; \
	set -x; build/drover run $(DEMO_INPUT) --set measure.target_error=2e-3 \
	  --out runs/demo-$$n

test: configure ## set up, build everything, run every test
	@cmake --build --preset release --parallel $(JOBS)
	@$(TEST_ENV) ctest --preset release --parallel $(JOBS)

debug: setup ## build without optimisation and with library assertions, run every test
	@sh tools/build-and-test.sh debug $(JOBS)

asan: setup ## the same under the address and undefined-behaviour sanitizers
	@$(TEST_ENV) sh tools/build-and-test.sh asan $(JOBS)

ubsan: asan ## the same build: asan contains both sanitizers

tsan: setup ## the same under the thread sanitizer
	@$(TEST_ENV) sh tools/build-and-test.sh tsan $(JOBS)

format: setup-lint ## format every C++ file in place
	@python3 tools/lint.py --format

lint: setup-lint configure ## check the format of all files and lint the changed ones (ALL=1: all)
	@python3 tools/lint.py --build build --jobs $(JOBS) $(if $(ALL),--all)

bench: build ## the program's own speed, and water beside the yardstick
	@cmake --build --preset release --parallel $(JOBS) --target yardstick
	@build/drover bench
	@echo
	@build/bench/yardstick

study-errorbars: configure ## do the error bars hold? many short runs with different seeds
	@cmake --build --preset release --parallel $(JOBS) --target study_errorbars
	@build/bench/study_errorbars

study-bits: build ## the same bits on any devices, ranks, microbatches and lanes? 122 runs
	@python3 -B bench/study_bits.py build/drover

study-energies: build ## how low do the energies come? seven systems, about twenty minutes on two cores
	@python3 -B bench/study_energies.py build/drover

study-seeds: build ## does optimisation ever fail? 20 seeds of each system and each method
	@python3 -B bench/study_energies.py build/drover --seeds 20
	@python3 -B bench/study_energies.py build/drover --seeds 20 --methods --systems LiH

install: build ## install program, library and headers (PREFIX=/usr/local)
	@cmake --build --preset release --parallel $(JOBS)
	@cmake --install build $(if $(PREFIX),--prefix $(PREFIX))

clean: ## remove every build folder (runs/ stays)
	rm -rf build build-debug build-asan build-tsan
