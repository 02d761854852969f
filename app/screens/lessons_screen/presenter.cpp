#include "lessons_screen/presenter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include "frame/photo.h"
#include "lessons_screen/spoken.h"
#include "ui/controls.h"
#include "ui/window.h"

namespace headlight::screens {

namespace {

constexpr float kWidth = 800, kHeight = 600;  // units that everything needs
constexpr float kText = 1.5F;                 // text scale for reading while standing
constexpr float kLeast = 0.5F;
constexpr float kNotes = 0.62F;  // of the width; the next stop has the rest

// Shared by all parts of the view.
struct Part {
    ui::Context& ui;
    const Presented& presented;
    std::vector<Command>& out;

    [[nodiscard]] float px(float units) const { return ui.px(units); }
    [[nodiscard]] const lessons::Reader& reader() const { return presented.reader; }
    void say(const char* verb, const char* what) const { out.push_back(command(verb, what)); }
    // Returns the height in pixels.
    float words(const ui::Rect& rect, std::string_view text, const ui::TextStyle& style) const {
        return ui::Canvas(ui).wrapped(rect, text, style);
    }
    void caption(ui::Layout& rest, std::string_view text) const {
        rest.paragraph(
            text, {.face = ui::Face::bold, .size = ui::Size::small, .color = ui.colors().dim}, 4);
    }
};

// ---- progress and time

struct Clock {
    const char *caption, *widest, *report;
    const std::string& value;
};

void show_clock(const Part& part, ui::Layout& right, const Clock& clock) {
    constexpr ui::TextStyle kDigits{.face = ui::Face::bold, .size = ui::Size::large};
    const ui::Canvas measuring(part.ui);
    const float width =
        std::max(measuring.measure(clock.widest, kDigits),
                 measuring.measure(clock.caption, {.face = ui::Face::bold}) + part.px(1));
    ui::Layout rect = right.right(width, 20);
    part.caption(rect, clock.caption);
    ui::Canvas(part.ui).text(rect.min(), clock.value, kDigits);
    part.ui.report(clock.report, clock.value);
}

// The stop's planned minutes from its notes, and whether they are over.
void show_plan(const Part& part, ui::Layout& right) {
    const auto planned = planned_minutes(part.reader().stop().notes);
    part.ui.report("presenter.plan", "");
    if (!planned) return;
    const double late = part.presented.seconds - planned->to * 60.0,
                 early = planned->from * 60.0 - part.presented.seconds;
    const std::string words = late >= 1    ? elapsed_text(late) + " late"
                              : early >= 1 ? elapsed_text(early) + " early"
                                           : "on time";
    const std::string caption = fmt::format("PLAN {}–{} MIN", planned->from, planned->to);
    const ui::TextStyle style{.face = ui::Face::bold,
                              .size = ui::Size::body,
                              .color = late >= 1 ? part.ui.colors().error : part.ui.colors().text};
    const ui::Canvas measuring(part.ui);
    ui::Layout rect =
        right.right(std::max(measuring.measure("0:00:00 early", style),
                             measuring.measure(caption, {.face = ui::Face::bold}) + part.px(1)),
                    20);
    part.caption(rect, caption);
    ui::Canvas(part.ui).text(rect.min(), words, style);
    part.ui.report("presenter.plan", words);
}

// The number and title of the stop. Takes its space off the top.
void head(const Part& part, ui::Layout& rest) {
    const lessons::Reader& reader = part.reader();
    const lessons::Stop& stop = reader.stop();
    ui::Layout row = rest;
    show_clock(part, row, {"ELAPSED", "0:00:00", "presenter.elapsed", part.presented.elapsed});
    show_clock(part, row, {"TIME", "00:00", "presenter.time", part.presented.time});
    show_plan(part, row);
    const float top = row.y;
    part.caption(row, fmt::format("STOP {} OF {} · {}", reader.stop_number() + 1,
                                  reader.lesson()->stops.size(), reader.lesson()->title));
    ui::TextStyle title{.face = ui::Face::bold, .size = ui::Size::large};
    // Notes need the space more than a long title.
    if (ui::Canvas(part.ui).measure_wrapped(stop.title, title, row.w).y >
        1.5F * part.ui.line(ui::Size::large))
        title.size = ui::Size::body;
    row.top(part.words(row, stop.title, title));
    const float clocks = part.ui.line(ui::Size::small) + part.ui.line(ui::Size::large);
    rest.top(std::max(row.y - top, clocks) + part.px(8));
    ui::Canvas(part.ui).line(rest.min(), {rest.x + rest.w, rest.y}, part.ui.colors().border);
    rest.skip_top(16);
    part.ui.report("presenter.stop", std::to_string(reader.stop_number() + 1));
    part.ui.report("presenter.title", stop.title);
}

// ---- notes

// A child window that scrolls if its content does not fit.
template <class Content>
void scrolled(const Part& part, const std::string& name, const ui::Rect& rect, bool from_top,
              const Content& content) {
    part.ui.name(name, {rect, {}});
    ui::begin_child(name + ".scroll", rect, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
    if (from_top) ImGui::SetScrollY(0);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    ui::Layout rest(part.ui, {top.x, top.y, rect.w - part.px(20), 1e6F});
    content(rest);
    ImGui::SetCursorScreenPos({top.x, rest.y + part.px(8)});
    ImGui::Dummy({1, 1});
    part.ui.report(name + ".scrolled", ImGui::GetScrollY() > 0 ? "yes" : "no");
    part.ui.report(name + ".more", ImGui::GetScrollMaxY() > 0 ? "yes" : "no");
    ImGui::EndChild();
}

void scroll_by_keys(const Part& part) {
    const float step = 3 * part.ui.line(ui::Size::body);
    const float way = (part.ui.key_pressed(ImGuiKey_DownArrow) ? step : 0) -
                      (part.ui.key_pressed(ImGuiKey_UpArrow) ? step : 0);
    if (way == 0) return;
    ImGui::SetScrollY(std::clamp(ImGui::GetScrollY() + way, 0.0F, ImGui::GetScrollMaxY()));
    part.ui.ask_for_frame();
}

// The author's notes, followed by the stop's text, of which the audience sees only the beginning in
// lecture view.
void notes(const Part& part, ui::Layout& rest) {
    const lessons::Stop& stop = part.reader().stop();
    scroll_by_keys(part);
    if (!stop.notes.empty()) {
        part.caption(rest, "NOTES");
        rest.top(part.words(rest, stop.notes, {.size = ui::Size::body}) + part.px(20));
    }
    part.caption(rest, stop.notes.empty() ? "TEXT OF THE STOP (NO NOTES)" : "TEXT OF THE STOP");
    const ImU32 ink = stop.notes.empty() ? part.ui.colors().text : part.ui.colors().dim;
    rest.top(part.words(rest, spoken(part.reader(), stop), {.size = ui::Size::body, .color = ink}));
    part.ui.report("presenter.notes", stop.notes);
}

// ---- the next stop

void note_of_black(const Part& part, ui::Layout& rest) {
    const bool black = part.presented.work.panel() == Panel::blank;
    part.ui.report("presenter.screen", black ? "black" : "shown");
    if (!black) return;
    part.caption(rest, "THE SCREEN IS BLACK");
    rest.top(part.words(rest, "Press any key to show it again.", {.size = ui::Size::body}) +
             part.px(20));
}

void typed(const Part& part, ui::Layout& rest) {
    part.ui.report("presenter.typed", part.presented.typed);
    if (part.presented.typed.empty()) return;
    part.caption(rest, "GO TO");
    rest.top(part.words(rest, "Stop " + part.presented.typed + ": press Enter",
                        {.size = ui::Size::body}) +
             part.px(20));
}

// As wide as possible, but no higher than half the width, so that both are visible.
void picture(const Part& part, ui::Layout& rest, const std::shared_ptr<const Image>& image,
             const char* name) {
    if (image == nullptr || image->empty()) return;
    const float aspect = static_cast<float>(image->width) / static_cast<float>(image->height);
    const ui::Rect place = rest.top(rest.w / aspect);
    ui::Canvas canvas(part.ui);
    canvas.photo(place, photo(image, true));
    canvas.outline(place, part.ui.colors().border, part.px(1));
    part.ui.name(name, {place, {}});
    rest.skip_top(14);
}

void now(const Part& part, ui::Layout& rest) {
    if (part.presented.now == nullptr) return;
    part.caption(rest, "THE ROOM SEES");
    picture(part, rest, part.presented.now, "presenter.picture.now");
}

void next(const Part& part, ui::Layout& rest) {
    const auto& stops = part.reader().lesson()->stops;
    const auto at = static_cast<std::size_t>(part.reader().stop_number()) + 1;
    note_of_black(part, rest);
    typed(part, rest);
    now(part, rest);
    part.caption(rest, "NEXT");
    if (at >= stops.size()) {
        part.ui.report("presenter.next", "");
        rest.top(part.words(rest, "This is the last stop.", {.size = ui::Size::body}));
        return;
    }
    rest.top(part.words(rest, stops[at].title, {.face = ui::Face::bold, .size = ui::Size::body}) +
             part.px(6));
    picture(part, rest, part.presented.next, "presenter.picture.next");
    rest.top(part.words(rest, first_words(part.reader(), stops[at]),
                        {.size = ui::Size::body, .color = part.ui.colors().dim}));
    part.ui.report("presenter.next", stops[at].title);
}

// ---- buttons

struct Offer {
    const char *name, *label, *tip;
    ui::ButtonLook look;
    ui::Icon icon;
    const char *verb, *what;
};

void button(const Part& part, ui::Layout& row, const Offer& offer) {
    const float width = ui::button_width(part.ui, offer.label, offer.icon);
    if (!ui::button(part.ui, offer.name, row.left(width, 8), offer.label, offer.look, offer.tip,
                    offer.icon))
        return;
    *offer.what == '\0' ? part.out.push_back(command(offer.verb))
                        : part.say(offer.verb, offer.what);
}

// What the audience sees of the stop: its question, more text, or its beginning.
void of_stop(const Part& part, ui::Layout& row) {
    using ui::ButtonLook;
    using ui::Icon;
    const lessons::Reader& reader = part.reader();
    const auto& asked = reader.page().asked;
    const bool question =
        asked && std::holds_alternative<lessons::Question>(reader.stop().blocks[*asked].what);
    if (question && !reader.answer(*asked))
        button(part, row,
               {"presenter.reveal", "Reveal",
                "Checks the chosen answer, or shows the right one   Enter", ButtonLook::outlined,
                Icon::none, "lesson-reveal", ""});
    else if (lessons::next_asking(reader.pages(), reader.page_number()))
        button(part, row,
               {"presenter.ask", "Question", "Shows the next question or task of the stop   Q",
                ButtonLook::outlined, Icon::none, "lesson-ask", "next"});
    if (reader.page_number() + 1 < reader.pages().size())
        button(part, row,
               {"presenter.more", "More", "Shows more of the stop's text", ButtonLook::outlined,
                Icon::none, "lesson-page", "next"});
    if (reader.is_changed())
        button(part, row,
               {"presenter.again", reader.is_away() ? "Back to the stop" : "Reset",
                "Brings the stop back to its beginning", ButtonLook::outlined, Icon::none,
                "lesson-stop", "again"});
}

void foot(const Part& part, ui::Layout row) {
    using ui::ButtonLook;
    using ui::Icon;
    const int stop = part.reader().stop_number();
    const bool last = stop + 1 == static_cast<int>(part.reader().lesson()->stops.size());
    const bool black = part.presented.work.panel() == Panel::blank;
    const std::array<Offer, 4> offers{{
        {"presenter.back", "Back", "Previous stop   ←, PageUp",
         stop > 0 ? ButtonLook::outlined : ButtonLook::disabled, Icon::previous, "lesson-stop",
         "previous"},
        {"presenter.go", "Next", "Next stop   →, Space, PageDown",
         last ? ButtonLook::disabled : ButtonLook::filled, Icon::next, "lesson-stop", "next"},
        {"presenter.black", black ? "Show" : "Black",
         "Makes the screen black until the next key   .",
         black ? ButtonLook::marked : ButtonLook::outlined, Icon::none, "show",
         black ? "nothing" : "blank"},
        {"presenter.restart", "Reset clock", "Sets the clock to 0:00   R", ButtonLook::outlined,
         Icon::none, "presenter", "restart"},
    }};
    for (const Offer& offer : offers) button(part, row, offer);
    if (part.presented.two_monitors)
        button(part, row,
               {"presenter.swap", "Swap screens",
                "Swaps the monitors of the lecture and this window   X", ButtonLook::outlined,
                Icon::none, "presenter", "swap"});
}

}  // namespace

Scales presenter_scales(float width, float height) {
    const float room = std::floor(std::min(width / kWidth, height / kHeight) * 10) / 10;
    return {std::max(kLeast, room), kText};
}

std::vector<Command> presenter_view(ui::Context& ui, const Presented& presented,
                                    PresenterMemory& memory, const ui::Rect& window) {
    std::vector<Command> out;
    const Part part{ui, presented, out};
    ImGui::PushFont(ui.fonts().get(ui::Face::words, ui::Size::body));
    ui::begin_window("presenter", window,
                     ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse);
    ui::Layout rest(part.ui, window, 24, 20);
    foot(part, rest.bottom(ui.line(ui::Size::small) + part.px(10), 8));
    ui::Layout above = rest.bottom(ui.line(ui::Size::small) + part.px(10), 12);
    of_stop(part, above);
    head(part, rest);
    const bool entered =
        std::exchange(memory.entry, presented.reader.entries()) != presented.reader.entries();
    scrolled(part, "presenter.words", rest.left(rest.w * kNotes), entered,
             [&](ui::Layout& words) { notes(part, words); });
    rest.skip_left(24);
    scrolled(part, "presenter.coming", rest, entered,
             [&](ui::Layout& words) { next(part, words); });
    ImGui::End();
    ui.draw_tooltip();
    ImGui::PopFont();
    return out;
}

}  // namespace headlight::screens
