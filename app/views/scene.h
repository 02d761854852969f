#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/summary.h"
#include "state/workspace.h"
#include "ui/controls.h"
#include "ui/heatmap_view.h"
#include "views/focus.h"

namespace headlight::views {

struct FileBrowser;

// Matrices made from a trace's for showing only (a transpose, a difference, one column), kept while
// they are looked at.
class Derived {
  public:
    // Kind; version and place of one or two sources; rows and columns (parts of one matrix may
    // begin at the same place).
    using Key =
        std::tuple<int, std::uint64_t, const float*, std::uint64_t, const float*, Index, Index>;
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
    Panel panel = Panel::nothing;  // in the last frame
    std::unique_ptr<FileBrowser> browser;
    std::vector<std::string> licences;  // lines of the About panel, read when first shown
};

// A matrix as the person wants to see it: of the shown trace, or the difference.
struct Shown {
    MatrixView view;
    ui::Cells cells;
    const MatrixSummary* summary = nullptr;
    ui::ColorScale scale;
    bool comparable = true;  // false: A has no such matrix of this shape, so there are no cells
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
    StepInfo described;  // the present step
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
    [[nodiscard]] Step step() const { return state.selection.step; }
    // The present step in the words of this model.
    [[nodiscard]] const StepInfo& step_info() const { return described; }
    // How far the present step's motion has come, 0..1; 1 where motion is off.
    [[nodiscard]] double phase() const { return state.look.motion ? work.phase() : 1.0; }
    [[nodiscard]] float px(float units) const { return ui.px(units); }
    [[nodiscard]] const ui::Palette& colors() const { return ui.colors(); }
    [[nodiscard]] float line(ui::Size size = ui::Size::small) const { return ui.line(size); }
};

Focus resolve_focus(const State& state, const Trace& trace, const Memory& memory);

Shown shown(Scene& scene, Tensor tensor, int head);
// The same with rows and columns exchanged, e.g. for Kᵀ above its product.
Shown shown_transposed(Scene& scene, Tensor tensor, int head);
// One row or one column of a matrix that holds several kinds of numbers (γ and β, mean and
// deviation), coloured by its own range.
enum class Line { row, column };
Shown shown_line(Scene& scene, Tensor tensor, Line line, Index index);
// Whose reading: a head's, all heads' on average, or the rollout's over all layers.
using Reader = int;
inline constexpr Reader kAllHeads = -1, kRollout = -2;

// What each token reads of each [N, N]; without cells where there is no such matrix.
Shown shown_reading(Scene& scene, Reader reader);
// One token's row ("reads from") or column ("read by") of it, laid out as the patch grid.
Shown shown_token_map(Scene& scene, Reader reader, int token);

// The row of a matrix that stands for the token in focus, or its only row.
std::optional<int> focus_row(const Scene& scene, Tensor tensor);

// The largest size of a number in any head's map of this token: what a shared range reaches to.
float shared_reach(Scene& scene, int token);

ui::Hue hue_of(Tensor tensor);
ImU32 color_of(Scene& scene, Tensor tensor);  // of its role, or of its head
std::optional<Tensor> tensor_named(std::string_view name);

// What an axis of a tensor counts: "N = 100 tokens", "head_dim = 16"
std::string axis_text(const Trace& trace, Tensor tensor, Axis axis, Index count);
std::string shape_text_of(const Trace& trace, Tensor tensor);  // "4×100×16"
std::string_view title_of(const Scene& scene, Tensor tensor);  // CLIP has no logits
std::string_view letter_of(Tensor tensor);  // its symbol without a subscript: "W"
// For ui::parse_equation: the symbol with its name, its subscript, and the head where there is one.
std::string symbol_markup(const Scene& scene, Tensor tensor, int head);

}  // namespace headlight::views
