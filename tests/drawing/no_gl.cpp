#include "no_gl.h"

#include <algorithm>

#include "gl/api.h"

namespace headlight::testing {
namespace {

// libepoxy calls OpenGL through pointers that it sets on first use; here they are set in advance.
template <class Function>
struct Nothing;
template <class Result, class... Args>
struct Nothing<Result (*)(Args...)> {
    static Result done(Args... /*unused*/) { return Result(); }
};

template <class... Functions>
void ignore(Functions&... functions) {
    ((functions = Nothing<Functions>::done), ...);
}

void make_names(GLsizei count, GLuint* names) {
    static GLuint last = 0;
    for (GLsizei i = 0; i < count; ++i) names[i] = ++last;
}

void get_integers(GLenum what, GLint* values) {
    std::fill_n(values, what == GL_VIEWPORT ? 4 : 1, what == GL_MAX_TEXTURE_SIZE ? 4096 : 0);
}

void get_booleans(GLenum what, GLboolean* values) {
    std::fill_n(values, what == GL_COLOR_WRITEMASK ? 4 : 1, GLboolean{GL_TRUE});
}

}  // namespace

void use_no_gl() {
    ignore(glActiveTexture, glAttachShader, glBindBuffer, glBindFramebuffer, glBindSampler,
           glBindTexture, glBindVertexArray, glColorMask, glCompileShader, glDeleteFramebuffers,
           glDeleteProgram, glDeleteShader, glDeleteTextures, glDeleteVertexArrays, glDetachShader,
           glDisable, glDrawArrays, glEnable, glFramebufferTexture2D, glGenerateMipmap,
           glGetUniformLocation, glIsEnabled, glLinkProgram, glPixelStorei, glShaderSource,
           glTexImage2D, glTexParameteri, glUniform1f, glUniform1i, glUniform2f, glUniform3fv,
           glUseProgram, glViewport);
    glGenTextures = glGenFramebuffers = glGenVertexArrays = make_names;
    glGetIntegerv = get_integers;
    glGetBooleanv = get_booleans;
    glCreateProgram = [] { return GLuint{1}; };
    glCreateShader = [](GLenum) { return GLuint{1}; };
    glGetShaderiv = glGetProgramiv = [](GLuint, GLenum, GLint* good) { *good = GL_TRUE; };
    glCheckFramebufferStatus = [](GLenum) { return GLenum{GL_FRAMEBUFFER_COMPLETE}; };
}

}  // namespace headlight::testing
