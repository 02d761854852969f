#include "ui/selection.h"

#include <gtest/gtest.h>

#include "ui/theme.h"

namespace headlight::ui {
namespace {

constexpr float kLetter = 10, kLine = 20;

// All characters are one byte and have the same width.
float reach(const Piece& /*piece*/, std::size_t byte) { return kLetter * static_cast<float>(byte); }

Piece piece(float x, float line, const std::string& text, const std::string& before) {
    return {{x, line * kLine, kLetter * static_cast<float>(text.size()), kLine}, text, before};
}

// A heading; a paragraph of two lines, with a word in two dresses and an equation; two items.
//   Title
//   It is "9.5", don't
//   worry. $a$
//   •   one
//   •   two
Pieces page() {
    Pieces pieces{
        piece(0, 0, "Title", "\n\n"),  piece(0, 2, "It", "\n\n"), piece(30, 2, "is", " "),
        piece(60, 2, "\"9.5\",", " "), piece(130, 2, "do", " "),  piece(150, 2, "n't", ""),
        piece(0, 3, "worry.", " "),    piece(70, 3, "$a$", " "),  piece(0, 5, "•", "\n\n"),
        piece(40, 5, "one", " "),      piece(0, 6, "•", "\n"),    piece(40, 6, "two", " ")};
    pieces[7].whole = pieces[8].whole = pieces[10].whole = true;
    return pieces;
}

Touch touch(float x, float y) { return touch_at(page(), {x, y}, reach); }
Place caret(float x, float y) { return touch(x, y).caret; }
std::string word(float x, float y) { return copied(page(), word_at(page(), touch(x, y).letter)); }
std::string paragraph(float x, float y) {
    return copied(page(), paragraph_at(page(), touch(x, y).letter));
}

TEST(Touch, is_between_the_nearest_letters) {
    EXPECT_EQ(caret(0, 50), (Place{1, 0}));
    EXPECT_EQ(caret(4, 50), (Place{1, 0}));
    EXPECT_EQ(caret(6, 50), (Place{1, 1}));
    EXPECT_EQ(touch(6, 50).letter, (Place{1, 0}));
    EXPECT_EQ(caret(19, 50), (Place{1, 2}));
    EXPECT_EQ(caret(34, 45), (Place{2, 0}));
}

TEST(Touch, of_a_blank_is_the_nearer_word) {
    EXPECT_EQ(caret(23, 50), (Place{1, 2}));
    EXPECT_EQ(caret(27, 50), (Place{2, 0}));
}

TEST(Touch, outside_is_the_nearest_line) {
    EXPECT_EQ(caret(900, 50), (Place{5, 3}));  // after the end of the line
    EXPECT_EQ(caret(-50, 70), (Place{6, 0}));  // before its start
    EXPECT_EQ(caret(900, 70), (Place{7, 3}));
    EXPECT_EQ(caret(0, 24), (Place{0, 0}));  // between two lines, nearer to the first
    EXPECT_EQ(caret(0, 36), (Place{1, 0}));
    EXPECT_EQ(caret(300, -5), (Place{0, 0}));  // above all
    EXPECT_EQ(caret(0, 500), (Place{11, 3}));  // below all
}

TEST(Touch, takes_an_equation_as_one) {
    EXPECT_EQ(caret(80, 70), (Place{7, 0}));
    EXPECT_EQ(caret(90, 70), (Place{7, 3}));
}

TEST(Touch, never_stands_within_a_letter) {
    const Pieces pieces{piece(0, 0, "aé–b", "")};  // of 1, 2, 3 and 1 bytes
    for (float x = -5; x < 90; ++x) {
        const std::size_t byte = touch_at(pieces, {x, 5}, reach).caret.byte;
        EXPECT_TRUE(byte == 0 || byte == 1 || byte == 3 || byte == 6 || byte == 7) << byte;
    }
}

TEST(Words, end_at_blanks_and_signs) {
    EXPECT_EQ(word(35, 50), "is");
    EXPECT_EQ(word(65, 50), "\"");
    EXPECT_EQ(word(75, 50), "9.5");  // the point is the number's
    EXPECT_EQ(word(105, 50), "\",");
    EXPECT_EQ(word(10, 70), "worry");  // and this one the sentence's
    EXPECT_EQ(word(80, 70), "$a$");
}

TEST(Words, go_on_in_another_dress) {
    EXPECT_EQ(word(135, 50), "don't");
    EXPECT_EQ(word(165, 50), "don't");
}

TEST(Paragraphs, are_lines_of_what_is_copied) {
    EXPECT_EQ(paragraph(10, 5), "Title");
    EXPECT_EQ(paragraph(10, 70), "It is \"9.5\", don't worry. $a$");
    EXPECT_EQ(paragraph(45, 130), "• two");
}

TEST(Copied, is_read_as_it_stands) {
    Selection all;
    all.take_all(page());
    EXPECT_EQ(copied(page(), all.range()),
              "Title\n\nIt is \"9.5\", don't worry. $a$\n\n• one\n• two");
    EXPECT_EQ(copied(page(), {{0, 3}, {1, 1}}), "le\n\nI");
    EXPECT_EQ(copied(page(), {{0, 5}, {1, 2}}), "It");  // nothing of the first
    EXPECT_EQ(copied(page(), {{2, 1}, {2, 1}}), "");
    EXPECT_EQ(copied({}, {{0, 0}, {3, 2}}), "");
}

TEST(Copied, is_cut_to_texts_that_became_shorter) {
    EXPECT_EQ(copied(page(), {{1, 0}, {1, 40}}), "It");
    EXPECT_EQ(copied(page(), {{1, 30}, {2, 40}}), "is");
    EXPECT_EQ(copied(page(), {{11, 0}, {50, 40}}), "two");
}

TEST(Selection, goes_both_ways_from_where_it_began) {
    Selection selection;
    selection.press(page(), touch(41, 50), Selection::By::letters);
    EXPECT_TRUE(selection.empty());
    selection.drag(page(), touch(14, 70));
    EXPECT_EQ(copied(page(), selection.range()), "s \"9.5\", don't w");
    selection.drag(page(), touch(11, 50));
    EXPECT_EQ(copied(page(), selection.range()), "t i");
    selection.drag(page(), touch(41, 50));
    EXPECT_TRUE(selection.empty());
}

TEST(Selection, goes_by_words_and_paragraphs) {
    Selection selection;
    selection.press(page(), touch(165, 50), Selection::By::words);
    EXPECT_EQ(copied(page(), selection.range()), "don't");
    selection.drag(page(), touch(5, 70));
    EXPECT_EQ(copied(page(), selection.range()), "don't worry");
    selection.drag(page(), touch(35, 50));
    EXPECT_EQ(copied(page(), selection.range()), "is \"9.5\", don't");
    selection.press(page(), touch(45, 110), Selection::By::paragraphs);
    selection.drag(page(), touch(45, 130));
    EXPECT_EQ(copied(page(), selection.range()), "• one\n• two");
    selection.clear();
    EXPECT_TRUE(selection.empty());
}

TEST(Range, says_what_of_a_piece_is_in_it) {
    const Range range{{1, 2}, {3, 1}};
    using Bytes = std::pair<std::size_t, std::size_t>;
    EXPECT_EQ(range.within(0, 5), (Bytes{0, 0}));
    EXPECT_EQ(range.within(1, 5), (Bytes{2, 5}));
    EXPECT_EQ(range.within(2, 5), (Bytes{0, 5}));
    EXPECT_EQ(range.within(3, 5), (Bytes{0, 1}));
    EXPECT_EQ(range.within(4, 5), (Bytes{0, 0}));
    EXPECT_EQ(range.within(1, 1), (Bytes{1, 1}));
}

TEST(SelectionColor, lets_the_text_be_read_and_is_seen) {
    for (const Palette* palette : {&dark_palette(), &light_palette(), &dark_projector_palette(),
                                   &light_projector_palette()}) {
        const ImU32 ground = selection_color(*palette);
        EXPECT_GE(contrast(palette->text, ground), 7);
        for (const ImU32 other : {palette->background, palette->card})
            EXPECT_GE(contrast(other, ground), 1.3);
    }
}

}  // namespace
}  // namespace headlight::ui
