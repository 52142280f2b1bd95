// The MPI communicator (Open MPI 4.1), kept behind these two functions so that no other
// file sees mpi.h. Built in where DROVER_HAVE_MPI is defined.
#pragma once

#include <memory>

#include "drover/mesh/communicator.hpp"

namespace drover {

bool mpi_is_built_in();

// Starts MPI (0.4 s, so only under a launcher) and gives the communicator of all its
// ranks; MPI ends with the process. Errors: system, when MPI sees other than `announced`
// ranks.
std::shared_ptr<Communicator> make_mpi_communicator(int announced);

}  // namespace drover
