# Finds the shared library of LLVM 19 and its headers as the target `LLVM`; sets nothing if they are not there. LLVM's own
# CMake files are not used: they look for a dozen packages that only its static libraries need.

find_path(HYLA_LLVM_HEADERS llvm/ExecutionEngine/Orc/LLJIT.h PATHS /usr/lib/llvm-19/include NO_DEFAULT_PATH)
find_library(HYLA_LLVM_LIBRARY LLVM-19 PATHS /usr/lib/llvm-19/lib)
if(HYLA_LLVM_HEADERS AND HYLA_LLVM_LIBRARY)
  add_library(LLVM SHARED IMPORTED)
  set_target_properties(LLVM PROPERTIES IMPORTED_LOCATION "${HYLA_LLVM_LIBRARY}"
                                        INTERFACE_INCLUDE_DIRECTORIES "${HYLA_LLVM_HEADERS}")
else()
  message(STATUS "LLVM 19 not found (Debian package llvm-19-dev): building without native code")
endif()
