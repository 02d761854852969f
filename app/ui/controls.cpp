#include "ui/controls.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/compat_internal.h"

namespace headlight::ui {

namespace {

constexpr float kFieldMargin = 6;  // units on either side of a field's text

void hand_cursor(const Interaction& state) {
    if (state.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
}

ImU32 button_fill(const Palette& colors, ButtonLook look, const Interaction& state) {
    if (look == ButtonLook::disabled) return 0;
    if (look == ButtonLook::marked) return with_alpha(colors.accent, state.hovered ? 0.2F : 0.1F);
    if (look == ButtonLook::filled)
        return state.hovered ? mix(colors.accent, colors.text, 0.15F) : colors.accent;
    if (state.held) return colors.border;
    if (state.hovered) return colors.hover;
    return look == ButtonLook::plain ? 0 : colors.card;
}

std::vector<std::string> words_or_names(const std::vector<std::string>& words,
                                        const std::vector<std::string_view>& names) {
    return words.empty() ? std::vector<std::string>(names.begin(), names.end()) : words;
}

constexpr float kListMargin = 4;  // units above and below the options of a list

float option_height(const Context& ui) { return ui.line(Size::small) + ui.px(8); }

// Scrolls as little as possible.
void scroll_to_option(Context& ui, int option, float height) {
    const float row = option_height(ui), margin = ui.px(kListMargin);
    const float top = row * static_cast<float>(option);
    if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
    if (const float most = top + row + 2 * margin - height; most > ImGui::GetScrollY())
        ImGui::SetScrollY(most);
    ui.ask_for_frame();
}

// The options of an open list, operated by mouse or by arrows and Enter; Escape closes it. It
// scrolls if the options are higher than its window.
int menu(Context& ui, const std::string& name, const std::vector<std::string_view>& options,
         const std::vector<std::string>& words, int selected) {
    int& marked = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("marked"), selected);
    if (ImGui::IsWindowAppearing()) marked = selected;
    const int count = static_cast<int>(options.size()), before = marked;
    if (ui.key_pressed(ImGuiKey_DownArrow)) marked = std::min(marked + 1, count - 1);
    if (ui.key_pressed(ImGuiKey_UpArrow)) marked = std::max(marked - 1, 0);
    // The Enter that opened the list must not choose an option.
    int chosen = ui.key_pressed(ImGuiKey_Enter) && !ImGui::IsWindowAppearing() ? marked : -1;

    Canvas canvas(ui);
    const float row = option_height(ui), margin = ui.px(kListMargin);
    const float all = row * static_cast<float>(count) + 2 * margin;
    const ImVec2 place = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    const bool scrolls = all > size.y + 1;
    if (scrolls && (marked != before || ImGui::IsWindowAppearing()))
        scroll_to_option(ui, marked, size.y);
    Rect rest{place.x, place.y + margin - ImGui::GetScrollY(),
              size.x - (scrolls ? ImGui::GetStyle().ScrollbarSize : 0),
              row * static_cast<float>(count)};
    ImGui::SetCursorScreenPos({place.x, rest.y - margin + all - 1});
    ImGui::Dummy({1, 1});
    for (int i = 0; i < count; ++i) {
        const std::string_view option = options[static_cast<std::size_t>(i)];
        const Rect line = rest.cut_top(row);
        if (!ImGui::IsRectVisible(line.min(), line.max())) continue;
        const Interaction item = interact(ui, name + "." + std::string(option), line);
        const ImVec2 moved = ImGui::GetIO().MouseDelta;
        if (item.hovered && (moved.x != 0 || moved.y != 0)) marked = i;
        if (i == marked) canvas.fill(line.inset(ui.px(4), 0), ui.colors().hover, ui.px(4));
        Rect text = line.inset(ui.px(12), 0);
        if (i == selected)
            icon(canvas, Icon::check, text.cut_right(ui.px(14)).center(), ui.px(11),
                 ui.colors().accent);
        canvas.label(text, words[static_cast<std::size_t>(i)], {});
        if (item.clicked) chosen = i;
    }
    if (chosen >= 0 || ui.key_pressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
    return chosen;
}

// The list of a widget while it is open: below it, above it if only there it has space, or else
// where there is more, and then it scrolls.
int list_of(Context& ui, const std::string& name, const Rect& rect,
            const std::vector<std::string_view>& options, const std::vector<std::string>& words,
            int selected) {
    const float away = ui.px(2);  // from the widget, and from the edge of the window
    const float above = rect.y - 2 * away;
    const float below = ImGui::GetIO().DisplaySize.y - rect.y - rect.h - 2 * away;
    float width = rect.w;
    for (const std::string& word : words)
        width = std::max(width, Canvas(ui).measure(word, {}) + ui.px(44));
    const float all =
        option_height(ui) * static_cast<float>(options.size()) + 2 * ui.px(kListMargin);
    const bool down = all <= below || (all > above && below >= above);
    const float height = std::min(all, std::max(option_height(ui), down ? below : above));
    if (height < all) width += ImGui::GetStyle().ScrollbarSize;
    ImGui::SetNextWindowPos({std::max(0.0F, rect.x + rect.w - width),
                             down ? rect.y + rect.h + away : rect.y - away - height});
    ImGui::SetNextWindowSize({width, height});
    if (!ImGui::BeginPopup((name + ".menu").c_str(), ImGuiWindowFlags_NoMove)) return -1;
    const int chosen = menu(ui, name, options, words, selected);
    ImGui::EndPopup();
    return chosen;
}

void open_list(const std::string& name) { ImGui::OpenPopup((name + ".menu").c_str()); }

}  // namespace

Interaction interact(Context& ui, const std::string& name, const Rect& rect, Stop stop) {
    Interaction state;
    ui.name(name, {rect, {0, 0, 0, 0}});
    if (rect.empty()) return state;
    if (stop == Stop::yes) ui.count_control();
    const bool entered = stop == Stop::yes && ui.take_stop(name);
    ImGui::SetCursorScreenPos(rect.min());
    state.clicked = ImGui::InvisibleButton(name.c_str(), {rect.w, rect.h}) || entered;
    state.hovered = ImGui::IsItemHovered();
    state.held = ImGui::IsItemActive();
    state.released = ImGui::IsItemDeactivated();
    state.double_clicked = state.hovered && ImGui::IsMouseDoubleClicked(0);
    return state;
}

void begin_child(const std::string& name, const Rect& rect, ImGuiWindowFlags flags) {
    ImGui::SetCursorScreenPos(rect.min());
    ImGui::BeginChild(name.c_str(), {std::max(1.0F, rect.w), std::max(1.0F, rect.h)}, false, flags);
}

void icon(Canvas& canvas, Icon what, ImVec2 c, float size, ImU32 color) {
    const float r = size / 2, bar = size * 0.14F;
    const auto triangle = [&](float x, float way) {
        canvas.triangle({x - way * r * 0.6F, c.y - r * 0.8F}, {x - way * r * 0.6F, c.y + r * 0.8F},
                        {x + way * r * 0.75F, c.y}, color);
    };
    const auto post = [&](float x) {
        canvas.fill({x - bar / 2, c.y - r * 0.8F, bar, r * 1.6F}, color);
    };
    const auto stroke = [&](ImVec2 a, ImVec2 b) {
        canvas.line({c.x + a.x * r, c.y + a.y * r}, {c.x + b.x * r, c.y + b.y * r}, color,
                    std::max(1.5F, size * 0.1F));
    };
    switch (what) {
        case Icon::none:
            break;
        case Icon::play:
            triangle(c.x, 1);
            break;
        case Icon::pause:
            post(c.x - r * 0.4F), post(c.x + r * 0.4F);
            break;
        case Icon::first:
            post(c.x - r * 0.75F), triangle(c.x + r * 0.15F, -1);
            break;
        case Icon::previous:
            triangle(c.x, -1);
            break;
        case Icon::next:
            triangle(c.x, 1);
            break;
        case Icon::last:
            post(c.x + r * 0.75F), triangle(c.x - r * 0.15F, 1);
            break;
        case Icon::close:
            stroke({-0.6F, -0.6F}, {0.6F, 0.6F}), stroke({0.6F, -0.6F}, {-0.6F, 0.6F});
            break;
        case Icon::check:
            stroke({-0.7F, 0.05F}, {-0.2F, 0.55F}), stroke({-0.2F, 0.55F}, {0.7F, -0.5F});
            break;
        case Icon::chevron_down:
            stroke({-0.5F, -0.25F}, {0, 0.25F}), stroke({0, 0.25F}, {0.5F, -0.25F});
            break;
        case Icon::chevron_right:
            stroke({-0.25F, -0.5F}, {0.25F, 0}), stroke({-0.25F, 0.5F}, {0.25F, 0});
            break;
        case Icon::move:
            for (const ImVec2 way : {ImVec2{1, 0}, ImVec2{-1, 0}, ImVec2{0, 1}, ImVec2{0, -1}}) {
                const ImVec2 side{way.y * 0.3F, way.x * 0.3F}, neck{way.x * 0.65F, way.y * 0.65F};
                stroke({0, 0}, way);
                stroke(way, {neck.x + side.x, neck.y + side.y});
                stroke(way, {neck.x - side.x, neck.y - side.y});
            }
            break;
        case Icon::up:
            stroke({0, -0.7F}, {0, 0.7F}), stroke({-0.5F, -0.2F}, {0, -0.7F}),
                stroke({0, -0.7F}, {0.5F, -0.2F});
            break;
        case Icon::swap:
            stroke({-0.8F, -0.35F}, {0.8F, -0.35F}), stroke({0.4F, -0.75F}, {0.8F, -0.35F});
            stroke({0.8F, 0.35F}, {-0.8F, 0.35F}), stroke({-0.4F, 0.75F}, {-0.8F, 0.35F});
            break;
        case Icon::power: {
            constexpr float kUp = -1.5708F, kGap = 0.75F;  // in radians
            const float thick = std::max(1.5F, size * 0.12F);
            const Path ring =
                Path().arc({c.x, c.y + r * 0.1F}, r * 0.75F, kUp + kGap, kUp + 6.2832F - kGap);
            canvas.path(ring.points(), color, thick);
            canvas.line({c.x, c.y - r}, {c.x, c.y - r * 0.05F}, color, thick);
            break;
        }
        case Icon::folder:
            canvas.fill({c.x - r, c.y - r * 0.7F, size * 0.45F, r * 0.5F}, color, size * 0.06F);
            canvas.fill({c.x - r, c.y - r * 0.45F, size, r * 1.2F}, color, size * 0.08F);
            break;
    }
}

float button_width(Context& ui, std::string_view label, Icon symbol) {
    const float text = Canvas(ui).measure(label, {});
    const float sign =
        symbol == Icon::none ? 0 : ui.fonts().pixels(Size::small) + (label.empty() ? 0 : ui.px(6));
    // Rounded up, so that the parts always fit.
    return std::ceil(text + ui.px(24) + sign + 0.01F);
}

bool button(Context& ui, const std::string& name, const Rect& rect, std::string_view label,
            ButtonLook look, const std::string& tip, Icon symbol) {
    const Interaction state = interact(ui, name, rect);
    if (rect.empty()) return false;
    const bool enabled = look != ButtonLook::disabled;
    if (enabled) hand_cursor(state);
    const Palette& colors = ui.colors();
    Canvas canvas(ui);
    const float rounding = look == ButtonLook::chip ? rect.h / 2 : ui.px(6);
    if (const ImU32 fill = button_fill(colors, look, state); fill != 0)
        canvas.fill(rect, fill, rounding);
    const bool marked = look == ButtonLook::marked;
    if (look == ButtonLook::outlined || look == ButtonLook::chip || marked || !enabled)
        canvas.outline(rect, marked ? with_alpha(colors.accent, 0.6F) : colors.border, 1, rounding);
    const ImU32 ink = look == ButtonLook::filled ? colors.on_accent
                      : marked                   ? colors.accent
                      : enabled                  ? colors.text
                                                 : colors.faint;
    Rect inner = rect.inset(label.empty() ? 0 : ui.px(12), 0);
    // A narrow margin is better than half a label.
    if (symbol == Icon::none && canvas.measure(label, {}) > inner.w)
        inner = rect.inset(ui.px(4), 0);
    if (symbol != Icon::none) {
        const float size = ui.fonts().pixels(Size::small);
        const Rect place = label.empty() ? rect : inner.cut_left(size);
        icon(canvas, symbol, place.center(), size, ink);
        inner.cut_left(ui.px(6));
    }
    canvas.label(inner, label,
                 {.color = ink, .align = symbol == Icon::none ? Align::center : Align::left});
    if (state.hovered && !tip.empty()) ui.tooltip(tip);
    return enabled && state.clicked;
}

bool toggle(Context& ui, const std::string& name, const Rect& rect, bool on) {
    const Interaction state = interact(ui, name, rect);
    hand_cursor(state);
    const Palette& colors = ui.colors();
    Canvas canvas(ui);
    const float h = std::min(rect.h, ui.px(20)), w = h * 1.8F;
    const Rect track{rect.x + rect.w - w, rect.y + (rect.h - h) / 2, w, h};
    canvas.fill(track, on ? colors.accent : colors.border, h / 2);
    if (state.hovered) canvas.outline(track, colors.dim, 1, h / 2);
    const float x = on ? track.x + w - h / 2 : track.x + h / 2;
    canvas.circle({x, track.y + h / 2}, h * 0.36F, on ? colors.on_accent : colors.text);
    return state.clicked;
}

int segmented(Context& ui, const std::string& name, const Rect& rect,
              const std::vector<std::string_view>& labels, int selected) {
    const Palette& colors = ui.colors();
    Canvas canvas(ui);
    canvas.fill(rect, colors.background, ui.px(6));
    canvas.outline(rect, colors.border, 1, ui.px(6));
    float total = 0;
    std::vector<float> widths;
    for (const auto label : labels)
        total += widths.emplace_back(canvas.measure(label, {}) + ui.px(12));
    Rect rest = rect;
    int chosen = -1;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const Rect cell = rest.cut_left(widths[i] / total * rect.w);
        const bool on = static_cast<int>(i) == selected;
        const Interaction state = interact(ui, name + "." + std::string(labels[i]), cell);
        hand_cursor(state);
        if (on) canvas.fill(cell.inset(ui.px(2)), colors.hover, ui.px(4));
        canvas.label(cell.inset(ui.px(3), 0), labels[i],
                     {.color = on              ? colors.accent
                               : state.hovered ? colors.text
                                               : colors.dim,
                      .align = Align::center});
        if (state.clicked) chosen = static_cast<int>(i);
    }
    return chosen;
}

Slid slider(Context& ui, const std::string& name, const Rect& rect, double& value, double low,
            double high, bool logarithmic) {
    const Interaction state = interact(ui, name, rect, Stop::no);  // Tab stops at its number
    hand_cursor(state);
    const float knob = ui.px(7);
    const Rect track{rect.x + knob, rect.center().y - ui.px(1.5F), rect.w - 2 * knob, ui.px(3)};
    const auto to_unit = [&](double v) {
        return logarithmic ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low);
    };
    const auto from_unit = [&](double t) {
        return logarithmic ? low * std::pow(high / low, t) : low + t * (high - low);
    };
    Slid slid;
    if (state.held) {
        const double t =
            std::clamp((ImGui::GetIO().MousePos.x - track.x) / std::max(1.0F, track.w), 0.0F, 1.0F);
        const double next = from_unit(t);
        slid.changed = next != value;
        value = next;
    }
    slid.released = state.released;
    const Palette& colors = ui.colors();
    Canvas canvas(ui);
    const auto t = static_cast<float>(std::clamp(to_unit(value), 0.0, 1.0));
    canvas.fill(track, colors.border, track.h / 2);
    canvas.fill({track.x, track.y, track.w * t, track.h}, colors.accent, track.h / 2);
    const ImVec2 at{track.x + track.w * t, track.center().y};
    canvas.circle(at, knob * (state.held || state.hovered ? 1.15F : 1.0F), colors.text);
    canvas.circle(at, knob, colors.background, ui.px(1));
    return slid;
}

int choice(Context& ui, const std::string& name, const Rect& rect,
           const std::vector<std::string_view>& options, int selected,
           const std::vector<std::string>& given_words) {
    const std::vector<std::string> words = words_or_names(given_words, options);
    const Interaction state = interact(ui, name, rect);
    hand_cursor(state);
    const Palette& colors = ui.colors();
    Canvas canvas(ui);
    if (state.hovered) canvas.fill(rect, colors.hover, ui.px(6));
    Rect inner = rect.inset(ui.px(4), 0);
    icon(canvas, Icon::chevron_down, inner.cut_right(ui.px(14)).center(), ui.px(10), colors.dim);
    inner.cut_right(ui.px(4));
    const auto index = static_cast<std::size_t>(std::max(0, selected));
    if (index < words.size()) canvas.label(inner, words[index], {.align = Align::right});

    if (state.clicked) open_list(name);
    return list_of(ui, name, rect, options, words, selected);
}

int menu_button(Context& ui, const std::string& name, const Rect& rect, std::string_view label,
                const std::vector<std::string_view>& options, const std::string& tip,
                const std::vector<std::string>& words, ButtonLook look) {
    if (button(ui, name, rect, label, look, tip)) open_list(name);
    return list_of(ui, name, rect, options, words_or_names(words, options), -1);
}

namespace {

// Dear ImGui draws a text field itself, so it is added to the recording here.
void record_field(Context& ui, const Rect& rect, const std::string& text, float pad) {
    Recording* recording = ui.recording();
    if (recording == nullptr) return;
    const ImDrawList& list = *ImGui::GetWindowDrawList();
    recording->add(list, DrawnRect{rect, ImGui::GetColorU32(ImGuiCol_FrameBg),
                                   ImGui::GetStyle().FrameRounding, 0});
    if (text.empty()) return;
    const TextStyle style{.face = Face::mono};
    recording->add(list, DrawnText{.at = {rect.x + ui.px(kFieldMargin), rect.y + pad},
                                   .width = Canvas(ui).measure(text, style),
                                   .text = text,
                                   .face = style.face,
                                   .size = style.size,
                                   .pixels = ui.fonts().pixels(style.size, style.face),
                                   .color = ui.colors().text});
}

}  // namespace

bool number_field(Context& ui, const std::string& name, const Rect& rect, std::string& text) {
    ui.name(name, {rect, {0, 0, 0, 0}});
    const Rect inside = rect.inset(ui.px(kFieldMargin), 0);
    std::array<char, 4096> buffer{};  // large enough for a path
    text.copy(buffer.data(), buffer.size() - 1);
    const std::string label = "##" + name;
    ui.count_control();
    if (ui.take_stop(name)) type_into(label.c_str());
    ui.need(Face::mono, Size::body, text);
    ImGui::SetCursorScreenPos(rect.min());
    ImGui::PushFont(ui.fonts().get(Face::mono, Size::body));
    const float pad = std::max(0.0F, (rect.h - ui.fonts().pixels(Size::body, Face::mono)) / 2);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(kFieldMargin), pad});
    // A text field would clip a long number, which would then look like another number.
    const bool resting = ImGui::GetActiveID() != ImGui::GetID(label.c_str());
    const bool cut = resting && Canvas(ui).measure(text, {.face = Face::mono}) > inside.w;
    if (cut) ImGui::PushStyleColor(ImGuiCol_Text, 0);
    ImGui::SetNextItemWidth(rect.w);
    ImGui::InputText(label.c_str(), buffer.data(), buffer.size(),
                     ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_EnterReturnsTrue);
    const bool done = ImGui::IsItemDeactivatedAfterEdit();
    if (cut) ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    ImGui::PopFont();
    record_field(ui, rect, cut ? "" : buffer.data(), pad);
    // So it is drawn smaller and, if that does not fit either, with "…" at its end.
    if (cut && !ImGui::IsItemActive())
        Canvas(ui).label(rect.inset(ui.px(1), 0), text, {.face = Face::mono, .size = Size::small});
    if (done) text = buffer.data();
    return done;
}

Slid splitter(Context& ui, const std::string& name, const Rect& rect, float& delta) {
    const Interaction state = interact(ui, name, rect, Stop::no);  // a separator, not a control
    if (state.hovered || state.held) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
        Canvas(ui).fill({rect.center().x - ui.px(1), rect.y, ui.px(2), rect.h}, ui.colors().accent);
    }
    delta = state.held ? ImGui::GetIO().MouseDelta.x : 0;
    return {delta != 0, state.released};
}

}  // namespace headlight::ui
