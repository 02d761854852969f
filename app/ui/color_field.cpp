#include "ui/color_field.h"

#include <algorithm>

namespace headlight::ui {

namespace {

ImVec4 pure(float hue) {
    ImVec4 color{0, 0, 0, 1};
    ImGui::ColorConvertHSVtoRGB(hue, 1, 1, color.x, color.y, color.z);
    return color;
}

ImVec4 blend(const ImVec4& a, const ImVec4& b, float t) {
    return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t, 1};
}

const ImVec4 kWhite{1, 1, 1, 1}, kBlack{0, 0, 0, 1};

ImVec4 color_at(float across, float down) {
    return down < 0.5F ? blend(kWhite, pure(across), down * 2)
                       : blend(pure(across), kBlack, down * 2 - 1);
}

// The position of a fully saturated color; for a grayish one the nearest position.
ImVec2 place_of(const ImVec4& c) {
    float hue = 0, saturation = 0, value = 0;
    ImGui::ColorConvertRGBtoHSV(c.x, c.y, c.z, hue, saturation, value);
    const float lightness = value * (1 - saturation / 2);
    return {hue, 1 - lightness};
}

void draw_field(Canvas& canvas, const Rect& rect) {
    constexpr int kSteps = 36;  // hue steps
    const float middle = rect.center().y;
    const auto corner = [](const ImVec4& c) { return ImGui::ColorConvertFloat4ToU32(c); };
    const ImU32 white = corner(kWhite), black = corner(kBlack);
    for (int i = 0; i < kSteps; ++i) {
        const float left = static_cast<float>(i) / kSteps,
                    right = static_cast<float>(i + 1) / kSteps;
        const float x = rect.x + left * rect.w, end = rect.x + right * rect.w;
        const ImU32 a = corner(pure(left)), b = corner(pure(right));
        canvas.gradient({{x, rect.y, end - x, middle - rect.y}, white, white, b, a});
        canvas.gradient({{x, middle, end - x, rect.y + rect.h - middle}, a, b, black, black});
    }
}

}  // namespace

Slid color_field(Context& ui, const std::string& name, const Rect& rect, ImVec4& color) {
    const Interaction state = interact(ui, name, rect);
    Slid slid;
    slid.released = state.released;
    if (state.held) {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        color = color_at(std::clamp((mouse.x - rect.x) / rect.w, 0.0F, 1.0F),
                         std::clamp((mouse.y - rect.y) / rect.h, 0.0F, 1.0F));
        slid.changed = true;
    }
    Canvas canvas(ui);
    draw_field(canvas, rect);
    canvas.outline(rect, ui.colors().border);
    const ImVec2 place = place_of(color);
    const ImVec2 at{rect.x + place.x * rect.w, rect.y + place.y * rect.h};
    canvas.circle(at, ui.px(6), ImGui::ColorConvertFloat4ToU32(color));
    canvas.circle(at, ui.px(6), IM_COL32_BLACK, ui.px(3));
    canvas.circle(at, ui.px(6), IM_COL32_WHITE, ui.px(1.5F));
    return slid;
}

}  // namespace headlight::ui
