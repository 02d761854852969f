# Every library that we do not write ourselves, under one name each. All come from the system.
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.7 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(EPOXY REQUIRED IMPORTED_TARGET epoxy)
pkg_check_modules(GLFW REQUIRED IMPORTED_TARGET glfw3)
find_path(GLM_INCLUDE glm/vec3.hpp REQUIRED)
find_path(STB_INCLUDE stb_image.h PATH_SUFFIXES stb REQUIRED)
find_path(IMGUI_INCLUDE imgui.h PATH_SUFFIXES imgui REQUIRED)
find_library(IMGUI_LIBRARY imgui REQUIRED)
# Debian's Dear ImGui leaves its font reading to the system's stb.
find_library(STB_LIBRARY stb REQUIRED)

# SYSTEM: our warnings are for our code.
function(headlight_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "INCLUDE;LINK")
  string(REPLACE "::" "_lib_" target ${name})
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${arg_INCLUDE})
  target_link_libraries(${target} INTERFACE ${arg_LINK})
  add_library(${name} ALIAS ${target})
endfunction()

headlight_library(headlight::eigen LINK Eigen3::Eigen)
# We split work ourselves (kernels/parallel.h); Eigen's own threads would change with each file's flags.
target_compile_definitions(headlight_lib_eigen INTERFACE EIGEN_DONT_PARALLELIZE)
# GCC 12 warns about its own AVX-512 headers wherever Eigen uses them (GCC bug 105593).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(headlight_lib_eigen INTERFACE -Wno-maybe-uninitialized -Wno-uninitialized)
endif()
# Not needed, but faster at large products (kernels/product.h). It splits work with OpenMP unless told
# not to.
find_path(ONEDNN_INCLUDE dnnl.hpp)
find_library(ONEDNN_LIBRARY dnnl)
find_package(OpenMP COMPONENTS CXX QUIET)
if(HEADLIGHT_ONEDNN AND ONEDNN_INCLUDE AND ONEDNN_LIBRARY AND OpenMP_CXX_FOUND)
  headlight_library(headlight::onednn INCLUDE ${ONEDNN_INCLUDE} LINK ${ONEDNN_LIBRARY} OpenMP::OpenMP_CXX)
  target_compile_definitions(headlight_lib_onednn INTERFACE HEADLIGHT_ONEDNN)
else()
  headlight_library(headlight::onednn)
  message(STATUS "Without oneDNN (libdnnl-dev): Eigen computes every product")
endif()
headlight_library(headlight::stb INCLUDE ${STB_INCLUDE})
headlight_library(headlight::glm INCLUDE ${GLM_INCLUDE})
headlight_library(headlight::gl LINK PkgConfig::EPOXY)
headlight_library(headlight::glfw LINK PkgConfig::GLFW)
headlight_library(headlight::imgui INCLUDE ${IMGUI_INCLUDE} ${IMGUI_INCLUDE}/backends
  LINK ${IMGUI_LIBRARY} ${STB_LIBRARY} PkgConfig::GLFW ${CMAKE_DL_LIBS})
