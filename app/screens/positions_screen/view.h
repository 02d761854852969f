#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frame/shown.h"
#include "state/position_study.h"

// What the parts of the positions' screen share.
namespace headlight::screens {

struct PositionsMemory {
    std::unique_ptr<PositionStudent> student = make_position_student();
    std::unique_ptr<Shuffler> shuffler = make_shuffler();
    std::unique_ptr<PositionReader> reader = make_position_reader();
    std::unique_ptr<AddedStudent> added = make_added_student();
    std::optional<int> hovered_channel, next_hovered_channel;
};

struct PositionsView {
    std::shared_ptr<const PositionStudent::Said> said;
    const StudiedTable* table = nullptr;   // the present one; where none is added, the other
    const StudiedTable* beside = nullptr;  // null: there can be none
    // Of scores that get a number for every offset; then there is no table. Null: none are added.
    const StudiedBiases* bias = nullptr;
    const StudiedBias* head = nullptr;  // of the head that is shown
    int head_index = 0;
    int patch = 0;           // in focus, or the middle one
    int channel = 0;         // hovered, else chosen
    int rows = 0, cols = 0;  // of the patches

    [[nodiscard]] const PositionChoice& choice() const {
        return bias != nullptr ? bias->choice : table->choice;
    }
    [[nodiscard]] int dim() const { return static_cast<int>(table->table->view().cols); }
};

// One patch's or one channel's numbers over the picture.
Shown over_grid(const PositionsView& view, const SharedResult& matrix, int row,
                const ui::ColorScale& scale);
ui::ColorScale cosine_scale(Frame& frame);
std::string name_of_kind(const Frame& frame, const PositionChoice& choice);
// The picture with one number for each patch.
void picture_with(Frame& frame, ui::Rect rect, const PositionsView& view, const Shown& map,
                  const std::string& name);
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
              const std::string& name);
void cosine_part(Frame& frame, ui::Rect rect, const PositionsView& view);
void profile_part(Frame& frame, ui::Rect rect, const PositionsView& view);
// Places that are read off the stream, or what is added among the tokens: Look::position_plot.
void readout_part(Frame& frame, ui::Rect rect, PositionsMemory& memory);
void added_part(Frame& frame, ui::Rect rect, PositionsMemory& memory);
void rotation_part(Frame& frame, ui::Rect rect, const PositionsView& view);
void properties_part(Frame& frame, ui::Rect rect, const PositionsView& view);
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
// Two of them in lecture view.
void positions_lecture(Frame& frame, ui::Rect rect, const PositionsView& view,
                       PositionsMemory& memory);

}  // namespace headlight::screens
