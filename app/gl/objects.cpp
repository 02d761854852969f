#include "gl/objects.h"

#include <stdexcept>
#include <string>

#include "gl/api.h"

namespace headlight::gl {
namespace {

// GetLength and GetLog: glGetShaderiv and glGetShaderInfoLog, or the same for programs. They
// are macros of the loader, hence passed as values.
template <typename GetLength, typename GetLog>
std::string log_of(GLuint id, GetLength get_length, GetLog get_log) {
    GLint length = 0;
    get_length(id, GL_INFO_LOG_LENGTH, &length);
    std::string log(static_cast<std::size_t>(length), '\0');
    GLsizei written = 0;
    get_log(id, length, &written, log.data());
    log.resize(static_cast<std::size_t>(written));
    return log;
}

Shader compile(std::string_view name, GLenum stage, std::string_view source) {
    Shader shader(glCreateShader(stage));
    // A negative length means zero-terminated.
    const GLchar* parts[] = {kGlslVersion, kGlslPrecision, source.data()};
    const GLint lengths[] = {-1, -1, static_cast<GLint>(source.size())};
    glShaderSource(shader.id(), 3, parts, lengths);
    glCompileShader(shader.id());
    GLint compiled = GL_FALSE;
    glGetShaderiv(shader.id(), GL_COMPILE_STATUS, &compiled);
    if (compiled != GL_TRUE) {
        const std::string log = log_of(shader.id(), glGetShaderiv, glGetShaderInfoLog);
        throw std::runtime_error(std::string(name) +
                                 (stage == GL_VERTEX_SHADER ? ": vertex" : ": fragment") +
                                 " shader does not compile: " + log);
    }
    return shader;
}

}  // namespace

void delete_texture(std::uint32_t id) { glDeleteTextures(1, &id); }
void delete_framebuffer(std::uint32_t id) { glDeleteFramebuffers(1, &id); }
void delete_vertex_array(std::uint32_t id) { glDeleteVertexArrays(1, &id); }
void delete_program(std::uint32_t id) { glDeleteProgram(id); }
void delete_shader(std::uint32_t id) { glDeleteShader(id); }

Texture make_texture() {
    GLuint id = 0;
    glGenTextures(1, &id);
    glBindTexture(GL_TEXTURE_2D, id);
    // Without mipmaps the default filter would leave the texture incomplete: all fetches zero.
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return Texture(id);
}

Framebuffer make_framebuffer() {
    GLuint id = 0;
    glGenFramebuffers(1, &id);
    return Framebuffer(id);
}

VertexArray make_vertex_array() {
    GLuint id = 0;
    glGenVertexArrays(1, &id);
    return VertexArray(id);
}

Program make_program(std::string_view name, std::string_view vertex, std::string_view fragment) {
    const Shader stages[] = {compile(name, GL_VERTEX_SHADER, vertex),
                             compile(name, GL_FRAGMENT_SHADER, fragment)};
    Program program(glCreateProgram());
    for (const Shader& stage : stages) {
        glAttachShader(program.id(), stage.id());
    }
    glLinkProgram(program.id());
    for (const Shader& stage : stages) {
        glDetachShader(program.id(), stage.id());
    }
    GLint linked = GL_FALSE;
    glGetProgramiv(program.id(), GL_LINK_STATUS, &linked);
    if (linked != GL_TRUE) {
        const std::string log = log_of(program.id(), glGetProgramiv, glGetProgramInfoLog);
        throw std::runtime_error(std::string(name) + ": shaders do not link: " + log);
    }
    return program;
}

std::int32_t uniform(const Program& program, const char* name) {
    const GLint place = glGetUniformLocation(program.id(), name);
    if (place < 0) {
        throw std::logic_error(std::string("no uniform ") + name);
    }
    return place;
}

}  // namespace headlight::gl
