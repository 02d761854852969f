# The shaders as C++ strings: shaders/heatmap.frag becomes headlight::shaders::heatmap_frag, declared in
# "shaders/sources.h". The same file is included by the project and run by the build (cmake -P).
if(CMAKE_SCRIPT_MODE_FILE)
  set(declarations "#pragma once\n\n#include <string_view>\n\nnamespace headlight::shaders {\n\n")
  set(definitions "#include \"shaders/sources.h\"\n\nnamespace headlight::shaders {\n\n")
  foreach(file ${FILES})
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${name} name)
    file(READ ${file} text)
    string(APPEND declarations "extern const std::string_view ${name};\n")
    string(APPEND definitions "const std::string_view ${name} = R\"glsl(${text})glsl\";\n\n")
  endforeach()
  file(WRITE ${DESTINATION}/sources.h "${declarations}\n}  // namespace headlight::shaders\n")
  file(WRITE ${DESTINATION}/sources.cpp "${definitions}}  // namespace headlight::shaders\n")
  return()
endif()

file(GLOB shader_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/shaders/*.vert ${PROJECT_SOURCE_DIR}/shaders/*.frag)
set(shader_output ${PROJECT_BINARY_DIR}/include/shaders)
file(MAKE_DIRECTORY ${shader_output}/shaders)
add_custom_command(
  OUTPUT ${shader_output}/shaders/sources.h ${shader_output}/shaders/sources.cpp
  COMMAND ${CMAKE_COMMAND} "-DFILES=${shader_files}" -DDESTINATION=${shader_output}/shaders
    -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${shader_files} ${CMAKE_CURRENT_LIST_FILE}
  COMMENT "Embedding shaders"
  VERBATIM)
add_library(headlight_shaders STATIC ${shader_output}/shaders/sources.cpp ${shader_output}/shaders/sources.h)
target_include_directories(headlight_shaders PUBLIC ${shader_output})
target_link_libraries(headlight_shaders PRIVATE headlight_warnings)
