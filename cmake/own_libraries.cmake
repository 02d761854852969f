# Libraries compiled with the program because Debian has none for the target system, with the target
# names of libraries.cmake. `./dev web` and `./dev windows` unpack Debian's sources to
# HEADLIGHT_SOURCES. Header-only libraries come from /usr/include, each through a folder of its own:
# /usr/include itself must not be in the search path, because the compiler has its own C library.
set(HEADLIGHT_SOURCES "" CACHE PATH "Folder with the sources of libraries")

enable_language(C)
find_package(Threads REQUIRED)
add_compile_definitions(EIGEN_DONT_PARALLELIZE)

# The folder with the sources of a library.
function(headlight_sources variable name)
  if(NOT IS_DIRECTORY ${HEADLIGHT_SOURCES}/${name})
    message(FATAL_ERROR "No sources of ${name} in “${HEADLIGHT_SOURCES}”. ./dev web and ./dev windows fetch them.")
  endif()
  set(${variable} ${HEADLIGHT_SOURCES}/${name} PARENT_SCOPE)
endfunction()

# A header-only library in /usr/include/ENTRY…
function(headlight_own_headers target)
  set(folder ${PROJECT_BINARY_DIR}/headers/${target})
  file(MAKE_DIRECTORY ${folder})
  foreach(entry IN LISTS ARGN)
    if(NOT EXISTS /usr/include/${entry})
      message(FATAL_ERROR "/usr/include/${entry} is missing. ./dev web and ./dev windows install it.")
    endif()
    file(CREATE_LINK /usr/include/${entry} ${folder}/${entry} SYMBOLIC)
  endforeach()
  add_library(headlight_own_${target} INTERFACE)
  target_include_directories(headlight_own_${target} SYSTEM INTERFACE ${folder})
endfunction()

# A library compiled from source, without our warnings.
function(headlight_own_library target includes)
  add_library(headlight_own_${target} STATIC ${ARGN})
  target_include_directories(headlight_own_${target} SYSTEM PUBLIC ${includes})
  target_compile_options(headlight_own_${target} PRIVATE -w)
endfunction()

headlight_own_headers(json nlohmann)
add_library(nlohmann_json::nlohmann_json ALIAS headlight_own_json)
headlight_own_headers(cli11 CLI)
add_library(CLI11::CLI11 ALIAS headlight_own_cli11)
headlight_own_headers(glm glm)
add_library(headlight::glm ALIAS headlight_own_glm)
headlight_own_headers(stb stb)
target_include_directories(headlight_own_stb SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/headers/stb/stb)
add_library(headlight::stb ALIAS headlight_own_stb)

headlight_sources(fmt fmtlib)
headlight_own_library(fmt ${fmt}/include ${fmt}/src/format.cc)
add_library(fmt::fmt ALIAS headlight_own_fmt)

headlight_sources(zlib zlib)
file(GLOB sources ${zlib}/*.c)
headlight_own_library(zlib ${zlib} ${sources})
target_compile_definitions(headlight_own_zlib PRIVATE Z_HAVE_UNISTD_H)
add_library(ZLIB::ZLIB ALIAS headlight_own_zlib)

headlight_sources(md4c md4c)
headlight_own_library(md4c ${md4c}/src ${md4c}/src/md4c.c)
target_compile_definitions(headlight_own_md4c PRIVATE MD4C_USE_UTF8)
add_library(headlight::md4c ALIAS headlight_own_md4c)

# Its own CMake detects what it needs to know about the compiler. BUILD would otherwise be the build
# date.
include(ExternalProject)
headlight_sources(jpeg libjpeg-turbo)
set(jpeg_build ${PROJECT_BINARY_DIR}/libjpeg-turbo)
ExternalProject_Add(headlight_own_jpeg_build SOURCE_DIR ${jpeg} BINARY_DIR ${jpeg_build} INSTALL_COMMAND ""
  CMAKE_ARGS -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr
    "-DCMAKE_C_FLAGS=${CMAKE_C_FLAGS}" -DBUILD=0
    -DWITH_SIMD=OFF -DWITH_TURBOJPEG=OFF -DENABLE_SHARED=OFF
  BUILD_COMMAND ${CMAKE_COMMAND} --build . --target jpeg-static
  BUILD_BYPRODUCTS ${jpeg_build}/libjpeg.a)
add_library(headlight_own_jpeg INTERFACE)
target_include_directories(headlight_own_jpeg SYSTEM INTERFACE ${jpeg} ${jpeg_build})
target_link_libraries(headlight_own_jpeg INTERFACE ${jpeg_build}/libjpeg.a)
add_dependencies(headlight_own_jpeg headlight_own_jpeg_build)
add_library(headlight::jpeg ALIAS headlight_own_jpeg)

headlight_sources(imgui imgui)
headlight_own_library(imgui "${imgui};${imgui}/backends" ${imgui}/imgui.cpp ${imgui}/imgui_draw.cpp
  ${imgui}/imgui_tables.cpp ${imgui}/imgui_widgets.cpp ${imgui}/backends/imgui_impl_opengl3.cpp)
target_link_libraries(headlight_own_imgui PUBLIC headlight_own_stb)
add_library(headlight::imgui ALIAS headlight_own_imgui)

# Libraries that are optional and left out here, or that the system provides.
function(headlight_own_none)
  foreach(name IN LISTS ARGN)
    add_library(headlight_own_${name} INTERFACE)
    add_library(headlight::${name} ALIAS headlight_own_${name})
  endforeach()
endfunction()
headlight_own_none(onednn webp tiff avif heic curl crypto)
