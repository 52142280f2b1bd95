// Drover as a library: the one header that a user includes.
//
// Two doors. Arrays over devices and the gradients of one's own models need mesh/ and ad/
// (link drover::mesh and drover::ad); molecules and runs need the whole (drover::drover).
// docs/concepts.md introduces the words, examples/ has programs to begin from.
#pragma once

#include "drover/core/array.hpp"
#include "drover/core/error.hpp"
#include "drover/core/exact_sums.hpp"
#include "drover/core/random.hpp"
#include "drover/core/tree.hpp"
#include "drover/core/version.hpp"

// Devices, placements, maps, collectives and their ledger.
#include "drover/mesh/accumulator.hpp"
#include "drover/mesh/collectives.hpp"
#include "drover/mesh/linear.hpp"
#include "drover/mesh/map.hpp"
#include "drover/mesh/mesh.hpp"
#include "drover/mesh/misuse.hpp"
#include "drover/mesh/padding.hpp"
#include "drover/mesh/scatter.hpp"

// Derivatives of functions and of models over rows, on one device and on all.
#include "drover/ad/dual.hpp"
#include "drover/ad/jet.hpp"
#include "drover/ad/laplacian.hpp"
#include "drover/ad/models.hpp"
#include "drover/ad/one_row.hpp"
#include "drover/ad/vjp.hpp"
#include "drover/vmc/vjp_sum.hpp"

// Wave functions from files or in C++, and runs.
#include "drover/chem/molecule.hpp"
#include "drover/chem/read.hpp"
#include "drover/vmc/herd.hpp"
#include "drover/vmc/run.hpp"
#include "drover/vmc/statistics.hpp"
#include "drover/wave/molecular_model.hpp"
#include "drover/wave/user_model.hpp"
