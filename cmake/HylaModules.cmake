# What only shared libraries that are loaded on demand need: NLopt (target NLopt::nlopt) and MPI (target MPI::MPI_C). Sets
# nothing if they are not there. NLopt's own CMake files refer to a library for Octave.

find_path(HYLA_NLOPT_HEADERS nlopt.h)
find_library(HYLA_NLOPT_LIBRARY nlopt)
if(HYLA_NLOPT_HEADERS AND HYLA_NLOPT_LIBRARY)
  add_library(NLopt::nlopt UNKNOWN IMPORTED)
  set_target_properties(NLopt::nlopt PROPERTIES IMPORTED_LOCATION "${HYLA_NLOPT_LIBRARY}"
                                                INTERFACE_INCLUDE_DIRECTORIES "${HYLA_NLOPT_HEADERS}")
else()
  message(STATUS "NLopt not found (Debian package libnlopt-dev): building without optimisation")
endif()

find_package(MPI QUIET COMPONENTS C)
if(NOT TARGET MPI::MPI_C)
  message(STATUS "MPI not found (Debian package libopenmpi-dev): building without clusters")
endif()
