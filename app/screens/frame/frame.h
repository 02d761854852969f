#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/summary.h"
#include "frame/memory.h"
#include "frame/picture_tools.h"
#include "lessons/reader.h"
#include "state/workspace.h"
#include "trace/token_rows.h"
#include "ui/context.h"
#include "ui/controls.h"
#include "ui/layout.h"

namespace headlight::screens {

// Whether the window has the size of a phone's, portrait or landscape.
inline bool is_phone_sized(const ui::Context& ui, const ui::Rect& window) {
    return std::min(window.w, window.h) < ui.px(480);
}

// Everything that a panel needs: the data, and the list for its commands.
struct Frame {
    ui::Context& ui;
    const Workspace& work;
    const State& state;
    const Trace& trace;  // on display: the current result's or the baseline's
    const Summary& summary;
    const Recipe& recipe;  // that the trace was computed with
    Memory& memory;
    std::vector<Command>& out;
    const PictureTools& picture_tools;
    const lessons::Reader* reader;  // of lessons; may be null
    bool low;                       // little window height: bars are lower
    bool small;                     // phone size: shows one thing at a time
    Focus focus;
    const Node& present;  // node of the current step
    int head = 0;         // on display: hovered in the heads panel, or else selected
    float beside = 0;     // width of a lecture's text at the right edge, pixels

    template <class... Args>
    void say(std::string verb, Args&&... args) {
        out.push_back(command(std::move(verb), std::forward<Args>(args)...));
    }
    void set(std::string_view field, const std::string& value) {
        say("set", std::string(field), value);
    }

    // Whether the baseline is shown instead of the current result.
    [[nodiscard]] bool before() const {
        return state.look.compare == Compare::before && work.pinned_trace();
    }
    // Whether matrices show differences, after − before.
    [[nodiscard]] bool difference() const {
        return state.look.compare == Compare::difference && work.pinned_trace();
    }
    // Text about the current result; prefixed with "after: " when differences are shown.
    [[nodiscard]] std::string of_after(const std::string& words) const {
        return difference() ? "after: " + words : words;
    }
    // A shared pointer to a trace of this frame, for tasks that outlive the frame.
    [[nodiscard]] const std::shared_ptr<const Trace>& shared(const Trace& of) const {
        return &of == work.pinned_trace().get() ? work.pinned_trace() : work.trace();
    }
    // Whether a lesson is shown beside the screen and replaces text of the right column.
    [[nodiscard]] bool in_lesson() const {
        return reader != nullptr && reader->lesson() != nullptr;
    }
    // The same, and its text applies to what is on the screen.
    [[nodiscard]] bool at_stop() const { return in_lesson() && !reader->is_away(); }
    // Whether to show only the essential, for lack of space or to avoid distraction.
    [[nodiscard]] bool is_narrow() const { return small || state.look.lecture || in_lesson(); }
    [[nodiscard]] bool is_upright_phone() const {
        const ImVec2 window = ImGui::GetIO().DisplaySize;
        return small && window.x < window.y;
    }
    // Whether a result after the selected layer is still being computed.
    [[nodiscard]] bool pending(Tensor tensor) const;
    [[nodiscard]] Step step() const { return state.selection.step; }
    [[nodiscard]] const Node& node() const { return present; }
    // Phase of the current step's animation, 0..1; 1 if animation is off.
    [[nodiscard]] double phase() const { return state.look.motion ? work.phase() : 1.0; }
    [[nodiscard]] float px(float units) const { return ui.px(units); }
    [[nodiscard]] const ui::Palette& colors() const { return ui.colors(); }
    [[nodiscard]] float line(ui::Size size = ui::Size::small) const { return ui.line(size); }
    // Small text in gray, and the same for numbers.
    [[nodiscard]] ui::TextStyle small_dim(ui::Align align = ui::Align::left) const {
        return {.size = ui::Size::small, .color = colors().dim, .align = align};
    }
    [[nodiscard]] ui::TextStyle mono_dim(ui::Align align = ui::Align::left) const {
        ui::TextStyle style = small_dim(align);
        style.face = ui::Face::mono;
        return style;
    }
};

Focus resolve_focus(const State& state, const Trace& trace, const Focus& hovered);

// The matrix row of the focused token, or the only row.
std::optional<int> focus_row(const Frame& frame, Tensor tensor);
// The focused query or key token.
std::optional<int> focus_of(const Frame& frame, Side side);

// Call when the pointer is over a token: highlights it everywhere; a click pins it.
void hover_token(Frame& frame, Side side, Index token);
void pin_token(Frame& frame, Side side, Index token);

// Whether the picture shows what a token attends to, rather than what attends to it. For query
// tokens that are no patches it is always the former.
bool shows_reading_from(const Frame& frame);

}  // namespace headlight::screens
