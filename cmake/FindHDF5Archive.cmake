# Finds HDF5 as an archive (Debian: libhdf5-dev), the serial one. Its shared library brings libcurl and 30 others, which
# would cost each start of the command 13 ms.
#
#   HDF5::Archive  the C library with zlib

include(FindPackageHandleStandardArgs)

find_path(HDF5Archive_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_path(HDF5Archive_ZLIB_INCLUDE_DIR zlib.h)
find_library(HDF5Archive_LIBRARY NAMES libhdf5_serial.a libhdf5.a hdf5_serial hdf5)
find_library(HDF5Archive_SZ_LIBRARY NAMES libsz.a sz)
find_library(HDF5Archive_AEC_LIBRARY NAMES libaec.a aec)
find_library(HDF5Archive_ZLIB_LIBRARY NAMES libz.a z)
set(variables HDF5Archive_INCLUDE_DIR HDF5Archive_ZLIB_INCLUDE_DIR HDF5Archive_LIBRARY HDF5Archive_SZ_LIBRARY
              HDF5Archive_AEC_LIBRARY HDF5Archive_ZLIB_LIBRARY)
mark_as_advanced(${variables})

find_package_handle_standard_args(HDF5Archive REQUIRED_VARS ${variables})

# Archives of Debian are not made for shared libraries, so those get the shared one.
if(HDF5Archive_FOUND AND NOT TARGET HDF5::Archive)
  find_library(HDF5Archive_SHARED_LIBRARY NAMES hdf5_serial hdf5)
  mark_as_advanced(HDF5Archive_SHARED_LIBRARY)
  set(archives "${HDF5Archive_LIBRARY}" "${HDF5Archive_SZ_LIBRARY}" "${HDF5Archive_AEC_LIBRARY}"
               "${HDF5Archive_ZLIB_LIBRARY}" m ${CMAKE_DL_LIBS})
  set(is_shared "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>")
  add_library(HDF5::Archive INTERFACE IMPORTED)
  set_target_properties(HDF5::Archive PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${HDF5Archive_INCLUDE_DIR};${HDF5Archive_ZLIB_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "$<IF:${is_shared},${HDF5Archive_SHARED_LIBRARY},${archives}>")
endif()
