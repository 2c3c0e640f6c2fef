# Finds libffi, as Debian's libffi-dev installs it without a description for CMake: the target LibFFI::LibFFI.

include(FindPackageHandleStandardArgs)

find_path(LibFFI_INCLUDE_DIR ffi.h)
find_library(LibFFI_LIBRARY ffi)
mark_as_advanced(LibFFI_INCLUDE_DIR LibFFI_LIBRARY)

find_package_handle_standard_args(LibFFI REQUIRED_VARS LibFFI_LIBRARY LibFFI_INCLUDE_DIR)

if(LibFFI_FOUND AND NOT TARGET LibFFI::LibFFI)
  add_library(LibFFI::LibFFI UNKNOWN IMPORTED)
  set_target_properties(LibFFI::LibFFI PROPERTIES IMPORTED_LOCATION "${LibFFI_LIBRARY}"
                                                  INTERFACE_INCLUDE_DIRECTORIES "${LibFFI_INCLUDE_DIR}")
endif()
