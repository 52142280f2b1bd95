# Compiler settings and the helpers that make a room's library and its tests.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

find_program(DROVER_CCACHE ccache)
if(DROVER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${DROVER_CCACHE})
endif()

# Arithmetic: the same source must give the same bits for every lane count and CPU, so
# the compiler may not fuse or reorder; kernels write fma where they want it.
# -Wno-restrict: gcc 12 warns falsely about `"text" + std::string` (its bug 105651).
add_library(drover_options INTERFACE)
target_compile_options(drover_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wno-psabi -Wno-restrict
  -ffp-contract=off -fno-math-errno -fno-trapping-math
  $<$<BOOL:${DROVER_WERROR}>:-Werror>)
if(DROVER_SANITIZE)
  target_compile_definitions(drover_options INTERFACE DROVER_INLINE=inline)
  target_compile_options(drover_options INTERFACE
    -fsanitize=${DROVER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  target_link_options(drover_options INTERFACE -fsanitize=${DROVER_SANITIZE})
endif()

# HDF5's serial C library; its headers as SYSTEM.
find_package(HDF5 1.10 REQUIRED COMPONENTS C)
add_library(drover_hdf5 INTERFACE)
target_include_directories(drover_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(drover_hdf5 INTERFACE ${HDF5_C_LIBRARIES})

# Sources named *_v3.cpp / *_v4.cpp are compiled for x86-64-v3 / v4; everything else for
# plain x86-64, so that a machine without AVX2 gets a message and not a crash.
function(drover_kernel_flags)
  foreach(source ${ARGN})
    if(source MATCHES "_v3\\.cpp$")
      set_source_files_properties(${source} TARGET_DIRECTORY ${ROOM_TARGET} PROPERTIES
        COMPILE_OPTIONS "-march=x86-64-v3;$<$<CONFIG:Release>:-O3>")
    elseif(source MATCHES "_v4\\.cpp$")
      set_source_files_properties(${source} TARGET_DIRECTORY ${ROOM_TARGET} PROPERTIES
        COMPILE_OPTIONS
        "-march=x86-64-v4;-mprefer-vector-width=512;$<$<CONFIG:Release>:-O3>")
    endif()
  endforeach()
endfunction()

# A room's library. DEPENDS: what its headers show to users; PRIVATE: what its sources alone
# include. A room that has only headers is an interface library.
function(drover_room NAME)
  cmake_parse_arguments(ROOM "" "" "DEPENDS;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/drover/${NAME}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  set(ROOM_TARGET drover_${NAME})
  if(sources)
    add_library(${ROOM_TARGET} STATIC ${sources})
    target_include_directories(${ROOM_TARGET} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
    target_link_libraries(${ROOM_TARGET} PUBLIC ${ROOM_DEPENDS}
      PRIVATE drover_options ${ROOM_PRIVATE})
    drover_kernel_flags(${sources})
  else()
    add_library(${ROOM_TARGET} INTERFACE)
    target_include_directories(${ROOM_TARGET} INTERFACE
      $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
    target_link_libraries(${ROOM_TARGET} INTERFACE ${ROOM_DEPENDS})
  endif()
endfunction()

function(drover_room_tests NAME)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${NAME}/*.cpp)
  if(NOT sources)
    return()
  endif()
  set(ROOM_TARGET test_${NAME})
  add_executable(${ROOM_TARGET} ${sources})
  target_link_libraries(${ROOM_TARGET} PRIVATE drover_${NAME} drover_options
    GTest::gtest GTest::gtest_main)
  target_compile_definitions(${ROOM_TARGET} PRIVATE
    DROVER_SOURCE_DIR="${CMAKE_SOURCE_DIR}" DROVER_BUILD_DIR="${CMAKE_BINARY_DIR}")
  # Tests but their kernels are compiled in half the time so; what they test keeps -O3.
  target_compile_options(${ROOM_TARGET} PRIVATE $<$<CONFIG:Release>:-O1>)
  drover_kernel_flags(${sources})
  gtest_discover_tests(${ROOM_TARGET} NO_PRETTY_VALUES
    DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300)
endfunction()
