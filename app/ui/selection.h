#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ui/geometry.h"

// Text on the screen that can be selected, and what of it is. Knows no mouse and draws nothing.
namespace headlight::ui {

// Words on one line, as they were set. A page of them stands in the order in which it is read.
struct Piece {
    Rect rect;           // as high as the line
    std::string text;    // as it is copied; never empty
    std::string before;  // what stands between it and the piece before, where both are copied
    bool whole = false;  // taken or left as one: an equation
};
using Pieces = std::vector<Piece>;

// Between two letters: before that byte of the piece.
struct Place {
    std::size_t piece = 0, byte = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
};
struct Range {
    Place from, until;
    [[nodiscard]] bool empty() const { return from == until; }
    // Which bytes of a piece are in it, the first and behind the last; alike where none are.
    [[nodiscard]] std::pair<std::size_t, std::size_t> within(std::size_t piece,
                                                             std::size_t size) const;
    friend bool operator==(const Range&, const Range&) = default;
};

// What a point touches: where a caret would stand, and the letter that it is nearest to.
struct Touch {
    Place caret, letter;
};
// How far the letter that begins with a byte stands from the left edge of its piece.
using Reach = std::function<float(const Piece& piece, std::size_t byte)>;
// Of the piece on the nearest line; above the first line it is the beginning, below the last one
// the end. pieces: not empty.
Touch touch_at(const Pieces& pieces, ImVec2 point, const Reach& reach);

// Letters and digits around a letter, or signs that stand together; blanks end both. Words go on
// where a piece follows another without anything between.
Range word_at(const Pieces& pieces, Place letter);
// What stands between two ends of a line in what would be copied.
Range paragraph_at(const Pieces& pieces, Place letter);

std::string copied(const Pieces& pieces, const Range& range);

// What is selected: letters, or whole words and paragraphs, from where it began to where it was
// dragged.
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
