#pragma once

// Includes OpenGL for the whole program: the 3.3 core profile, or OpenGL ES 3.0 (WebGL 2) in the
// browser.
#if defined(__EMSCRIPTEN__)
#include <GLES3/gl3.h>
#else
#include <epoxy/gl.h>
#endif

namespace headlight::gl {

// The first line of every shader, and the pixel format of a window.
#if defined(__EMSCRIPTEN__)
inline constexpr char kGlslVersion[] = "#version 300 es\n";
// In ES, fragment shaders have no default float precision, and samplers only 16 bits.
inline constexpr char kGlslPrecision[] =
    "precision highp float;\nprecision highp int;\n"
    "precision highp sampler2D;\nprecision highp isampler2D;\n";
inline constexpr GLenum kWindowFormat = GL_RGBA;
#else
inline constexpr char kGlslVersion[] = "#version 330 core\n";
inline constexpr char kGlslPrecision[] = "";
inline constexpr GLenum kWindowFormat = GL_BGRA;  // copying to a window then needs no conversion
#endif

inline constexpr bool kBlueFirst = kWindowFormat != GL_RGBA;

}  // namespace headlight::gl
