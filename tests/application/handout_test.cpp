#include "lecture/handout.h"

#include <gtest/gtest.h>

#include <string>

#include "lessons/read_lesson.h"

namespace headlight::app {
namespace {

// The equation, as the page of a lesson with nothing else has it.
std::string equation_html_of(const std::string& tex) {
    const lessons::Lesson lesson = lessons::read_lesson("# T\n\n## A\n$" + tex + "$\n");
    EXPECT_TRUE(lesson.problems.empty()) << tex;
    const HandoutSource source{
        .value = [](std::size_t, const lessons::Span&) { return ""; },
        .shows = [](std::size_t, const lessons::Span&) { return true; },
        .picture = [](std::size_t) { return ""; },
        .picture_words = [](std::size_t) { return ""; },
        .folder = "",
    };
    const std::string page = html_of(lesson, source), begins = "<i class=\"equation\">";
    const std::size_t begin = page.find(begins) + begins.size();
    return page.substr(begin, page.find("</i>", begin) - begin);
}

TEST(Handout, puts_limits_above_and_below_their_sign) {
    EXPECT_EQ(equation_html_of("\\sum_{j=1}^{N} x"),
              "<span class=\"limits both\"><small>N</small><span class=\"large\">∑</span>"
              "<small>j=1</small></span> x");
    EXPECT_EQ(equation_html_of("\\prod_i x"),
              "<span class=\"limits\"><span class=\"large\">∏</span><small>i</small></span> x");
    EXPECT_EQ(equation_html_of("\\max_j x"),
              "<span class=\"limits\"><span>max</span><small>j</small></span> x");
}

TEST(Handout, escapes_limits) {
    EXPECT_EQ(equation_html_of("\\max_{j<i} x"),
              "<span class=\"limits\"><span>max</span><small>j&lt;i</small></span> x");
}

TEST(Handout, has_limits_in_fractions) {
    EXPECT_EQ(equation_html_of("\\frac{a}{\\sum_k b}"),
              "<span class=\"fraction\"><span>a</span><span><span class=\"limits\">"
              "<span class=\"large\">∑</span><small>k</small></span> b</span></span>");
}

}  // namespace
}  // namespace headlight::app
