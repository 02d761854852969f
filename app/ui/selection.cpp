#include "ui/selection.h"

#include <algorithm>
#include <optional>

#include "ui/utf8.h"

namespace headlight::ui {

namespace {

// Distance of a value from the interval that starts at `low` with length `size`.
float outside(float value, float low, float size) {
    return std::max({low - value, value - (low + size), 0.0F});
}

std::size_t nearest(const Pieces& pieces, ImVec2 point) {
    const auto farther = [&](const Piece& a, const Piece& b) {
        const auto distance = [&](const Rect& r) {
            return std::pair{outside(point.y, r.y, r.h), outside(point.x, r.x, r.w)};
        };
        return distance(a.rect) < distance(b.rect);
    };
    return static_cast<std::size_t>(std::ranges::min_element(pieces, farther) - pieces.begin());
}

// ---- letters

std::size_t next_byte(std::string_view text, std::size_t byte) {
    return byte + first_letter(text.substr(byte)).bytes.size();
}
std::size_t last_byte(std::string_view text, std::size_t end) {
    return without_last_letter(text.substr(0, end)).size();
}

enum class Kind { word, blank, sign };

Kind kind_of(char32_t point) {
    if (point == ' ' || point == '\t' || point == 0xA0) return Kind::blank;
    const bool ascii_word = (point >= '0' && point <= '9') || (point >= 'a' && point <= 'z') ||
                            (point >= 'A' && point <= 'Z') || point == '_';
    // Outside ASCII nearly all characters are letters, except general punctuation and two quotes.
    const bool other_word =
        point > 0xA0 && !(point >= 0x2000 && point < 0x2070) && point != 0xAB && point != 0xBB;
    return ascii_word || other_word ? Kind::word : Kind::sign;
}

bool is_digit(std::string_view text, std::size_t byte) {
    return byte < text.size() && text[byte] >= '0' && text[byte] <= '9';
}
bool is_word(std::string_view text, std::size_t byte) {
    return byte < text.size() && kind_of(first_letter(text.substr(byte)).point) == Kind::word;
}

// A period within a number, and an apostrophe within a word, belong to it.
Kind kind_at(std::string_view text, std::size_t byte) {
    const char32_t point = first_letter(text.substr(byte)).point;
    const Kind kind = kind_of(point);
    if (kind != Kind::sign || byte == 0) return kind;
    const std::size_t before = last_byte(text, byte), behind = next_byte(text, byte);
    const bool in_number =
        (point == '.' || point == ',') && is_digit(text, before) && is_digit(text, behind);
    const bool in_word =
        (point == '\'' || point == 0x2019) && is_word(text, before) && is_word(text, behind);
    return in_number || in_word ? Kind::word : kind;
}

// ---- from letter to letter, across adjacent pieces

std::optional<Place> letter_before(const Pieces& pieces, Place at) {
    if (at.byte > 0) return Place{at.piece, last_byte(pieces[at.piece].text, at.byte)};
    if (at.piece == 0 || !pieces[at.piece].before.empty()) return {};
    const Piece& piece = pieces[at.piece - 1];
    if (piece.whole) return {};
    return Place{at.piece - 1, last_byte(piece.text, piece.text.size())};
}

std::optional<Place> letter_at(const Pieces& pieces, Place at) {
    if (at.byte < pieces[at.piece].text.size()) return at;
    if (at.piece + 1 == pieces.size() || !pieces[at.piece + 1].before.empty()) return {};
    if (pieces[at.piece + 1].whole) return {};
    return Place{at.piece + 1, 0};
}

bool ends_line(const Piece& piece) { return piece.before.find('\n') != std::string::npos; }

Place end_of(const Pieces& pieces, std::size_t piece) { return {piece, pieces[piece].text.size()}; }

}  // namespace

std::pair<std::size_t, std::size_t> Range::within(std::size_t piece, std::size_t size) const {
    if (piece < from.piece || piece > until.piece) return {0, 0};
    const std::size_t begin = piece == from.piece ? std::min(from.byte, size) : 0,
                      end = piece == until.piece ? std::min(until.byte, size) : size;
    return {begin, std::max(begin, end)};
}

Touch touch_at(const Pieces& pieces, ImVec2 point, const Reach& reach) {
    float top = pieces.front().rect.y, bottom = top;
    for (const Piece& piece : pieces) bottom = std::max(bottom, piece.rect.y + piece.rect.h);
    if (point.y < top) return {{}, {}};
    const std::size_t i = point.y > bottom ? pieces.size() - 1 : nearest(pieces, point);
    const Piece& piece = pieces[i];
    const std::size_t size = piece.text.size();
    if (point.y > bottom) return {{i, size}, {i, last_byte(piece.text, size)}};
    const float x = point.x - piece.rect.x;
    if (piece.whole) return {{i, x < piece.rect.w / 2 ? 0 : size}, {i, 0}};
    std::size_t letter = 0;
    for (std::size_t next = next_byte(piece.text, 0); next < size && reach(piece, next) <= x;
         next = next_byte(piece.text, next))
        letter = next;
    const std::size_t behind = next_byte(piece.text, letter);
    const bool left = x < (reach(piece, letter) + reach(piece, behind)) / 2;
    return {{i, left ? letter : behind}, {i, letter}};
}

Range word_at(const Pieces& pieces, Place letter) {
    if (pieces[letter.piece].whole) return {{letter.piece, 0}, end_of(pieces, letter.piece)};
    const auto kind = [&](Place at) { return kind_at(pieces[at.piece].text, at.byte); };
    const Kind of = kind(letter);
    Range word{letter, letter};
    while (const auto at = letter_before(pieces, word.from)) {
        if (kind(*at) != of) break;
        word.from = *at;
    }
    while (const auto at = letter_at(pieces, word.until)) {
        if (kind(*at) != of) break;
        word.until = {at->piece, next_byte(pieces[at->piece].text, at->byte)};
    }
    return word;
}

Range paragraph_at(const Pieces& pieces, Place letter) {
    std::size_t first = letter.piece, last = letter.piece;
    while (first > 0 && !ends_line(pieces[first])) --first;
    while (last + 1 < pieces.size() && !ends_line(pieces[last + 1])) ++last;
    return {{first, 0}, end_of(pieces, last)};
}

std::string copied(const Pieces& pieces, const Range& range) {
    std::string text;
    for (std::size_t i = range.from.piece; i <= range.until.piece && i < pieces.size(); ++i) {
        const auto [begin, end] = range.within(i, pieces[i].text.size());
        if (begin == end) continue;
        if (!text.empty()) text += pieces[i].before;
        text.append(pieces[i].text, begin, end - begin);
    }
    return text;
}

Range Selection::unit_at(const Pieces& pieces, const Touch& touch) const {
    switch (by_) {
        case By::words:
            return word_at(pieces, touch.letter);
        case By::paragraphs:
            return paragraph_at(pieces, touch.letter);
        case By::letters:
            break;
    }
    return {touch.caret, touch.caret};
}

void Selection::press(const Pieces& pieces, const Touch& touch, By by) {
    by_ = by;
    range_ = anchor_ = unit_at(pieces, touch);
}

void Selection::drag(const Pieces& pieces, const Touch& touch) {
    const Range unit = unit_at(pieces, touch);
    range_ = {std::min(anchor_.from, unit.from), std::max(anchor_.until, unit.until)};
}

void Selection::take_all(const Pieces& pieces) {
    by_ = By::letters;
    anchor_ = {};
    range_ = pieces.empty() ? Range{} : Range{{}, end_of(pieces, pieces.size() - 1)};
}

}  // namespace headlight::ui
