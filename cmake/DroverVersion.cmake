# The version as one string, "0.1.0+g3fca12b9d0e1" or, with changes that are not committed,
# "0.1.0+g3fca12b9d0e1.dirty"; "0.1.0" where there is no git history (a source archive).
#
# Included from the top CMakeLists.txt it adds a step that runs at every build; run as a
# script (cmake -P) it is that step. It rewrites the one small source file that holds the
# string only when the string has changed, so a commit costs one compilation.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(DROVER_VERSION_SOURCE ${CMAKE_CURRENT_BINARY_DIR}/generated/version.cpp)
  set(version_command ${CMAKE_COMMAND}
    -DSOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION}
    -DOUTPUT=${DROVER_VERSION_SOURCE} -P ${CMAKE_CURRENT_LIST_FILE})
  execute_process(COMMAND ${version_command} COMMAND_ERROR_IS_FATAL ANY)
  add_custom_target(drover_version_source BYPRODUCTS ${DROVER_VERSION_SOURCE}
    COMMAND ${version_command}
    COMMENT "Asking git for the version" VERBATIM)
  target_sources(drover_core PRIVATE ${DROVER_VERSION_SOURCE})
  add_dependencies(drover_core drover_version_source)
  return()
endif()

set(version ${VERSION})
find_program(GIT git)
if(GIT)
  # Only Drover's own repository counts, not one that its sources were unpacked into.
  execute_process(COMMAND ${GIT} rev-parse --show-prefix --short=12 HEAD
    WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE answer RESULT_VARIABLE failed
    ERROR_QUIET)
  if(NOT failed AND answer MATCHES "^\n([0-9a-f]+)\n$")
    set(version "${VERSION}+g${CMAKE_MATCH_1}")
    execute_process(COMMAND ${GIT} status --porcelain --untracked-files=no
      WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      string(APPEND version ".dirty")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
// Made by cmake/DroverVersion.cmake at every build.
#include "drover/core/version.hpp"

namespace drover {

const char* version() { return "@version@"; }

}  // namespace drover
]])
