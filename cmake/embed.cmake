# Embeds files as C++ strings: after headlight_embed(shaders heatmap.frag),
# headlight::shaders::heatmap_frag is the file's content, declared in "shaders/sources.h". The same
# file is included by the project and run by the build (cmake -P).
if(CMAKE_SCRIPT_MODE_FILE)
  set(declarations "#pragma once\n\n#include <string_view>\n\nnamespace headlight::${NAME} {\n\n")
  set(definitions "#include \"${NAME}/sources.h\"\n\nnamespace headlight::${NAME} {\n\n")
  foreach(file ${FILES})
    get_filename_component(string ${file} NAME)
    string(MAKE_C_IDENTIFIER ${string} string)
    file(READ ${file} text)
    string(APPEND declarations "extern const std::string_view ${string};\n")
    string(APPEND definitions "const std::string_view ${string} = R\"embedded(${text})embedded\";\n\n")
  endforeach()
  file(WRITE ${DESTINATION}/sources.h "${declarations}\n}  // namespace headlight::${NAME}\n")
  file(WRITE ${DESTINATION}/sources.cpp "${definitions}}  // namespace headlight::${NAME}\n")
  return()
endif()

function(headlight_embed name)
  set(includes ${PROJECT_BINARY_DIR}/include/${name})
  set(output ${includes}/${name})
  file(MAKE_DIRECTORY ${output})
  add_custom_command(
    OUTPUT ${output}/sources.h ${output}/sources.cpp
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} "-DFILES=${ARGN}" -DDESTINATION=${output}
      -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${ARGN} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    COMMENT "Embedding ${name}"
    VERBATIM)
  add_library(headlight_${name} STATIC ${output}/sources.cpp ${output}/sources.h)
  target_include_directories(headlight_${name} PUBLIC ${includes})
  target_link_libraries(headlight_${name} PRIVATE headlight_warnings)
endfunction()

file(GLOB shaders CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/shaders/*.vert ${PROJECT_SOURCE_DIR}/shaders/*.frag)
headlight_embed(shaders ${shaders})
headlight_embed(classes ${PROJECT_SOURCE_DIR}/assets/classes/imagenet.txt)
