#pragma once

// The one door to OpenGL: the 3.3 core profile here, OpenGL ES 3.0 (WebGL 2) in a browser build.
#if defined(__EMSCRIPTEN__)
#include <GLES3/gl3.h>
#else
#include <epoxy/gl.h>
#endif

namespace headlight::gl {

// The first lines of every shader, and the format of pixels that a window holds.
#if defined(__EMSCRIPTEN__)
inline constexpr char kGlslVersion[] = "#version 300 es\n";
// ES gives the fragment stage no default precision for floats, and 16 bits to samplers.
inline constexpr char kGlslPrecision[] =
    "precision highp float;\nprecision highp int;\n"
    "precision highp sampler2D;\nprecision highp isampler2D;\n";
inline constexpr GLenum kWindowFormat = GL_RGBA;
#else
inline constexpr char kGlslVersion[] = "#version 330 core\n";
inline constexpr char kGlslPrecision[] = "";
inline constexpr GLenum kWindowFormat = GL_BGRA;  // so that copying to a window only copies
#endif

inline constexpr bool kBlueFirst = kWindowFormat != GL_RGBA;

}  // namespace headlight::gl
