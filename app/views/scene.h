#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/summary.h"
#include "scene/truth.h"
#include "state/workspace.h"
#include "ui/context.h"
#include "ui/controls.h"
#include "views/focus.h"

namespace headlight::views {

struct FileBrowser;

// Matrices made from a trace's for showing only (a transpose, a difference, one column), kept while
// they are looked at.
class Derived {
  public:
    enum class Kind { transposed, difference, column, of_one_head, mean_of_heads, line };
    // Kind; version and place of one or two sources; rows and columns (parts of one matrix may
    // begin at the same place).
    using Key =
        std::tuple<Kind, std::uint64_t, const float*, std::uint64_t, const float*, Index, Index>;
    struct Entry {
        SharedResult result;
        MatrixSummary summary;
        bool summarised = false;
        std::uint64_t used = 0;
    };
    Entry& get(const Key& key, const std::function<Matrix()>& make);
    void end_frame();

  private:
    std::map<Key, Entry> entries_;
    std::uint64_t frame_ = 0;
};

// What lies under each patch of the scene in a trace, kept while that trace is shown.
struct TaughtPatches {
    std::uint64_t version = 0;  // of the trace's pixels
    SceneTruth truth;
};

// A shape of the scene that the mouse holds.
struct ShapeGrip {
    int shape = -1;                       // none
    bool turning = false, moved = false;  // not moved: it may still become a click
    float dx = 0, dy = 0;                 // from the pointer to the centre, in the scene's units
    float angle = 0;                      // from the pointer's direction to the rotation, degrees
};

// What the views remember between frames that is nobody's choice.
struct Memory {
    Memory();
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    Focus hovered, next_hovered;              // of the last frame, and being gathered in this one
    std::string lit_symbol, next_lit_symbol;  // a matrix whose symbol in an equation is hovered
    std::optional<int> hovered_head, next_hovered_head;
    Derived derived;
    std::tuple<std::uint64_t, std::uint64_t, int, Reading, float> shared_reach{};  // the last one
    bool three_products = false;  // the QKV stage: one stacked product, or three
    bool gesture_ended = false;
    ShapeGrip grip;
    bool shapes_are_known = false;  // one has been moved by hand
    TaughtPatches taught;
    Panel panel = Panel::nothing;  // in the last frame
    std::unique_ptr<FileBrowser> browser;
    std::vector<std::string> licences;  // lines of the About panel, read when first shown
};

// What every panel gets: what is there, and where to say what the person wants.
struct Scene {
    ui::Context& ui;
    const Workspace& work;
    const State& state;
    const Trace& trace;  // shown: the present one, or A's
    const Summary& summary;
    const Recipe& recipe;  // that it was made by
    Memory& memory;
    std::vector<Command>& out;
    Focus focus;
    const Node& present;  // the step that is looked at
    int head = 0;        // shown: hovered in the heads panel, else chosen

    template <class... Args>
    void say(std::string verb, Args&&... args) {
        out.push_back(command(std::move(verb), std::forward<Args>(args)...));
    }
    void set(std::string_view field, const std::string& value) {
        say("set", std::string(field), value);
    }

    // Matrices are differences, now − A.
    [[nodiscard]] bool difference() const {
        return state.look.compare == Compare::difference && work.pinned_trace();
    }
    // Words about the present result, which the difference has no such thing of.
    [[nodiscard]] std::string of_now(const std::string& words) const {
        return difference() ? "now: " + words : words;
    }
    [[nodiscard]] Step step() const { return state.selection.step; }
    [[nodiscard]] const Node& node() const { return present; }
    // How far the present step's motion has come, 0..1; 1 where motion is off.
    [[nodiscard]] double phase() const { return state.look.motion ? work.phase() : 1.0; }
    [[nodiscard]] float px(float units) const { return ui.px(units); }
    [[nodiscard]] const ui::Palette& colors() const { return ui.colors(); }
    [[nodiscard]] float line(ui::Size size = ui::Size::small) const { return ui.line(size); }
};

Focus resolve_focus(const State& state, const Trace& trace, const Memory& memory);

// The row of a matrix that stands for the token in focus, or its only row.
std::optional<int> focus_row(const Scene& scene, Tensor tensor);

}  // namespace headlight::views
