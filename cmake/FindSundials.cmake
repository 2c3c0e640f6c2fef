# Finds the parts of SUNDIALS that Hyla uses (Debian: libsundials-dev). Its own description for CMake asks for OpenMP, MPI
# and PETSc; and its shared libraries, one for every few functions, would cost each start of the command 1.3 ms. Archives
# cost nothing, so they are taken where they are there.
#
#   SUNDIALS::Integrators  CVODE, ARKODE and IDA with dense, band and KLU linear solvers

include(FindPackageHandleStandardArgs)

set(parts cvode arkode ida nvecserial sunlinsolklu sunlinsoldense sunlinsolband sunmatrixsparse sunmatrixdense
          sunmatrixband sunnonlinsolfixedpoint sunnonlinsolnewton generic)
find_path(Sundials_INCLUDE_DIR sundials/sundials_config.h)
find_path(Sundials_KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(variables "")
foreach(part IN LISTS parts)
  find_library(Sundials_${part}_LIBRARY NAMES libsundials_${part}.a sundials_${part})
  list(APPEND variables Sundials_${part}_LIBRARY)
endforeach()
mark_as_advanced(Sundials_INCLUDE_DIR Sundials_KLU_INCLUDE_DIR ${variables})

find_package_handle_standard_args(Sundials REQUIRED_VARS Sundials_INCLUDE_DIR Sundials_KLU_INCLUDE_DIR ${variables})

if(Sundials_FOUND AND NOT TARGET SUNDIALS::Integrators)
  add_library(SUNDIALS::Integrators INTERFACE IMPORTED)
  foreach(part IN LISTS parts)
    add_library(SUNDIALS::${part} UNKNOWN IMPORTED)
    set_target_properties(SUNDIALS::${part} PROPERTIES IMPORTED_LOCATION "${Sundials_${part}_LIBRARY}")
    target_link_libraries(SUNDIALS::Integrators INTERFACE SUNDIALS::${part})
  endforeach()
  set_target_properties(SUNDIALS::Integrators PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
                                                         "${Sundials_INCLUDE_DIR};${Sundials_KLU_INCLUDE_DIR}")
  target_link_libraries(SUNDIALS::sunlinsolklu INTERFACE SuiteSparse::KLU)
  target_link_libraries(SUNDIALS::generic INTERFACE m)
endif()
