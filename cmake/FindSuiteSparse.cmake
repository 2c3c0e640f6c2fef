# Finds the parts of SuiteSparse that Hyla uses, as Debian's libsuitesparse-dev installs them without a description for
# CMake. Headers are included as <suitesparse/klu.h>.
#
#   SuiteSparse::BTF  maximum matching and block triangular form
#   SuiteSparse::KLU  sparse LU factorisation

include(FindPackageHandleStandardArgs)

find_path(SuiteSparse_INCLUDE_DIR suitesparse/klu.h)
foreach(part IN ITEMS suitesparseconfig amd colamd btf klu)
  find_library(SuiteSparse_${part}_LIBRARY ${part})
  mark_as_advanced(SuiteSparse_${part}_LIBRARY)
endforeach()
mark_as_advanced(SuiteSparse_INCLUDE_DIR)

find_package_handle_standard_args(
  SuiteSparse
  REQUIRED_VARS SuiteSparse_klu_LIBRARY SuiteSparse_btf_LIBRARY SuiteSparse_amd_LIBRARY SuiteSparse_colamd_LIBRARY
                SuiteSparse_suitesparseconfig_LIBRARY SuiteSparse_INCLUDE_DIR)

if(SuiteSparse_FOUND AND NOT TARGET SuiteSparse::KLU)
  add_library(SuiteSparse::BTF UNKNOWN IMPORTED)
  set_target_properties(SuiteSparse::BTF PROPERTIES IMPORTED_LOCATION "${SuiteSparse_btf_LIBRARY}"
                                                    INTERFACE_INCLUDE_DIRECTORIES "${SuiteSparse_INCLUDE_DIR}")
  add_library(SuiteSparse::KLU UNKNOWN IMPORTED)
  set_target_properties(SuiteSparse::KLU PROPERTIES IMPORTED_LOCATION "${SuiteSparse_klu_LIBRARY}"
                                                    INTERFACE_INCLUDE_DIRECTORIES "${SuiteSparse_INCLUDE_DIR}")
  target_link_libraries(SuiteSparse::KLU INTERFACE SuiteSparse::BTF "${SuiteSparse_amd_LIBRARY}"
                                                   "${SuiteSparse_colamd_LIBRARY}"
                                                   "${SuiteSparse_suitesparseconfig_LIBRARY}")
endif()
