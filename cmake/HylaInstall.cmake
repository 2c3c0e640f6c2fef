# What is installed, and the Debian package: the command, the shared library with its header, examples.
#
#   cmake --install build --prefix /usr/local
#   cpack --config build/CPackConfig.cmake          makes hyla_VERSION_ARCHITECTURE.deb

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The library as others link it: everything in one file, of which only the classes of hyla.h can be seen.
add_library(hyla_shared SHARED $<TARGET_OBJECTS:hyla_api>)
add_library(hyla::hyla ALIAS hyla_shared)
set_target_properties(hyla_shared PROPERTIES
  OUTPUT_NAME hyla EXPORT_NAME hyla VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
target_link_libraries(hyla_shared PRIVATE hyla_options hyla_service)
target_link_options(hyla_shared PRIVATE -Wl,--exclude-libs,ALL)
target_include_directories(hyla_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(hyla_shared INTERFACE cxx_std_20)

install(TARGETS hyla RUNTIME)
install(TARGETS hyla_shared EXPORT hylaTargets LIBRARY)
install(FILES src/api/hyla.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hyla)
if(TARGET hyla_jit)
  install(TARGETS hyla_jit LIBRARY DESTINATION lib/hyla)
endif()
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/hyla/examples)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/book DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/hyla)
install(EXPORT hylaTargets NAMESPACE hyla:: FILE hylaConfig.cmake DESTINATION ${package_folder})
write_basic_package_version_file(hylaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/hylaConfigVersion.cmake" DESTINATION ${package_folder})
file(RELATIVE_PATH HYLA_PREFIX_FROM_PC "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/hyla.pc.in hyla.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/hyla.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hyla)
set(CPACK_PACKAGE_CONTACT "The Hyla developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "models and simulates hybrid systems")
set(CPACK_PACKAGE_DESCRIPTION "Objects with equations, statecharts, messages and processes in one model; structure that
 changes while the model runs. The command hyla, and the library of the same name for C++ programs.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gnuplot-nox, graphviz")
include(CPack)
