#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "gl/api.h"
#include "gl/colormap.h"
#include "gl/heatmap.h"

// After gl/api.h, because GLFW would include another OpenGL header.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace headlight::gl {

// A hidden window whose OpenGL 3.3 core context is current. Throws std::runtime_error if it cannot
// be created.
inline GLFWwindow* open_hidden_window() {
    if (glfwInit() != GLFW_TRUE) {
        throw std::runtime_error("GLFW does not start: is there a screen (xvfb-run)?");
    }
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, GLFW_TRUE);
    GLFWwindow* window = glfwCreateWindow(64, 64, "test", nullptr, nullptr);
    if (window == nullptr) {
        throw std::runtime_error("no OpenGL 3.3 core context");
    }
    glfwMakeContextCurrent(window);
    return window;
}

// One context for the whole program: an X server restarts when its last client disconnects, and
// would refuse a new window at that moment. Never closed, because an unloaded driver looks like a
// memory leak.
inline void need_context() {
    static GLFWwindow* const window = open_hidden_window();
    static_cast<void>(window);
}

struct Rgba {
    std::uint8_t r = 0, g = 0, b = 0, a = 0;
    friend bool operator==(const Rgba&, const Rgba&) = default;
};
inline constexpr Rgba kTransparent{};
inline Rgba opaque(Rgb color) { return {color.r, color.g, color.b, 255}; }

// The pixels of an RGBA8 texture, row 0 first.
inline std::vector<Rgba> read_texture(std::uint32_t texture, int width, int height) {
    std::vector<Rgba> pixels(static_cast<std::size_t>(width) * height);
    glBindTexture(GL_TEXTURE_2D, texture);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    glBindTexture(GL_TEXTURE_2D, 0);
    return pixels;
}

}  // namespace headlight::gl
