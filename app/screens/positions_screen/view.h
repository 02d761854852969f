#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/rotary_profile.h"
#include "frame/shown.h"
#include "frame/studies.h"
#include "state/order_study.h"
#include "state/position_study.h"
#include "ui/plot.h"

// Shared by the parts of the Positions screen.
namespace headlight::screens {

// The offset from one patch to another.
struct Offset {
    int right = 0, down = 0;

    friend bool operator==(const Offset&, const Offset&) = default;
};

// A place in the order that is being dragged, and one that was clicked and waits for a second.
struct OrderHand {
    std::optional<int> from, picked;
};
// The picture with its patches in the shown order.
struct OrderedPicture {
    std::shared_ptr<const Image> of, image;
    std::vector<Index> order;
};

// Distances of all positions from one of them, in a table.
struct Distances {
    std::uint64_t version = 0;
    int patch = -1;
    SharedResult found;  // [1, P]
};

// A table with more cells than pixels, as means of blocks of cells.
struct TableMeans {
    std::uint64_t version = 0;
    int rows_each = 1, cols_each = 1;
    SharedResult found;
};

struct PositionsMemory {
    TableMeans means;
    std::shared_ptr<const OrderFinder::Said> order_said;  // for the shown order
    Distances distances;
    OrderHand order_hand;
    std::array<OrderHand, 3> word_hands;  // one per row of words
    OrderedPicture ordered_picture;
    std::optional<int> hovered_channel, next_hovered_channel;
    std::optional<Offset> hovered_offset, next_hovered_offset;
};

struct PositionsView {
    std::shared_ptr<const PositionFinder::Said> said;
    const StudiedTable* table = nullptr;   // the current one or, if none is added, the other
    const StudiedTable* beside = nullptr;  // null: not possible
    // For models that add a bias to the scores for every offset; there is no table then. Null: no
    // bias.
    const StudiedBiases* bias = nullptr;
    const StudiedBias* head = nullptr;  // of the current head
    int head_index = 0;
    int patch = 0;           // focused, or the middle one
    int channel = 0;         // hovered, or else selected
    Offset offset;           // for M(k): hovered, or else selected
    int rows = 0, cols = 0;  // of the patch grid

    [[nodiscard]] const PositionChoice& choice() const {
        return bias != nullptr ? bias->choice : table->choice;
    }
    [[nodiscard]] int dim() const { return static_cast<int>(table->table->view().cols); }
    [[nodiscard]] Offset between(int from, int to) const {
        return {to % cols - from % cols, to / cols - from / cols};
    }
    // The patch at the offset from the focused one.
    [[nodiscard]] std::optional<int> patch_there() const {
        const int row = patch / cols + offset.down, col = patch % cols + offset.right;
        if (row < 0 || row >= rows || col < 0 || col >= cols) return {};
        return row * cols + col;
    }
};

// The kind that the user asked for, even before it is computed. For the baseline, and for a refused
// request, the kind that is shown.
const PositionChoice& wanted(const Frame& frame);
// Sets a field as an undo step of its own.
void set_once(Frame& frame, std::string_view field, const std::string& value);

// One patch's or one channel's values over the picture.
Shown over_grid(const PositionsView& view, const SharedResult& matrix, int row,
                const ui::ColorScale& scale);
// The scale for values of Look::pair_measure, from the smallest to the largest shown, so that
// structure is visible at any level. Cosines of both tables share one scale.
ui::ColorScale likeness_scale(Frame& frame, const PositionsView& view, const StudiedTable& table);
std::string_view name_of_measure(const Frame& frame);  // "cosine"
std::string name_of_kind(const Frame& frame, const PositionsView& view,
                         const PositionChoice& choice);
// The picture with one value per patch.
void picture_with(Frame& frame, ui::Layout rect, const PositionsView& view, const Shown& map,
                  const std::string& name);
Index token_of_patch(const Frame& frame, int patch);
// "token 15 · row 2, column 5"; for given tokens "token 15 · cat".
std::string name_and_place(const Frame& frame, int patch);
void focus_on_patch(Frame& frame, int patch);  // as if hovered
void pin_patch(Frame& frame, int patch);       // as if clicked
std::optional<Index> pinned_patch(const Frame& frame);

// The parts, each of which fills its rectangle.
void position_table_part(Frame& frame, ui::Layout rect, const PositionsView& view,
                         PositionsMemory& memory);
void clock_hands(Frame& frame, ui::Layout rect, const PositionsView& view);
void waves(Frame& frame, ui::Layout rect, const PositionsView& view);
void channel_over_picture(Frame& frame, ui::Layout rect, const PositionsView& view);
void likeness_over_picture(Frame& frame, ui::Layout rect, const PositionsView& view);
void sheet_of(Frame& frame, ui::Layout rect, const PositionsView& view, const StudiedTable& table,
              const std::string& name, PositionsMemory& memory);
void pairs_part(Frame& frame, ui::Layout rect, const PositionsView& view, PositionsMemory& memory);
float pairs_height(Frame& frame, float side);  // of a square of that width, with what is around it
void profile_part(Frame& frame, ui::Layout rect, const PositionsView& view,
                  PositionsMemory& memory);
// The linear probe over the residual stream, or the added table and the tokens:
// Look::position_plot. `choices`: where the choice of plot is drawn; empty: above the plot.
void readout_part(Frame& frame, ui::Layout rect, const PositionsView& view, PositionsMemory& memory,
                  std::optional<ui::Rect> choices = {});
ReadoutQuestion readout_question(const Frame& frame);
void added_part(Frame& frame, ui::Layout rect);
// For the focused patch's query and key in the current head before rotation; empty if there are
// none.
const std::optional<RotaryProfile>& rotation_profile(Frame& frame, const PositionsView& view);
void rotation_part(Frame& frame, ui::Layout rect, const PositionsView& view);
// The table's properties, or M(k): Look::position_card.
void properties_part(Frame& frame, ui::Rect rect, const PositionsView& view);
RotationQuestion rotation_question(const PositionsView& view);
// M(k), the rotation of each channel pair; fills the space below the card's header.
void turns_part(Frame& frame, ui::Layout rect, const PositionsView& view);
// Relative tolerance for a claim to count as exact: relative to a row's length, to 1 for a cosine
// or a bound, or to a bias's largest value. Rounding to float gives less than 2e-7.
inline constexpr double kExact = 1e-6;
std::string small_number(double value);  // "0", "3e-08", "0.25"
// For a relative position bias: its table as a picture, its middle row and column, all heads', and
// its values for the focused patch.
void bias_picture_part(Frame& frame, ui::Layout rect, const PositionsView& view);
void bias_profile_part(Frame& frame, ui::Layout rect, const PositionsView& view);
// Offsets from query to key along a row or a column, with 0 in the middle of the plot: a curve, and
// the numbers at the offset under the pointer.
void curve_around(Frame& frame, const ui::Plot& plot, const std::vector<double>& values,
                  ImU32 color);
void tip_around(Frame& frame, const ui::Plot& plot, const std::vector<double>& along_row,
                const std::vector<double>& down_column);
void bias_heads_part(Frame& frame, ui::Layout rect, const PositionsView& view);
void bias_over_picture(Frame& frame, ui::Layout rect, const PositionsView& view);
void reading_with_bias(Frame& frame, ui::Layout rect, const PositionsView& view);
void reading_without_bias(Frame& frame, ui::Layout rect, const PositionsView& view);
void kind_part(Frame& frame, ui::Layout rect, const PositionsView& view);
void order_part(Frame& frame, ui::Layout rect, const PositionsView& view, PositionsMemory& memory);
void order_of_row_part(Frame& frame, ui::Layout rect, const PositionsView& view,
                       PositionsMemory& memory);
// The waves that distinguish two positions: Look::other_position.
void apart_part(Frame& frame, ui::Layout rect, const PositionsView& view, PositionsMemory& memory);
// Answers an Export request: the curves by name, or the one under the pointer.
void answer_positions(Frame& frame, const PositionsView& view, PositionsMemory& memory);
// The position that the focused one is compared with: the chosen one, or else a neighbor.
int other_position(const Frame& frame, const PositionsView& view);
// The whole screen for given tokens in a sequence.
void positions_of_row(Frame& frame, ui::Layout rect, const PositionsView& view,
                      PositionsMemory& memory);
// Two of the parts in lecture view.
void positions_lecture(Frame& frame, ui::Layout rect, const PositionsView& view,
                       PositionsMemory& memory);

}  // namespace headlight::screens
