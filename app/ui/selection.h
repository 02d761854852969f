#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ui/geometry.h"

// Selectable text on the screen, and its selection. Independent of the mouse and of drawing.
namespace headlight::ui {

// Text set on one line. The pieces of a page are in reading order.
struct Piece {
    Rect rect;           // with the height of the line
    std::string text;    // for copying; never empty
    std::string before;  // text between it and the previous piece when both are copied
    bool whole = false;  // selected as a whole or not at all: an equation
};
using Pieces = std::vector<Piece>;

// A position between two letters: before that byte of the piece.
struct Place {
    std::size_t piece = 0, byte = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
};
struct Range {
    Place from, until;
    [[nodiscard]] bool empty() const { return from == until; }
    // The selected bytes of a piece, [first, end); first == end if there are none.
    [[nodiscard]] std::pair<std::size_t, std::size_t> within(std::size_t piece,
                                                             std::size_t size) const;
    friend bool operator==(const Range&, const Range&) = default;
};

// What a point hits: the caret position, and the nearest letter.
struct Touch {
    Place caret, letter;
};
// Distance of the letter at a byte from the left edge of its piece, in pixels.
using Reach = std::function<float(const Piece& piece, std::size_t byte)>;
// Hits the nearest line; above the first line its beginning, below the last one its end. pieces:
// not empty.
Touch touch_at(const Pieces& pieces, ImVec2 point, const Reach& reach);

// The word around a letter: letters and digits, or consecutive signs, up to a space. A word
// continues into the next piece if nothing is between them.
Range word_at(const Pieces& pieces, Place letter);
// The range between two line breaks in the copied text.
Range paragraph_at(const Pieces& pieces, Place letter);

std::string copied(const Pieces& pieces, const Range& range);

// The selection in letters, or whole words or paragraphs, from its start to where it was dragged.
class Selection {
  public:
    enum class By { letters, words, paragraphs };

    void press(const Pieces& pieces, const Touch& touch, By by);
    void drag(const Pieces& pieces, const Touch& touch);
    void take_all(const Pieces& pieces);
    void clear() { range_ = anchor_ = {}; }

    [[nodiscard]] const Range& range() const { return range_; }
    [[nodiscard]] bool empty() const { return range_.empty(); }

  private:
    [[nodiscard]] Range unit_at(const Pieces& pieces, const Touch& touch) const;

    By by_ = By::letters;
    Range anchor_, range_;
};

}  // namespace headlight::ui
