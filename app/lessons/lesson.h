#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "state/command.h"

// A lesson as plain data, independent of how it is shown.
namespace headlight::lessons {

// An error in a line of a lesson, in one sentence.
struct Problem {
    int line = 0;  // from 1
    std::string reason;

    friend bool operator==(const Problem&, const Problem&) = default;
};

// A run of text with one style.
struct Span {
    enum class Kind {
        text,
        code,
        equation,  // in the small notation of ui/equation.h
        value,     // an expression (evaluate.h), shown as its value
        percent,   // the same, as a percentage
        new_line,
    };
    Kind kind = Kind::text;
    std::string text;
    bool bold = false, italic = false;
    std::string link;  // the link's target; empty: no link
    int line = 0;
    std::string source = {};  // of an equation: as written
    // A condition (evaluate.h) for showing it; empty: always shown.
    std::string condition = {};

    friend bool operator==(const Span&, const Span&) = default;
};
using Prose = std::vector<Span>;

struct Text {
    enum class Kind { paragraph, heading, item, quote };
    Kind kind = Kind::paragraph;
    Prose prose;
    std::string mark;  // of an item: "•" or "3."; empty: continues the previous item
    int depth = 0;     // of an item: nesting level of the list
};
struct Code {
    std::string text;
};
struct Table {
    std::vector<std::vector<Prose>> rows;  // the first is the header
};
struct Picture {
    std::string file;   // in the lesson's folder
    std::string words;  // alternative text
};
// Must be answered to continue; exactly one answer is right.
struct Question {
    struct Answer {
        Prose prose;
        bool right = false;
        Prose hint = {};  // shown if this wrong answer is chosen first; may be empty
    };
    Prose prose;
    std::vector<Answer> answers;
    std::vector<Prose> why;  // shown with the answer, paragraph by paragraph
};
// A command of a stop or of a task's solution, and its line number.
struct Order {
    int line = 0;
    Command command;
};

// A task; it is done when its condition holds.
struct Task {
    Prose prose;
    std::string until;              // a condition (evaluate.h)
    std::vector<std::string> with;  // names of fields whose controls are shown with the task
    std::vector<Order> solution{};  // commands that solve it; empty: no solution is given
};

struct Block {
    int line = 0;
    std::variant<Text, Code, Table, Picture, Question, Task> what;
};

// Stops borrowed from another lesson; lectures consist of these.
struct Borrowed {
    std::string file;         // in the same folder
    int first = 1, last = 0;  // from 1; last 0: to its end
};

struct Stop {
    int line = 0;
    std::string title;
    std::vector<Order> orders;
    std::vector<Block> blocks;
    std::string notes;  // for the speaker
    std::optional<Borrowed> borrowed = {};
};

// The answers given to a question so far, counted from 0.
struct Tries {
    // A wrong first answer that leaves a second try, and the final answer, which reveals the right
    // one.
    std::optional<int> first_wrong, given;

    // "open", "second try", "right" or "wrong".
    [[nodiscard]] std::string_view standing(const Question& question) const;
    // The hint below an answer: only for a wrong first answer while the question is open; otherwise
    // null.
    [[nodiscard]] const Prose* hint_below(const Question& question, int answer) const;
};

struct Lesson {
    std::string title;
    std::vector<Block> introduction;  // text before the first stop
    std::vector<Stop> stops;
    std::vector<Block> sources;     // text under a heading of that name
    std::vector<Problem> problems;  // ordered by line; the rest of the lesson is usable
};

// All running text of a block, in order.
std::vector<const Prose*> proses_of(const Block& block);

// The number of a question or a task within its stop, from 1.
int number_in(const Stop& stop, std::size_t block);

// The plain text, without computed values.
std::string plain_text(const Prose& prose);

}  // namespace headlight::lessons
