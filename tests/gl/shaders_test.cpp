// The shaders use the common subset of GLSL 330 and GLSL ES 300. The renderer's tests compile them
// as the first; here a desktop driver that also supports the second (ARB_ES3_compatibility)
// compiles them as that.
#include <array>
#include <fstream>
#include <sstream>
#include <string>

#include "gl_test.h"
#include "tests/source_path.h"

namespace headlight::gl::shaders_test {
namespace {

class ShadersTest : public GlTest {};

std::string log_as_es(const std::string& file, GLenum stage, const std::string& defined = "") {
    std::ifstream input(source_path("shaders/") + file);
    std::stringstream text;
    text << "#version 300 es\n"
            "precision highp float;\nprecision highp int;\n"
            "precision highp sampler2D;\nprecision highp isampler2D;\n"
         << defined << input.rdbuf();
    const std::string source = text.str();
    const char* lines = source.c_str();
    const GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 1, &lines, nullptr);
    glCompileShader(shader);
    GLint compiled = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    std::array<char, 2000> log{};
    glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), nullptr, log.data());
    glDeleteShader(shader);
    return compiled == GL_TRUE ? "" : file + ": " + log.data();
}

TEST_F(ShadersTest, compile_as_es3) {
    if (!epoxy_has_gl_extension("GL_ARB_ES3_compatibility")) {
        GTEST_SKIP() << "this driver reads no GLSL ES";
    }
    EXPECT_EQ(log_as_es("screen.vert", GL_VERTEX_SHADER), "");
    for (const char curve : {'0', '1', '2'})
        for (const char shows : {'0', '1', '2'}) {
            const std::string defined =
                std::string("#define CURVE ") + curve + "\n#define SHOWS " + shows + "\n";
            EXPECT_EQ(log_as_es("heatmap.frag", GL_FRAGMENT_SHADER, defined), "") << defined;
        }
}

}  // namespace
}  // namespace headlight::gl::shaders_test
