#include "window/content.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "chrome/chrome.h"
#include "chrome/command_palette.h"
#include "chrome/example_caption.h"
#include "chrome/file_browser.h"
#include "chrome/improvise.h"
#include "chrome/out_of_depth.h"
#include "frame/export.h"
#include "frame/figure_preview.h"
#include "frame/lecture_head.h"
#include "frame/overlay.h"
#include "frame/terms.h"
#include "heads/heads.h"
#include "lessons_screen/lessons.h"
#include "lessons_screen/manual_panel.h"
#include "scenes/picture_tools.h"
#include "state/folder_table.h"
#include "tasks/latest_task.h"
#include "tasks/studies.h"
#include "ui/window.h"
#include "window/pen.h"
#include "window/screens.h"

namespace headlight::screens {

namespace {

// Below that point.
void say_way_out(ui::Canvas& canvas, const Frame& frame, ImVec2 at) {
    const std::string words = "Esc ends this";
    const ui::TextStyle style{.color = IM_COL32(190, 190, 190, 255)};
    const float wide = canvas.measure(words, style), margin = frame.px(8);
    canvas.fill({at.x - wide / 2 - margin, at.y, wide + 2 * margin, frame.line()},
                IM_COL32(0, 0, 0, 220), frame.px(4));
    canvas.text({at.x - wide / 2, at.y}, words, style);
    frame.ui.report("way_out", words);
}

// An empty screen for speaking to the audience.
void blank_panel(Frame& frame, const ui::Rect& window) {
    ImGui::SetNextWindowFocus();
    ui::begin_window("blank", window);
    ui::Canvas canvas(frame.ui);
    canvas.fill(window, IM_COL32_BLACK);
    say_way_out(canvas, frame, {window.center().x, window.y + window.h - frame.line() * 2});
    frame.ui.name("blank", {window, {}});
    for (int button = 0; button < 3; ++button)
        if (ImGui::IsMouseClicked(button)) frame.say("show", "nothing");
    ImGui::End();
}

// A ring that dims everything around the pointer; wide enough to reach every corner.
void pointer_light(Frame& frame, const ui::Rect& window) {
    const ImVec2 at = ImGui::GetIO().MousePos;
    if (!window.contains(at)) return;
    const float light = window.h * 0.12F, reach = window.w + window.h;
    ui::Canvas canvas(frame.ui, ui::Canvas::Over::everything);
    canvas.circle(at, light + reach / 2, IM_COL32(0, 0, 0, 150), reach);
    const float below = at.y + light + frame.px(4), line = frame.line();
    say_way_out(canvas, frame,
                {at.x, below + line < window.y + window.h ? below : at.y - light - line});
    frame.ui.report("pointer_light", "on");
    frame.ui.tooltip("");  // it would lie on what is lit
    for (int button = 0; button < 3; ++button)
        if (ImGui::IsMouseClicked(button)) frame.set("pointer_light", "false");
}

// For authors of lessons and scripts: outlines what is under the pointer and says its name.
void show_widget_name(Frame& frame) {
    const auto name = frame.ui.name_at(ImGui::GetIO().MousePos);
    if (!name) return;
    frame.ui.report("widget.name", *name);
    frame.ui.tooltip(*name);
    if (const auto place = frame.ui.area(*name))
        ui::Canvas(frame.ui, ui::Canvas::Over::everything)
            .outline(*place, frame.colors().accent, frame.px(1));
}

void panel_over(Frame& frame, const ui::Rect& window) {
    switch (frame.work.panel()) {
        case Panel::nothing:
            break;
        case Panel::files:
        case Panel::examples:
        case Panel::reference:
        case Panel::mask:
        case Panel::folder:
            file_browser(frame.ui, frame.work, frame.memory.own<FileBrowser>(), frame.out, window);
            break;
        case Panel::model:
            model_panel(frame, window);
            break;
        case Panel::figure:
            figure_panel(frame, window);
            break;
        case Panel::features:
            features_panel(frame, window);
            break;
        case Panel::help:
            manual_panel(frame, window, keys_page);
            break;
        case Panel::about:
            about_panel(frame, window);
            break;
        case Panel::palette:
            command_palette(frame, window);
            break;
        case Panel::blank:
            blank_panel(frame, window);
            break;
    }
}

// What is hovered in this frame is highlighted in the next, in all views at once.
void turn_frame(ui::Context& ui, Memory& memory) {
    const bool same = memory.hovered == memory.next_hovered &&
                      memory.lit_symbol == memory.next_lit_symbol &&
                      memory.hovered_head == memory.next_hovered_head;
    if (!same) ui.ask_for_frame();
    memory.hovered = memory.next_hovered;
    memory.lit_symbol = memory.next_lit_symbol;
    memory.hovered_head = memory.next_hovered_head;
    memory.derived.end_frame();
}

// The selected step of the displayed walk, which the baseline may lack.
const Node& node_in_view(const Trace& trace, Step chosen) {
    const Node* node = trace.node(chosen);
    return node != nullptr ? *node : trace.nodes.front();
}

// The state in which a stop or a step appeared under a resting pointer.
struct Scene {
    ScreenId screen{};
    Step step{};
    bool lecture = false;
    long entry = -1;
    friend bool operator==(const Scene&, const Scene&) = default;
};
struct Resting {
    std::optional<Scene> scene;
    long moves = 0;  // pointer moves at that time
};

// In a lesson or lecture, a resting pointer selects nothing, and neither does one that only
// serves as a spotlight.
bool pointer_rests(const ui::Context& ui, const State& state, const lessons::Reader* reader,
                   Memory& memory) {
    auto& resting = memory.own<Resting>();
    const bool in_lesson = reader != nullptr && reader->lesson() != nullptr;
    if (!in_lesson && !state.look.lecture) {
        resting.scene.reset();
        return false;
    }
    const Scene now{state.look.screen, state.selection.step, state.look.lecture,
                    in_lesson ? reader->entries() : -1};
    if (resting.scene != now) resting = {now, ui.pointer_moves()};
    const bool spotlight = state.look.lecture && state.look.pointer_light;
    return spotlight || resting.moves == ui.pointer_moves();
}

Frame frame_of(ui::Context& ui, const Workspace& work, const lessons::Reader* reader,
               Memory& memory, std::vector<Command>& out, const ui::Rect& window) {
    const State& state = work.state();
    const bool before = state.look.compare == Compare::before && work.pinned_trace();
    const Trace& trace = before ? *work.pinned_trace() : *work.trace();
    Frame frame{ui,
                work,
                state,
                trace,
                before ? *work.pinned_summary() : *work.summary(),
                before ? *state.pinned : work.trace_recipe(),
                memory,
                out,
                scene_picture_tools(),
                reader,
                window.h < ui.px(820),
                is_phone_sized(ui, window),
                resolve_focus(state, trace, memory.pointer_rests ? Focus() : memory.hovered),
                node_in_view(trace, state.selection.step)};
    const int heads = static_cast<int>(trace.shape.heads);
    const int chosen = state.selection.head;
    frame.head = memory.pointer_rests ? chosen : memory.hovered_head.value_or(chosen);
    frame.head = std::clamp(frame.head, 0, heads - 1);
    frame.focus.head = frame.head;
    return frame;
}

const Screen& chosen_screen(const State& state) {
    const auto screens = all_screens();
    return *std::ranges::find(screens, state.look.screen, &Screen::id);
}

// The screen that owns that name, or else the current one.
const Screen& screen_of(const std::string& widget, const Screen& drawn) {
    for (const Screen& screen : all_screens())
        for (const std::string_view names : {screen.names, screen.panel_names})
            if (!names.empty() && widget.starts_with(names)) return screen;
    return drawn;
}

void draw_stage(Frame& frame, const Screen& screen, const ui::Rect& window) {
    frame.ui.name("screen", {window, {}});
    screen.draw(frame, {frame.ui, window});
}

// A stop in lecture view: the screen below the stop's header, with its text beside it or instead of
// it.
void draw_lecture(Frame& frame, const Screen& screen, ui::Rect window) {
    frame.beside = lecture_words_width(frame, window.w);
    ui::Layout words(frame.ui, window), seen = words;
    if (frame.beside >= window.w) {
        frame.beside = 0;
        lecture_head(frame, words, frame.reader->stop().title);
        return lecture_words(frame, words);
    }
    seen.right(frame.beside);
    draw_stage(frame, screen, window);
    words.top(lecture_head_height(frame));
    if (frame.beside > 0) lecture_words(frame, words.right(frame.beside));
    seen.top(lecture_head_height(frame));
    lesson_spotlights(frame, window, seen);
}

void draw_screen(Frame& frame, const Screen& screen, ui::Layout window) {
    const ui::Rect all = window;
    if (frame.state.look.lecture && frame.state.look.improvise)
        improvise(frame, window.bottom(improvise_height(frame, window.w)));
    const bool lesson = frame.in_lesson();
    if (lesson && frame.state.look.lecture) return draw_lecture(frame, screen, window);
    top_bar(frame, window.top(top_bar_height(frame)), all_screens());
    if (lesson) {
        lesson_footer(frame, window.bottom(lesson_footer_height(frame)));
        lesson_column(frame, frame.is_upright_phone()
                                 ? window.bottom(window.h / 2)
                                 : window.left(lesson_column_width(frame, window.w)));
    } else if (screen.has_steps) {
        transport(frame, window.bottom(transport_height(frame)));
    }
    const bool has_maps =
        screen.has_steps || screen.id == ScreenId::heads || screen.id == ScreenId::look;
    // In a lecture the matrices take the space, and the lecturer describes the model.
    const bool is_said = has_maps && !frame.state.look.lecture;
    const float warning = is_said ? out_of_depth_height(frame) : 0;
    if (warning > 0) out_of_depth_line(frame, window.top(warning));
    if (const float tall = example_caption_height(frame, window.w); tall > 0)
        example_caption(frame, window.top(tall));
    draw_stage(frame, screen, window);
    if (lesson) lesson_spotlights(frame, all, window);
}

}  // namespace

Content::Content(const std::function<void()>& wake)
    : memory_(std::make_unique<Memory>()), screen_(&all_screens().front()) {
    memory_->derived.set_wake(wake);
    memory_->own<ManualFolder>().path = manual_folder();
}
Content::~Content() = default;

FigurePreview& Content::figure_preview() { return memory_->own<FigurePreview>(); }
const FolderTable& Content::folder_table() const { return memory_->own<FolderTable>(); }

Export& Content::exported() { return memory_->own<Export>(); }

Facts Content::facts(const std::string& widget) const {
    const Screen& screen = screen_of(widget, *screen_);
    return screen.facts == nullptr ? Facts{} : screen.facts(*memory_, widget);
}

std::vector<Command> Content::draw(ui::Context& ui, const Workspace& work, ui::Rect window) {
    std::vector<Command> out;
    Memory& memory = *memory_;
    auto& studies = memory.own<Studies>();
    const auto answers = [&studies] { return studies.answers() + answers_given; };
    const std::uint64_t answers_before = answers();
    memory.gesture_ended = false;
    // A text field of the previous panel loses the keyboard.
    if (std::exchange(panel_, work.panel()) != work.panel()) ui.stop_typing();
    ui.hear_keys(panel_ == Panel::nothing);
    const Screen* before = std::exchange(screen_, &chosen_screen(work.state()));
    if (before != screen_ && before->left != nullptr) before->left(memory);
    memory.pointer_rests = pointer_rests(ui, work.state(), reader_, memory);
    memory.next_hovered = {};
    memory.next_lit_symbol.clear();
    memory.next_hovered_head.reset();
    ImGui::PushFont(ui.fonts().get(ui::Face::words, ui::Size::body));
    // Draws the background first; ImGui's own Tab navigation is off (Context::begin_stops).
    ui::begin_window("content", window,
                     ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav |
                         ImGuiWindowFlags_NoScrollWithMouse);
    if (work.trace() && work.summary()) {
        Frame frame = frame_of(ui, work, reader_, memory, out, window);
        draw_screen(frame, *screen_, {ui, window});
        if (const auto& wanted = memory.own<Export>().wanted)
            if (const auto answer = screen_of(*wanted, *screen_).answer) answer(frame);
        ImGui::End();
        ui.hear_keys(true);
        panel_over(frame, window);
        const Look& look = work.state().look;
        if (look.widget_names) show_widget_name(frame);
        if (look.lecture && frame.small) frame.set("lecture", "off");
        if (look.lecture && panel_ == Panel::nothing) {
            const bool has_button = screen_->has_steps && !frame.in_lesson();
            if (!has_button && !look.pen && !look.pointer_light) lecture_exit(frame, window);
            if (look.pointer_light) pointer_light(frame, window);
            if (look.pointer_dot) pointer_dot(frame, window);
            pen(frame, window);
        }
    } else {
        loading_screen(ui, work, out, window);
        ImGui::End();
        ui.hear_keys(true);
        if (is_file_browser(panel_)) file_browser(ui, work, memory.own<FileBrowser>(), out, window);
    }
    ui.draw_tooltip();
    ImGui::PopFont();
    turn_frame(ui, memory);
    // An answer may arrive after the views looked for it. No other frame would be requested, since
    // its study may already be idle. Answers are counted before their study is idle, so this checks
    // busy() first.
    if (studies.busy() || answers() != answers_before) ui.await_work();
    studies.end_frame();
    return out;
}

bool Content::takes_key(std::string_view key) const {
    if (panel_ == Panel::help) return manual_takes_key(*memory_, key);
    return (reader_ != nullptr && reader_->lesson() != nullptr &&
            lesson_takes_key(*memory_, key)) ||
           (screen_->takes_key != nullptr && screen_->takes_key(*memory_, key));
}

bool Content::turn_to_field() {
    if (panel_ == Panel::palette) {
        memory_->own<CommandPalette>().wants_typing = CommandPalette::kFramesToType;
        return true;
    }
    if (!is_file_browser(panel_) || panel_ == Panel::examples) return false;
    memory_->own<FileBrowser>().wants_typing = FileBrowser::kFramesToType;
    return true;
}

bool Content::busy() const {
    return memory_->derived.busy() || (screen_->of_studies && memory_->own<Studies>().busy());
}
bool Content::take_made() { return memory_->derived.take_made(); }

bool Content::gesture_ended() const { return memory_->gesture_ended; }

}  // namespace headlight::screens
