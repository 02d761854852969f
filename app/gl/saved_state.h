#pragma once

#include <array>
#include <cstdint>

// OpenGL's state is global, and Dear ImGui draws in the same context. The destructors of these
// classes restore what our code changes.
namespace headlight::gl {

// For uploads: saves the texture bound to the active unit and the pixel unpack settings. Sets
// tightly packed rows and unbinds the pixel buffer.
class SavedUploadState {
  public:
    SavedUploadState();
    ~SavedUploadState();
    SavedUploadState(const SavedUploadState&) = delete;
    SavedUploadState& operator=(const SavedUploadState&) = delete;

  private:
    std::int32_t texture_ = 0, buffer_ = 0;
    std::array<std::int32_t, 4> layout_{};
};

// For drawing with textures in units 0 .. kUnits-1. Turns off blending, and all tests and masks.
class SavedDrawState {
  public:
    static constexpr int kUnits = 3;

    SavedDrawState();
    ~SavedDrawState();
    SavedDrawState(const SavedDrawState&) = delete;
    SavedDrawState& operator=(const SavedDrawState&) = delete;

  private:
    static constexpr int kSwitches = 6;

    std::int32_t framebuffer_ = 0, program_ = 0, vertex_array_ = 0, active_unit_ = 0;
    std::array<std::int32_t, 4> viewport_{};
    std::array<std::int32_t, kUnits> textures_{}, samplers_{};
    std::array<std::uint8_t, kSwitches> switches_{};
    std::array<std::uint8_t, 4> color_mask_{};
};

}  // namespace headlight::gl
