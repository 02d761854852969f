#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "state/command.h"

// A lesson as plain data, and nothing of how it is shown.
namespace headlight::lessons {

// What is wrong with a line of a lesson, in one sentence.
struct Problem {
    int line = 0;  // from 1
    std::string reason;

    friend bool operator==(const Problem&, const Problem&) = default;
};

// A run of text in one dress.
struct Span {
    enum class Kind {
        text,
        code,
        equation,  // in the small notation of ui/equation.h
        value,     // an expression (evaluate.h), shown as a number or a word
        percent,   // the same, as so many of a hundred
        new_line,
    };
    Kind kind = Kind::text;
    std::string text;
    bool bold = false, italic = false;
    std::string link;  // what stands in its brackets; empty: it is none
    int line = 0;
    std::string source = {};  // of an equation: as it was written
    // Shown only while this holds (evaluate.h); empty: always.
    std::string condition = {};

    friend bool operator==(const Span&, const Span&) = default;
};
using Prose = std::vector<Span>;

struct Text {
    enum class Kind { paragraph, heading, item, quote };
    Kind kind = Kind::paragraph;
    Prose prose;
    std::string mark;  // of an item: "•" or "3."; empty: it goes on with the one before
    int depth = 0;     // of an item: in so many lists
};
struct Code {
    std::string text;
};
struct Table {
    std::vector<std::vector<Prose>> rows;  // the first is the head
};
struct Picture {
    std::string file;   // in the lesson's folder
    std::string words;  // for those who do not see it
};
// To be answered before one goes on; exactly one answer is right.
struct Question {
    struct Answer {
        Prose prose;
        bool right = false;
        Prose hint = {};  // where this one is wrong and was chosen first; may be empty
    };
    Prose prose;
    std::vector<Answer> answers;
    std::vector<Prose> why;  // shown with the answer, paragraph by paragraph
};
// A command of a stop or of a task's solution, and its line.
struct Order {
    int line = 0;
    Command command;
};

// To be done; it is when the condition holds.
struct Task {
    Prose prose;
    std::string until;              // a condition (evaluate.h)
    std::vector<std::string> with;  // names of the fields whose controls stand beside it
    std::vector<Order> solution{};  // one way to do it; none: not said
};

struct Block {
    int line = 0;
    std::variant<Text, Code, Table, Picture, Question, Task> what;
};

// Stops of another lesson, which stand in the place of one: a lecture is made of such.
struct Borrowed {
    std::string file;         // in the same folder
    int first = 1, last = 0;  // from 1; 0: to its end
};

struct Stop {
    int line = 0;
    std::string title;
    std::vector<Order> orders;
    std::vector<Block> blocks;
    std::string notes;  // for the speaker
    std::optional<Borrowed> borrowed = {};
};

// How a question was answered so far; answers count from 0.
struct Tries {
    // A wrong answer that leaves a second try, and the one that counts and reveals the right one.
    std::optional<int> first_wrong, given;

    // "open", "second try", "right" or "wrong".
    [[nodiscard]] std::string_view standing(const Question& question) const;
    // The hint to show below an answer: below a first wrong one, while the question is open; null.
    [[nodiscard]] const Prose* hint_below(const Question& question, int answer) const;
};

struct Lesson {
    std::string title;
    std::vector<Block> introduction;  // what stands before the first stop
    std::vector<Stop> stops;
    std::vector<Block> sources;     // what stands under a heading of that name
    std::vector<Problem> problems;  // in the order of the lines; the rest can be read
};

// All running text of a block, in its order.
std::vector<const Prose*> proses_of(const Block& block);

// Of a question or a task: which one of its stop it is, from 1.
int number_in(const Stop& stop, std::size_t block);

// The text alone, without what is computed.
std::string plain_text(const Prose& prose);

}  // namespace headlight::lessons
