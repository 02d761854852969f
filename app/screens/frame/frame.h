#pragma once

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

namespace headlight::screens {

// What every panel gets: what is there, and where to say what the person wants.
struct Frame {
    ui::Context& ui;
    const Workspace& work;
    const State& state;
    const Trace& trace;  // shown: the present one, or the one kept before
    const Summary& summary;
    const Recipe& recipe;  // that it was made by
    Memory& memory;
    std::vector<Command>& out;
    const PictureTools& picture_tools;
    const lessons::Reader* reader;  // of lessons; null where there are none
    bool low;                       // the window has little height: bars are lower
    bool small;                     // it is a phone's: one thing is shown at a time
    Focus focus;
    const Node& present;  // the step that is looked at
    int head = 0;         // shown: hovered in the heads panel, else chosen
    float beside = 0;     // pixels that the words of a lecture's stop take at the screen's right

    template <class... Args>
    void say(std::string verb, Args&&... args) {
        out.push_back(command(std::move(verb), std::forward<Args>(args)...));
    }
    void set(std::string_view field, const std::string& value) {
        say("set", std::string(field), value);
    }

    // What is shown is the result that was kept, not the present one.
    [[nodiscard]] bool before() const {
        return state.look.compare == Compare::before && work.pinned_trace();
    }
    // Matrices are differences, now − before.
    [[nodiscard]] bool difference() const {
        return state.look.compare == Compare::difference && work.pinned_trace();
    }
    // Words about the present result, which the difference has no such thing of.
    [[nodiscard]] std::string of_now(const std::string& words) const {
        return difference() ? "now: " + words : words;
    }
    // A trace of this frame, for those who read in it when the frame is over.
    [[nodiscard]] const std::shared_ptr<const Trace>& shared(const Trace& of) const {
        return &of == work.pinned_trace().get() ? work.pinned_trace() : work.trace();
    }
    // A lesson stands beside the screen, and says what else the right column does.
    [[nodiscard]] bool in_lesson() const {
        return reader != nullptr && reader->lesson() != nullptr;
    }
    // And what it says holds for what is on the screen.
    [[nodiscard]] bool at_stop() const { return in_lesson() && !reader->is_away(); }
    // There is no room, or no need, for more than what one looks at.
    [[nodiscard]] bool is_narrow() const { return small || state.look.lecture || in_lesson(); }
    [[nodiscard]] bool is_upright_phone() const {
        const ImVec2 window = ImGui::GetIO().DisplaySize;
        return small && window.x < window.y;
    }
    // A result behind the layer that is looked at is still being computed; the layer is there.
    [[nodiscard]] bool pending(Tensor tensor) const;
    [[nodiscard]] Step step() const { return state.selection.step; }
    [[nodiscard]] const Node& node() const { return present; }
    // How far the present step's motion has come, 0..1; 1 where motion is off.
    [[nodiscard]] double phase() const { return state.look.motion ? work.phase() : 1.0; }
    [[nodiscard]] float px(float units) const { return ui.px(units); }
    [[nodiscard]] const ui::Palette& colors() const { return ui.colors(); }
    [[nodiscard]] float line(ui::Size size = ui::Size::small) const { return ui.line(size); }
};

Focus resolve_focus(const State& state, const Trace& trace, const Focus& hovered);

// The row of a matrix that stands for the token in focus, or its only row.
std::optional<int> focus_row(const Frame& frame, Tensor tensor);
// The token in focus of those that ask, or of those that are read.
std::optional<int> focus_of(const Frame& frame, Side side);

// The pointer is over a token: it is lit everywhere. A click pins it.
void hover_token(Frame& frame, Side side, Index token);
void pin_token(Frame& frame, Side side, Index token);

// Whether the picture shows whom a token reads, and not who reads it. Queries that are no patches
// are always asked the first.
bool shows_reading_from(const Frame& frame);

}  // namespace headlight::screens
