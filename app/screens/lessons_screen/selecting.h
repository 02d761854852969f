#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "frame/frame.h"
#include "ui/canvas.h"
#include "ui/selection.h"

namespace headlight::screens {

// Mouse selection in the text of a scrolling page: a drag selects letters, a double click a word, a
// triple click a paragraph; Shift extends the selection. Kept between frames; each frame adds all
// pieces of text in reading order.
class Selecting {
  public:
    // Call within the page's window, before its first piece. Another page clears the selection.
    void begin(long page);
    // Adds the next piece and draws its selection background; draw the text on top. True if any of
    // it is selected.
    bool add(Frame& frame, ui::Piece piece, const ui::TextStyle& style);
    // A link or an answer is pressed: a drag may still start a selection on it.
    void hold(bool held) { on_words_ = on_words_ || held; }
    // Whether the mouse is selecting; its release is then no click.
    [[nodiscard]] bool drags() const { return drags_; }
    // Call within the page's window, after its last piece: handles the mouse and the keys.
    void end(Frame& frame);

    // Ctrl+A where the pointer is or last clicked; Ctrl+C and Escape if text is selected.
    bool takes_key(std::string_view key);

  private:
    // Distance of the letter at that byte from its piece's left edge, in pixels.
    [[nodiscard]] float reach(Frame& frame, std::size_t piece, std::size_t byte) const;
    [[nodiscard]] ui::Touch touch(Frame& frame) const;  // of the pointer
    [[nodiscard]] bool on_text() const;                 // whether the pointer is
    void press(Frame& frame);
    void drag(Frame& frame);

    ui::Selection chosen_;
    ui::Pieces pieces_;
    std::vector<ui::TextStyle> styles_;  // of the pieces
    ui::Rect lit_;                       // the last background, if it reached the end of its piece
    long page_ = -1;
    std::size_t count_ = 0;  // pieces in the last frame
    ImVec2 pressed_at_;
    bool pressed_ = false, drags_ = false, on_words_ = false;
    bool hovered_ = false, clicked_last_ = false;
    bool copies_ = false, takes_all_ = false;  // requested by keys
};

}  // namespace headlight::screens
