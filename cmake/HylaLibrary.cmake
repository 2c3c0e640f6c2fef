# Declares the targets of one folder. A folder without sources is skipped, so that libraries can land one by one.
#
#   hyla_library(NAME syntax [MODULE] DEPS diag [LINK fmt::fmt] [TEST_LINK fmt::fmt] [PCH HEADER...] [TEST_PCH HEADER...])
#     src/syntax/*.cpp         static library hyla_syntax; with MODULE build/libhyla_syntax.so, see below
#     src/syntax/*_test.cpp    one GoogleTest program syntax_test, one ctest entry, run in the repository's root
#     src/syntax/*testing.cpp  what its tests share
#     src/syntax/x_fuzzer.cpp  x_fuzzer: a libFuzzer program with HYLA_FUZZ; otherwise a test that replays its corpus
#   hyla_app(NAME hyla DEPS service [LINK CLI11::CLI11])
#     apps/hyla/*.cpp          executable build/hyla
#
# DEPS are libraries of the project, held to tools/layers.toml by a test; LINK is third-party code. PCH and TEST_PCH are
# headers that most files of a large library, or of its tests, read: they are precompiled. Files include what they use
# all the same.
#
# A MODULE is loaded by programs while they run and stands beside them. It has the headers of its DEPS but none of their
# code, which is the program's; who depends on it has it built first and is not linked with it.

function(hyla_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "MODULE" "NAME" "DEPS;LINK;TEST_LINK;PCH;TEST_PCH")
  set(target hyla_${arg_NAME})
  file(GLOB headers CONFIGURE_DEPENDS *.h)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  file(GLOB tests CONFIGURE_DEPENDS *_test.cpp *testing.cpp)
  file(GLOB fuzzers CONFIGURE_DEPENDS *_fuzzer.cpp)
  if(tests OR fuzzers)
    list(REMOVE_ITEM sources ${tests} ${fuzzers})
  endif()
  if(NOT headers AND NOT sources)
    message(STATUS "src/${arg_NAME} has no sources yet: skipped")
    return()
  endif()

  if(arg_MODULE)
    hyla_module(${target} ${sources})
    target_link_libraries(${target} PRIVATE ${arg_LINK})
    list(TRANSFORM arg_DEPS PREPEND hyla_)
    list(APPEND arg_TEST_LINK ${arg_DEPS})
  else()
    hyla_static(${target} "${sources}" "${arg_DEPS}" "${arg_LINK}")
  endif()

  if(arg_PCH)
    target_precompile_headers(${target} PRIVATE ${arg_PCH})
  endif()

  if(tests AND NOT HYLA_FUZZ)
    hyla_unit_test(${arg_NAME}_test ${target} "${tests}" "${arg_TEST_LINK}")
    target_precompile_headers(${arg_NAME}_test PRIVATE <gtest/gtest.h> ${arg_TEST_PCH})
  endif()
  foreach(fuzzer IN LISTS fuzzers)
    hyla_fuzzer(${fuzzer} ${target})
  endforeach()
endfunction()

# A library without sources has headers alone.
function(hyla_static target sources deps links)
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE hyla_options)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}/src")
  hyla_link_deps(${target} ${scope} ${deps})
  target_link_libraries(${target} ${scope} ${links})
endfunction()

function(hyla_module target)
  add_library(${target} SHARED ${ARGN})
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
    CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF)  # its tests are linked with it
  target_link_libraries(${target} PRIVATE hyla_options)
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  if(NOT HYLA_SANITIZE AND NOT HYLA_FUZZ)
    target_link_options(${target} PRIVATE -Wl,-z,defs)  # what is missing shows here and not in a run
  endif()
  foreach(folder bin bench)  # where other programs stand
    add_custom_command(TARGET ${target} POST_BUILD
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/${folder}"
      COMMAND "${CMAKE_COMMAND}" -E create_symlink "../$<TARGET_FILE_NAME:${target}>"
              "${PROJECT_BINARY_DIR}/${folder}/$<TARGET_FILE_NAME:${target}>"
      VERBATIM)
  endforeach()
endfunction()

function(hyla_app)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "DEPS;LINK")
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  if(NOT sources)
    message(STATUS "apps/${arg_NAME} has no sources yet: skipped")
    return()
  endif()
  add_executable(${arg_NAME} ${sources})
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  target_compile_definitions(${arg_NAME} PRIVATE HYLA_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${arg_NAME} PRIVATE hyla_options ${arg_LINK})
  hyla_link_deps(${arg_NAME} PRIVATE ${arg_DEPS})
endfunction()

# Links the project's libraries `deps` that exist by now.
function(hyla_link_deps target scope)
  foreach(dep IN LISTS ARGN)
    if(TARGET hyla_${dep})
      get_target_property(type hyla_${dep} TYPE)
      if(type STREQUAL "SHARED_LIBRARY")
        add_dependencies(${target} hyla_${dep})
      else()
        target_link_libraries(${target} ${scope} hyla_${dep})
      endif()
    elseif(NOT dep IN_LIST HYLA_LIBRARIES)
      message(FATAL_ERROR "${target} depends on `${dep}`, which is not in HYLA_LIBRARIES")
    endif()
  endforeach()
endfunction()

function(hyla_unit_test name library sources links)
  add_executable(${name} ${sources})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  target_link_libraries(${name} PRIVATE hyla_options ${library} ${links} GTest::gtest_main)
  target_compile_options(${name} PRIVATE -O1)  # the library's speed counts, not the test's; compiles a fifth faster
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1 WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
endfunction()

function(hyla_fuzzer source library)
  cmake_path(GET source STEM name)
  string(REGEX REPLACE "_fuzzer$" "" corpus ${name})
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE hyla_options ${library})
  if(HYLA_FUZZ)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
    target_sources(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/fuzz/replay.cpp")
    add_test(NAME ${name}_replay COMMAND ${name} tests/fuzz/corpus/${corpus} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  endif()
endfunction()
