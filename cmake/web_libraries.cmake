# The libraries of the browser build. Shapes have 64 bits here too, so that the same checks apply as
# on the desktop.
include(cmake/own_libraries.cmake)
add_compile_definitions("EIGEN_DEFAULT_DENSE_INDEX_TYPE=long long")

# Eigen has no code for WebAssembly's vectors, but emscripten translates SSE to them (-msimd128
# -msse4.1). This copy of Eigen leaves out assembler that works around a bug of GCC before 6.3
# (clang identifies as GCC 4.2), and an MMX header, which emscripten lacks and Eigen does not need.
set(eigen ${PROJECT_BINARY_DIR}/headers/eigen)
if(NOT EXISTS ${eigen}/mmintrin.h)
  file(COPY /usr/include/eigen3/Eigen DESTINATION ${eigen})
  set(packets ${eigen}/Eigen/src/Core/arch/SSE/PacketMath.h)
  file(READ ${packets} text)
  string(REPLACE "#if EIGEN_COMP_GNUC && EIGEN_COMP_GNUC < 63" "#if 0" text "${text}")
  file(WRITE ${packets} "${text}")
  file(WRITE ${eigen}/mmintrin.h "#pragma once\n")
endif()
add_library(headlight_own_eigen INTERFACE)
target_include_directories(headlight_own_eigen SYSTEM INTERFACE ${eigen})
add_library(headlight::eigen ALIAS headlight_own_eigen)

# emscripten provides OpenGL ES, and the browser replaces GLFW.
headlight_own_none(gl glfw)
