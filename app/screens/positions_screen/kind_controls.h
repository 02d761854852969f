#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "positions_screen/view.h"
#include "state/fields.h"

namespace headlight::screens {

// The fields of a kind, before and after the sizes of its table.
struct FieldsOfKind {
    std::vector<std::string_view> before, after;
};
FieldsOfKind fields_of(const PositionChoice& choice, const Model& model);

// The settings of the current kind of positions: its fields, and the two sizes of its table, which
// follow from the patch grid or the layer. Settings that are not available are hidden.
class KindControls {
  public:
    KindControls(Frame& frame, const PositionsView& view);
    KindControls(const KindControls&) = delete;
    KindControls& operator=(const KindControls&) = delete;

    // slim: a slider on one line with its label and number, with little spacing.
    [[nodiscard]] float height(bool slim) const;
    // Draws as many as fit, the most important first; takes their space off the rectangle.
    void draw(ui::Layout& rect, bool slim) const;

  private:
    struct Slider {
        std::string name;               // of the widget
        std::string_view label, brief;  // brief: for one line
        std::string words{}, number{};  // value text, for two lines and for one
        std::string help{};
        double value = 0, low = 0, high = 1;
        bool logarithmic = false;
        std::function<void(double)> slide{};
        std::function<void()> let_go{};  // called on release; may be empty
    };
    struct Row {
        const Field* field = nullptr;  // null for a size
        std::optional<Slider> slider;
    };

    // Sets how the slider changes the field.
    void slide_by(Slider& slider, const Field& field) const;
    void add(std::string_view field);
    void add_width(const PositionsView& view);
    void add_length(const PositionsView& view);
    [[nodiscard]] float height_of(const Row& row, bool slim) const;
    static bool has_slim(const Row& row);
    void draw(const Row& row, ui::Layout rect, bool slim) const;
    void draw_slim(const Row& row, ui::Layout rect) const;
    void explain(const ui::Rect& label, std::string_view help) const;  // as a tooltip
    void slide(const Slider& slider, const ui::Rect& rect) const;

    Frame& frame_;
    std::vector<Row> rows_;
};

}  // namespace headlight::screens
