#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

// RAII owners of OpenGL objects. A default-constructed or moved-from one owns nothing.
namespace headlight::gl {

template <void (*Delete)(std::uint32_t)>
class Owned {
  public:
    Owned() = default;
    explicit Owned(std::uint32_t id) : id_(id) {}
    ~Owned() {
        if (id_ != 0) {
            Delete(id_);
        }
    }
    Owned(Owned&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
    Owned& operator=(Owned&& other) noexcept {
        std::swap(id_, other.id_);  // the other's destructor deletes our old object
        return *this;
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;

    [[nodiscard]] std::uint32_t id() const { return id_; }

  private:
    std::uint32_t id_ = 0;
};

void delete_texture(std::uint32_t id);
void delete_framebuffer(std::uint32_t id);
void delete_vertex_array(std::uint32_t id);
void delete_program(std::uint32_t id);
void delete_shader(std::uint32_t id);

using Texture = Owned<delete_texture>;
using Framebuffer = Owned<delete_framebuffer>;
using VertexArray = Owned<delete_vertex_array>;
using Program = Owned<delete_program>;
using Shader = Owned<delete_shader>;

// Leaves it bound to GL_TEXTURE_2D of the active unit; nearest filtering, clamped to the edge.
Texture make_texture();
Framebuffer make_framebuffer();
VertexArray make_vertex_array();

// The sources have no #version line and use the common subset of GLSL 330 and GLSL ES 300. Throws
// std::runtime_error with `name` and the driver's message.
Program make_program(std::string_view name, std::string_view vertex, std::string_view fragment);

// The uniform's location. Throws std::logic_error if the program has no such uniform.
std::int32_t uniform(const Program& program, const char* name);

}  // namespace headlight::gl
