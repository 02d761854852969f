#include "lessons/read_lesson.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace headlight::lessons {
namespace {

constexpr const char* kLesson = R"~(# Scores

What one patch has to do with *another*.

## How much?
```headlight
set screen walk
cell 43 48   # in the middle

spotlight stage.result[43,*] "One row"
```
Every [query](symbol:query) meets **every** [cell](do:cell 43 48): $R_{ij} = \sum_c Q_ic$.
Its value is {value stage.result[43,48]}, and that is {percent mass(head 2, twin)}.

<!-- note: Ask them first. -->

? If every number were *doubled*?
- stays
- [x] doubles
- who knows
> Because it is linear.

! Move the temperature.
until: temperature < 0.5
with: temperature, scale

1. first
2. second
   - within

| a | b |
|---|---|
| c | `d` |

![A cat](cat.png)

    two = blanks

## Again
Nothing.

## Sources
Vaswani et al., [Attention](https://arxiv.org/abs/1706.03762).
)~";

const Lesson& lesson() {
    static const Lesson lesson = read_lesson(kLesson);
    return lesson;
}

template <class What>
const What& block(std::size_t i) {
    return std::get<What>(lesson().stops.at(0).blocks.at(i).what);
}

std::string problems_of(const Lesson& lesson) {
    std::string text;
    for (const Problem& problem : lesson.problems)
        text += std::to_string(problem.line) + ": " + problem.reason + "\n";
    return text;
}

TEST(ReadLesson, takes_title_stops_and_sources) {
    EXPECT_EQ(problems_of(lesson()), "");
    EXPECT_EQ(lesson().title, "Scores");
    ASSERT_EQ(lesson().introduction.size(), 1U);
    ASSERT_EQ(lesson().stops.size(), 2U);
    EXPECT_EQ(lesson().stops[0].title, "How much?");
    EXPECT_EQ(lesson().stops[0].line, 5);
    EXPECT_EQ(lesson().stops[0].notes, "Ask them first.");
    ASSERT_EQ(lesson().sources.size(), 1U);
    EXPECT_EQ(std::get<Text>(lesson().sources[0].what).prose[1].link,
              "https://arxiv.org/abs/1706.03762");
}

TEST(ReadLesson, knows_the_line_of_each_command) {
    const auto& orders = lesson().stops[0].orders;
    ASSERT_EQ(orders.size(), 3U);
    EXPECT_EQ(orders[1].line, 8);
    EXPECT_EQ(orders[1].command, (Command{"cell", {"43", "48"}}));
    EXPECT_EQ(orders[2].line, 10);
    EXPECT_EQ(orders[2].command, (Command{"spotlight", {"stage.result[43,*]", "One row"}}));
}

// The text, emphasis and values in an {if …} get its condition, and nothing else does.
TEST(ReadLesson, gives_words_their_condition) {
    const Lesson lesson =
        read_lesson("# T\n## A\nOne {if max(scores[15,*]) > 2: two *three* {value head}.} Four.\n");
    EXPECT_TRUE(lesson.problems.empty());
    const Prose& prose = std::get<Text>(lesson.stops.at(0).blocks.at(0).what).prose;
    std::vector<std::pair<std::string, std::string>> found;
    for (const Span& span : prose) found.emplace_back(span.text, span.condition);
    const std::string condition = "max(scores[15,*]) > 2";
    EXPECT_EQ(found, (std::vector<std::pair<std::string, std::string>>{{"One ", ""},
                                                                       {"two ", condition},
                                                                       {"three", condition},
                                                                       {" ", condition},
                                                                       {"head", condition},
                                                                       {".", condition},
                                                                       {" Four.", ""}}));
}

TEST(ReadLesson, tells_text_links_equations_and_values_apart) {
    using K = Span::Kind;
    const Prose& prose = block<Text>(0).prose;
    std::vector<std::pair<K, std::string>> found;
    for (const Span& span : prose) found.emplace_back(span.kind, span.text);
    const std::vector<std::pair<K, std::string>> expected{
        {K::text, "Every "},
        {K::text, "query"},
        {K::text, " meets "},
        {K::text, "every"},
        {K::text, " "},
        {K::text, "cell"},
        {K::text, ": "},
        {K::equation, "R_{ij} = \\limits{∑}_{c} Q_{i}c"},
        {K::text, ".\nIts value is "},
        {K::value, "stage.result[43,48]"},
        {K::text, ", and that is "},
        {K::percent, "mass(head 2, twin)"},
        {K::text, "."}};
    EXPECT_EQ(found, expected);
    EXPECT_EQ(prose[1].link, "symbol:query");
    EXPECT_TRUE(prose[3].bold);
    EXPECT_EQ(prose[5].link, "do:cell 43 48");
}

// The equation in a lesson that contains nothing else.
std::string equation_in(const std::string& text) {
    const Lesson lesson = read_lesson("# T\n\n## A\n$" + text + "$\n");
    EXPECT_EQ(problems_of(lesson), "") << text;
    const Span& span = std::get<Text>(lesson.stops.at(0).blocks.at(0).what).prose.at(0);
    EXPECT_EQ(span.source, text);
    return span.text;
}

TEST(ReadLesson, sets_equations_as_TeX_does) {
    EXPECT_EQ(equation_in("\\exp S_{ij} / \\sum_k \\exp S_{ik}"),
              "exp S_{ij} / \\limits{∑}_{k} exp S_{ik}");
    EXPECT_EQ(equation_in("2\\exp(S)\\cos x"), "2 exp(S) cos x");
    EXPECT_EQ(equation_in("\\sin^2 x+\\tanh\\alpha"), "sin^{2} x+tanh α");
    EXPECT_EQ(equation_in("Q\\cdot K"), "Q · K");
    EXPECT_EQ(equation_in("Q \\cdot  K"), "Q · K");
    EXPECT_EQ(equation_in("x = \\pm 1"), "x = ±1");
    EXPECT_EQ(equation_in("x \\pm 1"), "x ± 1");
    EXPECT_EQ(equation_in("\\omega_i x"), "ω_{i} x");
    EXPECT_EQ(equation_in("\\alpha x"), "αx");
    EXPECT_EQ(equation_in("x_{\\max i}^\\top y_{a \\cdot b}"), "x_{max i}^{T} y_{a·b}");
    EXPECT_EQ(equation_in("d_\\text{head one} \\Phi"), "d_{head one} Φ");
    EXPECT_EQ(equation_in("\\operatorname{rank} A"), "rank A");
    EXPECT_EQ(equation_in("\\sum \\left( a \\right)"), "∑( a )");
    EXPECT_EQ(equation_in("\\exp\\left(a\\right)"), "exp(a)");
    EXPECT_EQ(equation_in("\\sqrt 16"), "√16");
    EXPECT_EQ(equation_in("\\sqrt{d_k}"), "\\sqrt{d_{k}}");
    EXPECT_EQ(equation_in("\\frac{ {query:Q} {key:K}^\\top }{\\sqrt{d}} V"),
              "\\frac{{query:Q} {key:K}^{T}}{\\sqrt{d}} V");
    EXPECT_EQ(equation_in("{query:Q} \\times {key:K}^T"), "{query:Q} × {key:K}^{T}");
}

TEST(ReadLesson, sets_limits_of_sums_products_and_maxima) {
    EXPECT_EQ(equation_in("\\sum_{j=1}^{N} A_{ij}v_j"), "\\limits{∑}_{j=1}^{N} A_{ij}v_{j}");
    EXPECT_EQ(equation_in("2\\sum _jx"), "2 \\limits{∑}_{j}x");
    EXPECT_EQ(equation_in("\\prod^n_{i=1}p_i"), "\\limits{∏}^{n}_{i=1}p_{i}");
    EXPECT_EQ(equation_in("S - \\max_j S"), "S - \\limits{max}_{j} S");
    EXPECT_EQ(equation_in("\\argmin_{j \\in P}(x)"), "\\limits{argmin}_{j∈P}(x)");
    EXPECT_EQ(equation_in("\\frac{a}{\\sum_k b_k}"), "\\frac{a}{\\limits{∑}_{k} b_{k}}");
    EXPECT_EQ(equation_in("\\int_a^b \\exp x"), "∫_{a}^{b} exp x");
    EXPECT_EQ(equation_in("\\sum A"), "∑ A");
}

TEST(ReadLesson, refuses_equations_that_it_cannot_set) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"\\mathbb{R}", "do not support \"\\mathbb\""},
        {"\\frac{a}", "braces after \\frac"},
        {"\\frac a b", "braces after \\frac"},
        {"\\frac{a}{b", "braces after \\frac"},
        {"\\sqrt{a_{b}", "braces after \\sqrt"},
        {"x^\\frac{a}{b}", "\\frac in scripts"},
        {"a \\\\ b", "cannot contain"},
        {"\\{a\\}", "cannot contain"},
        {"a_{b_c}", "support scripts within braces"},
        {"\\text a", "words in braces after \\text"},
        {"a_{b", "no closing one"},
        {"\\lim_{n}", "do not support \"\\lim\""},
        {"\\limits{a}_{b}", "do not support \"\\limits\""},
        {"\\sum_{j", "no closing one"},
        {"\\sum_{j_1}", "support scripts within braces"},
        {"\\max_\\frac{a}{b}", "\\frac in scripts"},
        {"\\frac{a_}{b}", "nothing after _"},
        {"a}", "no opening one"},
    };
    for (const auto& [text, reason] : wrong) {
        const Lesson lesson = read_lesson("# T\n\n## A\nWords.\n\n$" + text + "$\n");
        ASSERT_EQ(lesson.problems.size(), 1U) << text;
        EXPECT_EQ(lesson.problems[0].line, 6) << text;
        EXPECT_NE(lesson.problems[0].reason.find(reason), std::string::npos)
            << lesson.problems[0].reason;
    }
}

TEST(ReadLesson, refuses_fractions_that_are_nested_too_deep) {
    std::string text;
    for (int i = 0; i < 50; ++i) text += "\\sqrt{";
    const Lesson lesson = read_lesson("# T\n\n## A\n$" + text + std::string(50, '}') + "$\n");
    ASSERT_EQ(lesson.problems.size(), 1U);
    EXPECT_NE(lesson.problems[0].reason.find("nested fractions"), std::string::npos);
}

TEST(ReadLesson, takes_a_question_and_a_task) {
    const auto& question = block<Question>(1);
    EXPECT_EQ(plain_text(question.prose), "If every number were doubled?");
    ASSERT_EQ(question.answers.size(), 3U);
    EXPECT_FALSE(question.answers[0].right);
    EXPECT_TRUE(question.answers[1].right);
    EXPECT_EQ(plain_text(question.answers[1].prose), "doubles");
    ASSERT_EQ(question.why.size(), 1U);
    EXPECT_EQ(plain_text(question.why[0]), "Because it is linear.");
    const auto& task = block<Task>(2);
    EXPECT_EQ(plain_text(task.prose), "Move the temperature.");
    EXPECT_EQ(task.until, "temperature < 0.5");
    EXPECT_EQ(task.with, (std::vector<std::string>{"temperature", "scale"}));
}

TEST(ReadLesson, takes_lists_tables_and_pictures) {
    EXPECT_EQ(block<Text>(3).mark, "1.");
    EXPECT_EQ(block<Text>(4).mark, "2.");
    EXPECT_EQ(block<Text>(5).mark, "•");
    EXPECT_EQ(block<Text>(5).depth, 2);
    const auto& table = block<Table>(6);
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(plain_text(table.rows[0][1]), "b");
    EXPECT_EQ(table.rows[1][1][0].kind, Span::Kind::code);
    EXPECT_EQ(block<Picture>(7).file, "cat.png");
    EXPECT_EQ(block<Picture>(7).words, "A cat");
}

// Expects exactly one problem; the rest of the lesson is read.
void expect_problem(const std::string& text, int line, const std::string& says) {
    const Lesson lesson = read_lesson("# T\n## A\n" + text + "\n## B\nwords\n");
    ASSERT_EQ(lesson.problems.size(), 1U) << text << "\n" << problems_of(lesson);
    EXPECT_EQ(lesson.problems[0].line, line) << text;
    EXPECT_NE(lesson.problems[0].reason.find(says), std::string::npos) << lesson.problems[0].reason;
    ASSERT_EQ(lesson.stops.size(), 2U);
    EXPECT_EQ(lesson.stops[1].blocks.size(), 1U);
}

TEST(ReadLesson, says_line_and_reason_of_what_is_wrong) {
    expect_problem("x\n```headlight\nstep a\nopen \"b\n```", 6, "A quote is opened");
    expect_problem("? Why?\n- [x] a\n- [x] b", 3, "a question needs exactly one right answer");
    expect_problem("? Why?\n- [x] a", 3, "2 to 6 answers");
    expect_problem("? Why?", 3, "2 to 6 answers");
    expect_problem("! Do it.", 3, "until: CONDITION");
    expect_problem("x\n\n![A](../a.png)", 5, "in the lesson's folder");
    expect_problem("![A](/etc/a.png)", 3, "in the lesson's folder");
    expect_problem("![A](https://example.org/a.png)", 3, "in the lesson's folder");
    expect_problem("A ![picture](a.png) in words.", 3, "paragraph of its own");
    expect_problem("a [link](file:///etc/passwd) b", 3, "a link must lead to");
    expect_problem("a [link](../other.md) b", 3, "a link must lead to");
    expect_problem("<b>bold</b>\n", 3, "HTML is not shown");
    expect_problem("a {value b", 3, "brace");
    expect_problem("a {if b: c", 3, "brace");
    expect_problem("a {if b c}", 3, "colon");
    expect_problem("a {if b: c {if d: e}}", 3, "inside another");
    expect_problem("a formula $x + y", 3, "formula");
    expect_problem("$\\mathbb$", 3, "\\mathbb");
}

TEST(ReadLesson, takes_stars_in_expressions_for_no_emphasis) {
    const Lesson lesson = read_lesson(
        "# T\n## A\n{value max(scores[15,*])} to {percent min(scores[15,*])} *so*\n\n"
        "! Do.\nuntil: max(a[1,*]) > 2 * 3 and b_c < min(a[*,1])\n");
    EXPECT_EQ(problems_of(lesson), "");
    const auto& prose = std::get<Text>(lesson.stops.at(0).blocks.at(0).what).prose;
    EXPECT_EQ(prose.at(0).text, "max(scores[15,*])");
    EXPECT_EQ(prose.at(2).text, "min(scores[15,*])");
    EXPECT_TRUE(prose.back().italic);
    EXPECT_EQ(std::get<Task>(lesson.stops[0].blocks.at(1).what).until,
              "max(a[1,*]) > 2 * 3 and b_c < min(a[*,1])");
}

TEST(ReadLesson, wants_a_title_and_a_stop) {
    EXPECT_EQ(problems_of(read_lesson("")),
              "1: expected a title (\"# \" and words), found none.\n1: expected at least one stop "
              "(\"## \" and words), found none.\n");
}

std::string many(const std::string& piece, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += piece;
    return text;
}

// Any file is read quickly, and problems are reported.
TEST(ReadLesson, bears_hostile_files) {
    const std::string head = "# T\n## A\n";
    for (const std::string& text :
         {std::string(std::size_t{100} << 20U, 'x'), head + many("> ", 20'000),
          head + many("[", 60'000), head + many("![", 30'000) + many("](a)", 30'000),
          head + many("*a_", 40'000), head + many("- ", 30'000) + "a", head + many("`", 90'000),
          head + many("{value ", 9'000), head + many("$a", 40'000), head + many("|a", 40'000),
          head + many("## B\n", 9'000), head + many("a\n\n", 40'000),
          head + "```headlight\n" + many("step next\n", 9'000), head + many("<!--", 40'000),
          head + std::string(1000, '\0'), head + many("\xFF\xFE", 30'000),
          head + many("![a](b)\n", 9'000), head + many("? a\n- b\n", 9'000)}) {
        const auto start = std::chrono::steady_clock::now();
        const Lesson lesson = read_lesson(text);
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5))
            << text.substr(0, 30);
        EXPECT_LE(lesson.problems.size(), kMostProblems);
        EXPECT_LE(lesson.stops.size(), kMostStops);
    }
}

std::vector<std::string> reasons_of(const std::string& text) {
    std::vector<std::string> reasons;
    for (const Problem& problem : read_lesson(text).problems)
        reasons.push_back(std::to_string(problem.line) + ": " + problem.reason);
    return reasons;
}

TEST(ReadLesson, says_once_what_it_leaves_out) {
    using Reasons = std::vector<std::string>;
    const std::string head = "# T\n## A\n";
    EXPECT_EQ(
        reasons_of(head + many("## B\n", 120)),
        Reasons{"102: expected no more than 100 stops; this one and all later ones are left out."});
    const std::string orders = "```headlight\n" + many("step next\n", 60) + "```\n";
    EXPECT_EQ(reasons_of(head + orders + "## B\n" + orders), Reasons{});
    EXPECT_EQ(reasons_of(head + orders + orders + orders),
              Reasons{"66: expected no more than 60 commands in a stop."});
    EXPECT_EQ(
        reasons_of(head + std::string(2'000, 'x') + "\n"),
        Reasons{"3: expected words of at most 1000 bytes; the rest of a longer word is left out."});
    EXPECT_EQ(reasons_of(head + "a " + std::string(1, '\0') + "b\nc\n"),
              Reasons{"3: expected text, found a zero byte; the line is left out."});
    EXPECT_EQ(reasons_of(head + "f\xFCr\n\xC0\x80\n"),
              Reasons{"3: expected UTF-8 text, found other bytes."});
    EXPECT_EQ(reasons_of("# T\n## " + many("ab ", 100) + "\n"),
              Reasons{"2: expected a title of at most 200 bytes, found 299."});
    EXPECT_EQ(reasons_of(head + "! Do.\nuntil: head > 1\nwith: " + many("head, ", 9) + "\n"),
              Reasons{"3: a task has at most 8 controls in \"with:\"; found 9."});
    EXPECT_EQ(reasons_of(head + many("[a] ", 3) + "\n\n[a]: <" + many("b ", 600) + "c>\n"),
              Reasons{"5: expected an address of at most 1000 bytes, found 1201."});
}

TEST(ReadLesson, takes_a_mark_of_the_bytes_order) {
    EXPECT_EQ(read_lesson("\xEF\xBB\xBF# T\n## A\n").title, "T");
    EXPECT_TRUE(reasons_of("\xEF\xBB\xBF# T\n## A\nwörter, 写真, 😀\n").empty());
    EXPECT_EQ(reasons_of("\xFF\xFE#\0 ").front(), "1: expected UTF-8 text, found UTF-16.");
}

TEST(ReadLesson, cuts_no_letter) {
    const Lesson lesson = read_lesson("# T\n## A\n" + std::string(999, 'x') + "ö" + "yz\n");
    const auto& text = std::get<Text>(lesson.stops.front().blocks.front().what);
    EXPECT_EQ(text.prose.front().text, std::string(999, 'x') + "ö");
}

TEST(ReadLesson, leaves_no_folder) {
    for (const char* good : {"a.png", "a/b.png", "a..b.png", "...png"})
        EXPECT_TRUE(stays_inside(good)) << good;
    for (const char* bad :
         {"", "/a", "..", "../a", "a/../../b", "a/..", "http://a", "c:a", "a\\..\\b"})
        EXPECT_FALSE(stays_inside(bad)) << bad;
}

// ---- lectures: stops of other lessons

Lesson lecture(const std::string& text) {
    const Lesson other = read_lesson(
        "# Other\n\n## One\n```headlight\nstep image\n```\nfirst\n\n## Two\nsecond\n\n<!-- note: n "
        "-->\n\n## Three\nthird\n");
    return with_borrowed_stops(read_lesson(text), [&](const std::string& name) -> Lesson {
        if (name == "other.md") return other;
        if (name == "lecture.md") return read_lesson("# L\n## [a](other.md#1)\n");
        throw CommandError(name + ": expected a lesson, found nothing.");
    });
}

std::vector<std::string> titles_of(const Lesson& lesson) {
    std::vector<std::string> titles;
    for (const Stop& stop : lesson.stops) titles.push_back(stop.title);
    return titles;
}

TEST(Lecture, borrows_stops_one_by_one_in_a_row_and_all) {
    using Titles = std::vector<std::string>;
    EXPECT_EQ(titles_of(lecture("# L\n## [Mine](other.md#2)\n## Own\nwords\n")),
              (Titles{"Mine", "Own"}));
    EXPECT_EQ(titles_of(lecture("# L\n## [x](other.md#2-3)\n")), (Titles{"Two", "Three"}));
    EXPECT_EQ(titles_of(lecture("# L\n## [x](other.md)\n")), (Titles{"One", "Two", "Three"}));
}

TEST(Lecture, says_its_own_words_first_and_its_commands_last) {
    const Lesson lesson = lecture(
        "# L\n## [Mine](other.md#1)\nfrom me\n```headlight\nset temperature "
        "3\n```\n\n<!-- note: mine -->\n");
    ASSERT_EQ(lesson.stops.size(), 1U);
    const Stop& stop = lesson.stops.front();
    ASSERT_EQ(stop.blocks.size(), 2U);
    EXPECT_EQ(plain_text(std::get<Text>(stop.blocks[0].what).prose), "from me");
    EXPECT_EQ(plain_text(std::get<Text>(stop.blocks[1].what).prose), "first");
    ASSERT_EQ(stop.orders.size(), 2U);
    EXPECT_EQ(stop.orders[0].command, parse_command("step image"));
    EXPECT_EQ(stop.orders[1].command, parse_command("set temperature 3"));
    EXPECT_EQ(stop.orders[0].line, 2);  // its problems are reported on the borrowing line
    EXPECT_EQ(stop.notes, "mine");
    EXPECT_EQ(lecture("# L\n## [Mine](other.md#2)\n").stops.front().notes, "n");
}

TEST(Lecture, says_what_cannot_be_borrowed) {
    const auto reason = [](const std::string& link) {
        const Lesson lesson = lecture("# L\n## A\n\n## [x](" + link + ")\n");
        EXPECT_EQ(lesson.stops.empty(), false);
        return lesson.problems.empty() ? "" : lesson.problems.front().reason;
    };
    EXPECT_EQ(reason("other.md#3"), "");
    EXPECT_EQ(reason("other.md#4"), "other.md: expected stops from 1 to 3, found 4.");
    EXPECT_EQ(reason("other.md#2-9"), "other.md: expected stops from 1 to 3, found 2 to 9.");
    EXPECT_EQ(reason("none.md#1"), "none.md: expected a lesson, found nothing.");
    EXPECT_EQ(reason("lecture.md#1"),
              "the stop \"a\" of lecture.md is itself borrowed. Borrow it from its own lesson, "
              "other.md.");
    for (const char* bad : {"other.md#0", "other.md#x", "other.md#3-1", "../other.md#1",
                            "/other.md", "https://x.org/other.md#1", "sub/other.md#1", "other.txt"})
        EXPECT_NE(reason(bad), "") << bad;
}

TEST(ReadLesson, refuses_a_hint_below_the_right_answer) {
    const Lesson lesson = read_lesson("# T\n\n## S\n? Q?\n- [x] a\n  > Hint.\n- b\n");
    ASSERT_EQ(lesson.problems.size(), 1U) << problems_of(lesson);
    EXPECT_EQ(lesson.problems[0].line, 6);
}

}  // namespace
}  // namespace headlight::lessons
