#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "frame/frame.h"
#include "ui/canvas.h"
#include "ui/selection.h"

namespace headlight::screens {

// The text of a page that scrolls, to be selected by the mouse as everywhere: a drag selects
// letters, a double click a word, a third one a paragraph; Shift goes on from where it began. Kept
// from frame to frame; of each frame it is told all pieces of text, in the order of reading.
class Selecting {
  public:
    // Within the page's window, before its first piece. Another page, nothing is selected.
    void begin(long page);
    // The next piece: draws what is selected of it, on which its text is to be drawn. True where
    // there is any.
    bool add(Frame& frame, ui::Piece piece, const ui::TextStyle& style);
    // A link or an answer that is held: the mouse may begin to select on it all the same.
    void hold(bool held) { on_words_ = on_words_ || held; }
    // The mouse selects: what it lets go of is not clicked.
    [[nodiscard]] bool drags() const { return drags_; }
    // Within the page's window, after its last piece: takes the mouse, and the keys since.
    void end(Frame& frame);

    // Ctrl+A where the pointer is, or last clicked; Ctrl+C and Escape where text is selected.
    bool takes_key(std::string_view key);

  private:
    // How far from its piece's left edge the letter stands that begins with that byte.
    [[nodiscard]] float reach(Frame& frame, std::size_t piece, std::size_t byte) const;
    [[nodiscard]] ui::Touch touch(Frame& frame) const;  // by the pointer
    [[nodiscard]] bool on_text() const;                 // it is
    void press(Frame& frame);
    void drag(Frame& frame);

    ui::Selection chosen_;
    ui::Pieces pieces_;
    std::vector<ui::TextStyle> styles_;  // of the pieces
    ui::Rect lit_;                       // what was drawn last, where it reached its piece's end
    long page_ = -1;
    std::size_t count_ = 0;  // of pieces, in the last frame
    ImVec2 pressed_at_;
    bool pressed_ = false, drags_ = false, on_words_ = false;
    bool hovered_ = false, clicked_last_ = false;
    bool copies_ = false, takes_all_ = false;  // asked for by keys
};

}  // namespace headlight::screens
