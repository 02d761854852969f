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

// What the parts of the positions' screen share.
namespace headlight::screens {

// From one patch to another.
struct Offset {
    int right = 0, down = 0;

    friend bool operator==(const Offset&, const Offset&) = default;
};

// A place of the order that the mouse holds, and one that was clicked and waits for another.
struct OrderHand {
    std::optional<int> from, picked;
};
// The picture in the order that is shown.
struct OrderedPicture {
    std::shared_ptr<const Image> of, image;
    std::vector<Index> order;
};

// Of every position from one of them, by a table.
struct Distances {
    std::uint64_t version = 0;
    int patch = -1;
    SharedResult found;  // [1, P]
};

// A table with more cells than there are pixels, as means of blocks of cells.
struct TableMeans {
    std::uint64_t version = 0;
    int rows_each = 1, cols_each = 1;
    SharedResult found;
};

struct PositionsMemory {
    TableMeans means;
    std::shared_ptr<const OrderFinder::Said> order_said;  // that is shown
    Distances distances;
    OrderHand order_hand;
    std::array<OrderHand, 3> word_hands;  // of each of the rows of words
    OrderedPicture ordered_picture;
    std::optional<int> hovered_channel, next_hovered_channel;
    std::optional<Offset> hovered_offset, next_hovered_offset;
};

struct PositionsView {
    std::shared_ptr<const PositionFinder::Said> said;
    const StudiedTable* table = nullptr;   // the present one; where none is added, the other
    const StudiedTable* beside = nullptr;  // null: there can be none
    // Of scores that get a number for every offset; then there is no table. Null: none are added.
    const StudiedBiases* bias = nullptr;
    const StudiedBias* head = nullptr;  // of the head that is shown
    int head_index = 0;
    int patch = 0;           // in focus, or the middle one
    int channel = 0;         // hovered, else chosen
    Offset offset;           // of M(k): hovered, else chosen
    int rows = 0, cols = 0;  // of the patches

    [[nodiscard]] const PositionChoice& choice() const {
        return bias != nullptr ? bias->choice : table->choice;
    }
    [[nodiscard]] int dim() const { return static_cast<int>(table->table->view().cols); }
    [[nodiscard]] Offset between(int from, int to) const {
        return {to % cols - from % cols, to / cols - from / cols};
    }
    // The patch at the offset from the one in focus.
    [[nodiscard]] std::optional<int> patch_there() const {
        const int row = patch / cols + offset.down, col = patch % cols + offset.right;
        if (row < 0 || row >= rows || col < 0 || col >= cols) return {};
        return row * cols + col;
    }
};

// What the person asks for, before it has been computed; of what was kept, and where what is asked
// for was refused, what is shown.
const PositionChoice& wanted(const Frame& frame);
// A click or a key that undo takes back by itself.
void set_once(Frame& frame, std::string_view field, const std::string& value);

// One patch's or one channel's numbers over the picture.
Shown over_grid(const PositionsView& view, const SharedResult& matrix, int row,
                const ui::ColorScale& scale);
// Of what is held against each other by Look::pair_measure: from the least to the greatest number
// that is shown, so that structure is seen whatever its level. Cosines of both tables have one
// scale.
ui::ColorScale likeness_scale(Frame& frame, const PositionsView& view, const StudiedTable& table);
std::string_view name_of_measure(const Frame& frame);  // "cosine"
std::string name_of_kind(const Frame& frame, const PositionsView& view,
                         const PositionChoice& choice);
// The picture with one number for each patch.
void picture_with(Frame& frame, ui::Rect rect, const PositionsView& view, const Shown& map,
                  const std::string& name);
Index token_of_patch(const Frame& frame, int patch);
// "token 15 · row 2, column 5"; of tokens that were given "token 15 · cat".
std::string name_and_place(const Frame& frame, int patch);
void focus_on_patch(Frame& frame, int patch);  // as if it were hovered
void pin_patch(Frame& frame, int patch);       // as if it were clicked
std::optional<Index> pinned_patch(const Frame& frame);
// The first that fits into the rectangle, else the last: the more words the better.
void caption_that_fits(Frame& frame, const ui::Rect& rect,
                       std::initializer_list<std::string> captions);

// Where curves are drawn, and which numbers its lower and upper edge are.
struct Plot {
    ui::Rect rect;
    double low = 0, high = 1;
};
// `levels`: the words beside it, from the top to the bottom, evenly apart.
Plot plot_in(Frame& frame, ui::Rect rect, const std::vector<std::string_view>& levels, double low,
             double high);
// Values 0..last from the left to the right; NaN is left out, and what lies outside is at the edge.
void curve(Frame& frame, const Plot& plot, const std::vector<double>& values, std::size_t last,
           ImU32 color);

// The parts. Each takes all of its rectangle.
void position_table_part(Frame& frame, ui::Rect rect, const PositionsView& view,
                         PositionsMemory& memory);
void clock_hands(Frame& frame, ui::Rect rect, const PositionsView& view);
void waves(Frame& frame, ui::Rect rect, const PositionsView& view);
void channel_over_picture(Frame& frame, ui::Rect rect, const PositionsView& view);
void likeness_over_picture(Frame& frame, ui::Rect rect, const PositionsView& view);
void sheet_of(Frame& frame, ui::Rect rect, const PositionsView& view, const StudiedTable& table,
              const std::string& name, PositionsMemory& memory);
void pairs_part(Frame& frame, ui::Rect rect, const PositionsView& view, PositionsMemory& memory);
float pairs_height(Frame& frame, float side);  // of a square that wide, and what stands around it
void profile_part(Frame& frame, ui::Rect rect, const PositionsView& view, PositionsMemory& memory);
// Places that are read off the stream, or what is added among the tokens: Look::position_plot.
// `choices`: where what is plotted is chosen; none: above the plot.
void readout_part(Frame& frame, ui::Rect rect, const PositionsView& view, PositionsMemory& memory,
                  std::optional<ui::Rect> choices = {});
ReadoutQuestion readout_question(const Frame& frame);
void added_part(Frame& frame, ui::Rect rect);
// Of the query and the key of the patch in focus, as the present head has them before they are
// turned; nothing where there are none.
const std::optional<RotaryProfile>& rotation_profile(Frame& frame, const PositionsView& view);
void rotation_part(Frame& frame, ui::Rect rect, const PositionsView& view);
// What is claimed of the table, or M(k): Look::position_card.
void properties_part(Frame& frame, ui::Rect rect, const PositionsView& view);
RotationQuestion rotation_question(const PositionsView& view);
// M(k), the rotation of each pair of channels; takes what is below the card's head.
void turns_part(Frame& frame, ui::Rect rect, const PositionsView& view);
// How exact a claim has to be, relative to what its number is of: a row's length, the number 1 of a
// cosine or of a bound, a bias's largest number. What rounding to float leaves is below 2e-7.
inline constexpr double kExact = 1e-6;
std::string small_number(double value);  // "0", "3e-08", "0.25"
// Of a relative bias: its table as a picture, its middle row and column, all heads', and what it is
// to the patch in focus.
void bias_picture_part(Frame& frame, ui::Rect rect, const PositionsView& view);
void bias_profile_part(Frame& frame, ui::Rect rect, const PositionsView& view);
void bias_heads_part(Frame& frame, ui::Rect rect, const PositionsView& view);
void bias_over_picture(Frame& frame, ui::Rect rect, const PositionsView& view);
void reading_with_bias(Frame& frame, ui::Rect rect, const PositionsView& view);
void reading_without_bias(Frame& frame, ui::Rect rect, const PositionsView& view);
void kind_part(Frame& frame, ui::Rect rect, const PositionsView& view);
void order_part(Frame& frame, ui::Rect rect, const PositionsView& view, PositionsMemory& memory);
void order_of_row_part(Frame& frame, ui::Rect rect, const PositionsView& view,
                       PositionsMemory& memory);
// Which waves tell two positions apart: Look::other_position.
void apart_part(Frame& frame, ui::Rect rect, const PositionsView& view, PositionsMemory& memory);
// Answers what is wanted of Export: the curves by name, or the one under the pointer.
void answer_positions(Frame& frame, const PositionsView& view, PositionsMemory& memory);
// That the one in focus is told apart from: the one that was chosen, else the neighbor.
int other_position(const Frame& frame, const PositionsView& view);
// All of it where tokens were given and lie in a row.
void positions_of_row(Frame& frame, ui::Rect rect, const PositionsView& view,
                      PositionsMemory& memory);
// Two of them in lecture view.
void positions_lecture(Frame& frame, ui::Rect rect, const PositionsView& view,
                       PositionsMemory& memory);

}  // namespace headlight::screens
