#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "positions_screen/view.h"
#include "state/fields.h"

namespace headlight::screens {

// The fields of a kind; those before its extents, and those after.
struct FieldsOfKind {
    std::vector<std::string_view> before, after;
};
FieldsOfKind fields_of(const PositionChoice& choice, const Model& model);

// What the present kind of positions is made with: fields, and the two extents of its table, which
// follow from how the picture is cut or from the layer. What cannot be chosen here is not there.
class KindControls {
  public:
    KindControls(Frame& frame, const PositionsView& view);
    KindControls(const KindControls&) = delete;
    KindControls& operator=(const KindControls&) = delete;

    // slim: a slider in one line with its name and its number, not in two, and all close.
    [[nodiscard]] float height(bool slim) const;
    // As many as there is room for, the most important first; takes its part of the rectangle.
    void draw(ui::Rect& rect, bool slim) const;

  private:
    struct Slider {
        std::string name;               // of the widget
        std::string_view label, brief;  // brief: in one line
        std::string words{}, number{};  // where it is, in two lines and in one
        std::string help{};
        double value = 0, low = 0, high = 1;
        bool logarithmic = false;
        std::function<void(double)> slide{};
        std::function<void()> let_go{};  // may be empty
    };
    struct Row {
        const Field* field = nullptr;  // null: of an extent
        std::optional<Slider> slider;
    };

    // Where it slides the field, and how.
    void slide_by(Slider& slider, const Field& field) const;
    void add(std::string_view field);
    void add_width(const PositionsView& view);
    void add_length(const PositionsView& view);
    [[nodiscard]] float height_of(const Row& row, bool slim) const;
    static bool has_slim(const Row& row);
    void draw(const Row& row, ui::Rect rect, bool slim) const;
    void draw_slim(const Row& row, ui::Rect rect) const;
    void explain(const ui::Rect& label, std::string_view help) const;  // where it is hovered
    void slide(const Slider& slider, const ui::Rect& rect) const;

    Frame& frame_;
    std::vector<Row> rows_;
};

}  // namespace headlight::screens
