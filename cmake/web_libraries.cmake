# The libraries of the browser build, under the names that libraries.cmake gives them. `./dev web` unpacks Debian's
# sources into HEADLIGHT_WEB_SOURCES. Libraries of headers come from /usr/include, each through a folder of its own:
# /usr/include itself must stay out of the search path, because emscripten has its own C library.
set(HEADLIGHT_WEB_SOURCES "" CACHE PATH "Folder with the sources of imgui, zlib, md4c, libjpeg-turbo and fmtlib")

enable_language(C)
find_package(Threads REQUIRED)
# Shapes have 64 bits here too, so that what is checked on the desktop is checked alike.
add_compile_definitions(EIGEN_DONT_PARALLELIZE "EIGEN_DEFAULT_DENSE_INDEX_TYPE=long long")

foreach(name imgui zlib md4c libjpeg-turbo fmtlib)
  if(NOT IS_DIRECTORY ${HEADLIGHT_WEB_SOURCES}/${name})
    message(FATAL_ERROR "No sources of ${name} in “${HEADLIGHT_WEB_SOURCES}”. Use ./dev web, which fetches them.")
  endif()
endforeach()

# A library of headers in /usr/include/ENTRY…
function(headlight_web_headers target)
  set(folder ${PROJECT_BINARY_DIR}/headers/${target})
  file(MAKE_DIRECTORY ${folder})
  foreach(entry IN LISTS ARGN)
    if(NOT EXISTS /usr/include/${entry})
      message(FATAL_ERROR "/usr/include/${entry} is missing. Use ./dev web, which installs it.")
    endif()
    file(CREATE_LINK /usr/include/${entry} ${folder}/${entry} SYMBOLIC)
  endforeach()
  add_library(headlight_web_${target} INTERFACE)
  target_include_directories(headlight_web_${target} SYSTEM INTERFACE ${folder})
endfunction()

# A library compiled from its sources, without our warnings.
function(headlight_web_library target includes)
  add_library(headlight_web_${target} STATIC ${ARGN})
  target_include_directories(headlight_web_${target} SYSTEM PUBLIC ${includes})
  target_compile_options(headlight_web_${target} PRIVATE -w)
endfunction()

# Eigen has no code for WebAssembly's vectors, but emscripten translates SSE to them (-msimd128 -msse4.1). This copy of
# Eigen leaves out assembler that works around a mistake of GCC before 6.3 (clang calls itself GCC 4.2), and an MMX
# header, which emscripten lacks and Eigen does not need.
set(eigen ${PROJECT_BINARY_DIR}/headers/eigen)
if(NOT EXISTS ${eigen}/mmintrin.h)
  file(COPY /usr/include/eigen3/Eigen DESTINATION ${eigen})
  set(packets ${eigen}/Eigen/src/Core/arch/SSE/PacketMath.h)
  file(READ ${packets} text)
  string(REPLACE "#if EIGEN_COMP_GNUC && EIGEN_COMP_GNUC < 63" "#if 0" text "${text}")
  file(WRITE ${packets} "${text}")
  file(WRITE ${eigen}/mmintrin.h "#pragma once\n")
endif()
add_library(headlight_web_eigen INTERFACE)
target_include_directories(headlight_web_eigen SYSTEM INTERFACE ${eigen})
add_library(headlight::eigen ALIAS headlight_web_eigen)
headlight_web_headers(json nlohmann)
add_library(nlohmann_json::nlohmann_json ALIAS headlight_web_json)
headlight_web_headers(cli11 CLI)
add_library(CLI11::CLI11 ALIAS headlight_web_cli11)
headlight_web_headers(glm glm)
add_library(headlight::glm ALIAS headlight_web_glm)
headlight_web_headers(stb stb)
target_include_directories(headlight_web_stb SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/headers/stb/stb)
add_library(headlight::stb ALIAS headlight_web_stb)

set(fmt ${HEADLIGHT_WEB_SOURCES}/fmtlib)
headlight_web_library(fmt ${fmt}/include ${fmt}/src/format.cc)
add_library(fmt::fmt ALIAS headlight_web_fmt)

set(zlib ${HEADLIGHT_WEB_SOURCES}/zlib)
file(GLOB sources ${zlib}/*.c)
headlight_web_library(zlib ${zlib} ${sources})
target_compile_definitions(headlight_web_zlib PRIVATE Z_HAVE_UNISTD_H)
add_library(ZLIB::ZLIB ALIAS headlight_web_zlib)

set(md4c ${HEADLIGHT_WEB_SOURCES}/md4c)
headlight_web_library(md4c ${md4c}/src ${md4c}/src/md4c.c)
target_compile_definitions(headlight_web_md4c PRIVATE MD4C_USE_UTF8)
add_library(headlight::md4c ALIAS headlight_web_md4c)

# Its own CMake finds out what it needs to know of the compiler.
include(ExternalProject)
set(jpeg ${HEADLIGHT_WEB_SOURCES}/libjpeg-turbo)
set(jpeg_build ${PROJECT_BINARY_DIR}/libjpeg-turbo)
ExternalProject_Add(headlight_web_jpeg_build SOURCE_DIR ${jpeg} BINARY_DIR ${jpeg_build} INSTALL_COMMAND ""
  CMAKE_ARGS -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE} -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS=${CMAKE_C_FLAGS}"
    -DWITH_SIMD=OFF -DWITH_TURBOJPEG=OFF -DENABLE_SHARED=OFF
  BUILD_COMMAND ${CMAKE_COMMAND} --build . --target jpeg-static
  BUILD_BYPRODUCTS ${jpeg_build}/libjpeg.a)
add_library(headlight_web_jpeg INTERFACE)
target_include_directories(headlight_web_jpeg SYSTEM INTERFACE ${jpeg} ${jpeg_build})
target_link_libraries(headlight_web_jpeg INTERFACE ${jpeg_build}/libjpeg.a)
add_dependencies(headlight_web_jpeg headlight_web_jpeg_build)
add_library(headlight::jpeg ALIAS headlight_web_jpeg)

set(imgui ${HEADLIGHT_WEB_SOURCES}/imgui)
headlight_web_library(imgui "${imgui};${imgui}/backends" ${imgui}/imgui.cpp ${imgui}/imgui_draw.cpp
  ${imgui}/imgui_tables.cpp ${imgui}/imgui_widgets.cpp ${imgui}/backends/imgui_impl_opengl3.cpp)
target_link_libraries(headlight_web_imgui PUBLIC headlight_web_stb)
add_library(headlight::imgui ALIAS headlight_web_imgui)

# emscripten has OpenGL ES, and the browser takes the place of GLFW. The other libraries are left out, as they can be
# on the desktop.
foreach(name gl glfw onednn webp tiff avif heic curl crypto)
  add_library(headlight_web_${name} INTERFACE)
  add_library(headlight::${name} ALIAS headlight_web_${name})
endforeach()
