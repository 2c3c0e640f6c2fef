# How every file of the project is compiled: language level, optimisation, warnings, sanitizers, ccache.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# -g1 keeps function names and lines in backtraces at a fraction of the size of -g. HYLA_CHECK does not depend on NDEBUG.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
if(HYLA_SANITIZE)
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1 -DNDEBUG")  # the checks cost more than the optimiser gains
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# For the shared library. What is hidden is called directly, as in a program.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

find_program(HYLA_CCACHE ccache)
if(HYLA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers are named in its key by their contents; it has to be told that this is enough.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${HYLA_CCACHE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()

# The system's Python comes first, because modules installed by apt belong to it.
find_program(HYLA_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(HYLA_PYTHON python3 REQUIRED)

# Linked by every target of the project, so that third-party code is not held to our warnings.
add_library(hyla_options INTERFACE)
target_compile_options(hyla_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT HYLA_SANITIZE)
  # Sanitizers and other compilers warn about different things; g++ without sanitizers is the judge. Behind precompiled
  # headers g++ 12 takes copies of literals into strings for errors.
  target_compile_options(hyla_options INTERFACE -Werror -Wno-array-bounds -Wno-stringop-overflow -Wno-restrict)
endif()

set(hyla_sanitizers "${HYLA_SANITIZE}")
if(HYLA_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "HYLA_FUZZ needs clang: configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()
  if(NOT hyla_sanitizers)
    set(hyla_sanitizers "address,undefined")
  endif()
  string(APPEND hyla_sanitizers ",fuzzer-no-link")
endif()
if(hyla_sanitizers)
  add_compile_options(-fsanitize=${hyla_sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=${hyla_sanitizers})
endif()
