#pragma once

// The one door to OpenGL: the 3.3 core profile here, OpenGL ES 3.0 (WebGL 2) in a browser build.
#if defined(__EMSCRIPTEN__)
#include <GLES3/gl3.h>
#else
#include <epoxy/gl.h>
#endif
