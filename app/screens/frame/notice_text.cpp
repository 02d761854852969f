#include "frame/notice_text.h"

#include <algorithm>
#include <cmath>

#include "kernels/counted.h"
#include "ui/controls.h"

namespace headlight::screens {

namespace {

constexpr ui::TextStyle kWords{.size = ui::Size::body};
constexpr ui::TextStyle kCode{.face = ui::Face::mono, .size = ui::Size::body};

float button_tall(ui::Context& ui) { return ui.line(ui::Size::small) + ui.px(8); }
float code_width(ui::Context& ui, float width) { return width - ui.px(24); }

// The first lines of code; the button copies all of it.
std::string shown_code(std::string_view code) {
    constexpr std::size_t kMostLines = 3;
    std::size_t end = 0;
    for (std::size_t line = 0; line < kMostLines; ++line) {
        end = code.find('\n', end);
        if (end == std::string_view::npos) return std::string(code);
        ++end;
    }
    const auto more = std::ranges::count(code.substr(end), '\n') + 1;
    return std::string(code.substr(0, end)) + "… and " + counted(more, "more line");
}

}  // namespace

NoticeText notice_text(std::string_view text) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {text, {}};
    return {text.substr(0, end), text.substr(end + 1)};
}

float notice_width(ui::Context& ui, const NoticeText& text) {
    const ui::Canvas canvas(ui);
    constexpr float kEndless = 1e6F;
    const float words = canvas.measure_wrapped(text.sentence, kWords, kEndless).x;
    if (text.code.empty()) return std::ceil(words) + 1;
    const float code = canvas.measure_wrapped(shown_code(text.code), kCode, kEndless).x;
    return std::ceil(std::max(words, code + ui.px(24))) + 1;
}

float notice_height(ui::Context& ui, const NoticeText& text, float width) {
    const ui::Canvas canvas(ui);
    const float words = canvas.measure_wrapped(text.sentence, kWords, width).y;
    if (text.code.empty()) return words;
    const float code =
        canvas.measure_wrapped(shown_code(text.code), kCode, code_width(ui, width)).y;
    return words + ui.px(8) + code + ui.px(16) + ui.px(8) + button_tall(ui);
}

void draw_notice(ui::Context& ui, const ui::Rect& rect, const NoticeText& text) {
    ui::Canvas canvas(ui);
    ui::Layout rest(ui, rect);
    rest.paragraph(text.sentence, kWords);
    if (text.code.empty()) return;
    rest.skip_top(8);
    const float width = code_width(ui, rect.w);
    const ui::Rect box =
        rest.top(canvas.measure_wrapped(shown_code(text.code), kCode, width).y + ui.px(16), 8);
    canvas.fill(box, ui.colors().background, ui.px(6));
    canvas.wrapped(box.inset(ui.px(12), ui.px(8)), shown_code(text.code), kCode);
    // Stored as long as the notice is shown, in the ImGui window that draws it.
    bool& copied = *ImGui::GetStateStorage()->GetBoolRef(
        ImGui::GetID(text.code.data(), text.code.data() + text.code.size()));
    const char* label = copied ? "Copied" : "Copy all lines";
    ui::Layout row = rest.top(button_tall(ui));
    if (row.button_left("notice.copy", label)) {
        ImGui::SetClipboardText(std::string(text.code).c_str());
        copied = true;
    }
}

}  // namespace headlight::screens
