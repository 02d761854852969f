#pragma once

// Dear ImGui 1.86 (Debian 12) to 1.90 (Debian 13) and later, as one: every difference that we meet
// is settled here, and nowhere else.
#include <imgui.h>

#include <cstdint>

#if IMGUI_VERSION_NUM < 18600
#error "Dear ImGui 1.86 or newer is needed"
#endif

namespace headlight::ui {

inline ImTextureID texture_id(std::uint32_t name) {
    // A pointer until 1.91.4, a number afterwards; this cast is right for both.
    return (ImTextureID) static_cast<std::intptr_t>(name);  // NOLINT
}

}  // namespace headlight::ui
