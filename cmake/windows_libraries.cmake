# The libraries of the build for Windows, made by mingw-w64 on Debian (`./dev windows`).
include(cmake/own_libraries.cmake)

add_library(headlight_own_eigen INTERFACE)
target_include_directories(headlight_own_eigen SYSTEM INTERFACE /usr/include/eigen3)
add_library(headlight::eigen ALIAS headlight_own_eigen)

# Its build needs Meson, but for Windows that only generates the dispatch tables of GL and WGL.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
headlight_sources(epoxy libepoxy)
set(made ${PROJECT_BINARY_DIR}/libepoxy)
file(WRITE ${made}/src/config.h "#define EPOXY_PUBLIC extern\n")
foreach(api gl wgl)
  add_custom_command(OUTPUT ${made}/src/${api}_generated_dispatch.c ${made}/include/epoxy/${api}_generated.h
    COMMAND ${Python3_EXECUTABLE} ${epoxy}/src/gen_dispatch.py --source --no-header --outputdir=${made}/src ${epoxy}/registry/${api}.xml
    COMMAND ${Python3_EXECUTABLE} ${epoxy}/src/gen_dispatch.py --header --no-source --outputdir=${made}/include/epoxy ${epoxy}/registry/${api}.xml
    DEPENDS ${epoxy}/src/gen_dispatch.py ${epoxy}/registry/${api}.xml)
endforeach()
file(MAKE_DIRECTORY ${made}/include/epoxy)
headlight_own_library(epoxy "${epoxy}/include;${made}/include"
  ${epoxy}/src/dispatch_common.c ${epoxy}/src/dispatch_wgl.c ${made}/src/gl_generated_dispatch.c
  ${made}/src/wgl_generated_dispatch.c ${made}/include/epoxy/gl_generated.h ${made}/include/epoxy/wgl_generated.h)
target_include_directories(headlight_own_epoxy PRIVATE ${made}/src ${epoxy}/src)
target_link_libraries(headlight_own_epoxy PUBLIC opengl32 gdi32)
add_library(headlight::gl ALIAS headlight_own_epoxy)

headlight_sources(glfw glfw3)
file(GLOB sources ${glfw}/src/win32_*.c ${glfw}/src/null_*.c)
foreach(file context init input monitor platform vulkan window egl_context osmesa_context wgl_context)
  list(APPEND sources ${glfw}/src/${file}.c)
endforeach()
headlight_own_library(glfw ${glfw}/include ${sources})
target_compile_definitions(headlight_own_glfw PRIVATE _GLFW_WIN32 UNICODE _UNICODE WINVER=0x0601)
target_link_libraries(headlight_own_glfw PUBLIC gdi32)
add_library(headlight::glfw ALIAS headlight_own_glfw)

# Replaces libcurl and OpenSSL.
target_link_libraries(headlight_own_curl INTERFACE winhttp)
target_link_libraries(headlight_own_crypto INTERFACE bcrypt)
