# Puts files of the repository into a program.
#
#   hyla_embed(TARGET hyla_check SYMBOL hyla::check::standard_library FILES lib/*.hyla)
#
# adds a generated source to the target that defines
#
#   std::span<const hyla::base::EmbeddedFile> hyla::check::standard_library();
#
# with one entry per file, sorted by path. FILES are paths or patterns relative to the repository's root, as are the
# paths in the table. The target declares the function in a header of its own; base/embedded.h has the entry's type.
# The table is made again whenever a file changes, appears or goes. A target that does not exist yet is skipped.

function(hyla_embed)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;SYMBOL" "FILES")
  if(NOT TARGET ${arg_TARGET})
    return()
  endif()

  set(files "")
  foreach(pattern IN LISTS arg_FILES)
    file(GLOB found CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/${pattern}")
    if(NOT found AND NOT pattern MATCHES "[*?]")
      message(FATAL_ERROR "hyla_embed: no file ${pattern}")
    endif()
    list(APPEND files ${found})
  endforeach()
  list(REMOVE_DUPLICATES files)
  list(SORT files)

  string(REPLACE "::" "_" stem ${arg_SYMBOL})
  set(list_file "${CMAKE_CURRENT_BINARY_DIR}/${stem}.files")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${stem}.cpp")
  list(JOIN files "\n" lines)
  file(CONFIGURE OUTPUT "${list_file}" CONTENT "@lines@\n" @ONLY)

  set(script "${PROJECT_SOURCE_DIR}/tools/embed.py")
  list(TRANSFORM files PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE inputs)
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${HYLA_PYTHON}" "${script}" --root "${PROJECT_SOURCE_DIR}" --symbol ${arg_SYMBOL} --list "${list_file}"
            --output "${output}"
    DEPENDS "${script}" "${list_file}" ${inputs}
    COMMENT "Embedding files as ${arg_SYMBOL}"
    VERBATIM)
  set_source_files_properties("${output}" PROPERTIES COMPILE_OPTIONS "-Wno-overlength-strings")
  target_sources(${arg_TARGET} PRIVATE "${output}")
endfunction()
