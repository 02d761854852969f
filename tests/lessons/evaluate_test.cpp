#include "lessons/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "disk/read_file.h"
#include "gradient/attribution.h"
#include "program/values.h"
#include "state/command.h"
#include "tests/source_path.h"
#include "tests/state/support.h"

namespace headlight::lessons {
namespace {

using testing::Desk;

// The shipped model with a scene that has a pair.
Desk& desk() {
    static Desk desk(
        [] {
            State state;
            state.recipe.weights = source_path("assets/models/scenes/model.safetensors");
            return state;
        }(),
        read_file);
    static const bool ready = [] {
        return desk.does("scene 7") && desk.does("layer 4") && desk.does("step softmax") &&
               desk.does("head 3") && desk.does("focus 14");
    }();
    EXPECT_TRUE(ready);
    return desk;
}

Present present_of(Desk& of) {
    const Workspace& work = *of.operator->();
    return {work.state(), *work.trace(), *work.summary(), work.trace_recipe()};
}
Present present() { return present_of(desk()); }

double number(const std::string& text) { return std::get<double>(evaluate(text, present())); }
std::string words(const std::string& text) {
    return std::get<std::string>(evaluate(text, present()));
}

TEST(Evaluate, computes_as_people_write) {
    EXPECT_DOUBLE_EQ(number("1 + 2 * 3 - 4 / 2"), 5);
    EXPECT_DOUBLE_EQ(number("-(2 - 5) * 2"), 6);
    EXPECT_TRUE(holds("1 < 2 and not 2 < 1 or 1 = 2", present()));
    EXPECT_TRUE(holds("2 <= 2 and 2 >= 2 and 2 != 3 and \"a\" = \"a\"", present()));
    EXPECT_FALSE(holds("2 > 3", present()));
}

TEST(Evaluate, reads_what_is_chosen_and_what_is_set) {
    EXPECT_DOUBLE_EQ(number("temperature"), 1);
    EXPECT_DOUBLE_EQ(number("layer"), 4);  // as the command that went there counts
    EXPECT_DOUBLE_EQ(number("head"), 3);
    EXPECT_DOUBLE_EQ(number("token"), 14);
    EXPECT_EQ(words("step"), "softmax");
    EXPECT_TRUE(holds("step = \"softmax\" and mask = \"none\"", present()));
}

// A setting may be a number at one time and a word at another.
TEST(Evaluate, compares_a_setting_with_numbers_and_words) {
    EXPECT_TRUE(holds("switched_off = \"none\" and switched_off != \"4.3\"", present()));
    EXPECT_TRUE(holds("token = 14 and token != \"none\"", present()));
    ASSERT_TRUE(desk().does("set switched_off 4.3"));
    EXPECT_TRUE(holds("switched_off = \"4.3\" and switched_off = 4.3", present()));
    EXPECT_FALSE(holds("switched_off = \"4.30\" or switched_off = \"none\"", present()));
    EXPECT_EQ(words("switched_off"), "4.3");
    ASSERT_TRUE(desk().does("set switched_off none"));
    for (int i = 0; i < 4 && present().state.selection.token; ++i)
        ASSERT_TRUE(desk().does("release"));  // what is not chosen neither is nor differs
    EXPECT_FALSE(holds("token = 14 or token != 14", present()));
    EXPECT_TRUE(holds("token = \"\"", present()));
    ASSERT_TRUE(desk().does("focus 14"));
}

// Not the word "model", which no control shows.
TEST(Evaluate, gives_the_models_value_of_what_is_left_to_it) {
    Desk layer;
    const Workspace& work = *layer.operator->();
    const auto skip = [&] {
        return std::get<std::string>(
            evaluate("skip", {work.state(), *work.trace(), *work.summary(), work.trace_recipe()}));
    };
    ASSERT_TRUE(layer.does("set skip value"));
    EXPECT_EQ(skip(), "value");
    ASSERT_TRUE(layer.does("reset skip"));
    EXPECT_EQ(skip(), name_of(work.trace()->config.skip));
}

TEST(Evaluate, reads_cells_and_measures_matrices) {
    const Trace& trace = *desk()->trace();
    const MatrixView head2 = trace.view(Tensor::attention, 0, 1),
                     head3 = trace.view(Tensor::attention, 0, 2);
    EXPECT_EQ(number("attention[14, 30]"), head3(14, 30));
    EXPECT_EQ(number("attention[token, 30]"), head3(14, 30));
    EXPECT_EQ(number("attention[head 2, 14, 30]"), head2(14, 30));
    EXPECT_EQ(number("stage.result[14, 30]"), head3(14, 30));
    EXPECT_EQ(number("rows(attention)"), head3.rows);
    EXPECT_EQ(number("cols(patches)"), trace.cols(Tensor::patches));
    float largest = 0;
    double sum = 0, entropy = 0, of_row = 0;
    Index at = 0;
    for (Index i = 0; i < head3.rows; ++i)
        for (Index j = 0; j < head3.cols; ++j) {
            const double a = head3(i, j);
            entropy -= a > 0 ? a * std::log2(a) / static_cast<double>(head3.rows) : 0;
            if (i != 14) continue;
            of_row -= a > 0 ? a * std::log2(a) : 0;
            sum += a;
            if (head3(i, j) > largest) largest = head3(i, at = j);
        }
    EXPECT_EQ(number("max(attention[14, *])"), largest);
    EXPECT_EQ(number("largest_at(attention[14, *])"), at);
    EXPECT_NEAR(number("sum(attention[14, *])"), sum, 1e-12);
    EXPECT_NEAR(number("entropy(attention)"), entropy, 1e-6);
    EXPECT_NEAR(number("entropy(head 3)"), entropy, 1e-6);
    EXPECT_NEAR(number("entropy(head 3, 14)"), of_row, 1e-6);
    EXPECT_NEAR(number("effective_patches(head 3, 14)"), std::exp2(of_row), 1e-4);
}

TEST(Evaluate, knows_twins_and_predictions) {
    const double own = number("mass(head 3, own)"), twin = number("mass(head 3, twin)");
    const double rest = number("mass(head 3, other)") + number("mass(head 3, background)");
    EXPECT_GT(twin, 3 * number("expected(twin)"));
    EXPECT_GT(own, 0);
    EXPECT_LE(own + twin + rest, 1.0001);
    EXPECT_EQ(words("prediction"), words("truth"));
    EXPECT_TRUE(holds("right", present()));
    EXPECT_DOUBLE_EQ(number("probability"), number("probability(\"" + words("prediction") + "\")"));
    EXPECT_GT(number("distance(head 3)"), 0);
    for (const char* share : {"class_token", "registers", "itself", "neighbors"})
        EXPECT_EQ(number(std::string(share) + "(head 3)"),
                  number("mass(head 3, " + std::string(share) + ")"));
    EXPECT_GE(number("mass(head 3, class_token)"), 0);
}

// A measure on request that one run is enough for, for the class in question.
TEST(Evaluate, computes_measures_on_request) {
    const auto expected = [](Index of_class) {
        return attribute_heads(present().trace, {}, of_class).at(3).at(2);
    };
    const auto& top = present().summary.top;
    EXPECT_NEAR(number("attribution(head 3)"), expected(top[0].index), 1e-6);
    ASSERT_TRUE(desk().does("heads-class " + std::to_string(top[1].index)));
    EXPECT_NEAR(number("attribution(head 3)"), expected(top[1].index), 1e-6);
    EXPECT_GT(std::abs(expected(top[0].index) - expected(top[1].index)), 1e-3);
    ASSERT_TRUE(desk().does("heads-class"));
    Desk bare;
    EXPECT_THROW((void)evaluate("attribution(head 1)", present_of(bare)), CommandError);
}

TEST(Evaluate, refuses_in_a_sentence) {
    const std::string deep(100, '(');
    for (const std::string& text : {std::string(),
                                    std::string("1 +"),
                                    std::string("nothing"),
                                    std::string("attention"),
                                    std::string("attention[1]"),
                                    std::string("attention[101, 0]"),
                                    std::string("attention[0.5, 0]"),
                                    std::string("attention[head 9, 1, 1]"),
                                    std::string("attention[*, 1]"),
                                    std::string("entropy(scores)"),
                                    std::string("max(qkv_activated)"),
                                    std::string("mass(head 3, uncle)"),
                                    std::string("\"open"),
                                    std::string("1 = \"a\""),
                                    std::string("not 1"),
                                    std::string("1 2"),
                                    std::string("largest_at(attention)"),
                                    std::string("nan"),
                                    std::string("probability(\"cat\")"),
                                    deep,
                                    std::string(5000, '1'),
                                    std::string("\xFF"),
                                    std::string("1e999")}) {
        try {
            (void)evaluate(text, present());
            ADD_FAILURE() << "taken: " << text;
        } catch (const CommandError& error) {
            EXPECT_LT(std::string(error.what()).size(), 300U);
        }
    }
    EXPECT_THROW((void)holds("1", present()), CommandError);
}

TEST(Comparisons, are_the_parts_of_a_condition_that_all_have_to_hold) {
    const auto all = comparisons_in("attention[0,2] >= 0.4 and mask = \"causal\" and not right");
    ASSERT_EQ(all.size(), 2);
    EXPECT_EQ(all[0].whole, "attention[0,2] >= 0.4");
    EXPECT_EQ(all[0].side, "attention[0,2]");
    EXPECT_EQ(all[0].sign, ">=");
    EXPECT_EQ(all[0].other, "0.4");
    EXPECT_EQ(all[1].side, "mask");
    EXPECT_EQ(all[1].sign, "=");
    EXPECT_EQ(all[1].other, "\"causal\"");
    EXPECT_TRUE(comparisons_in("head = 1 or head = 2").empty());
    EXPECT_TRUE(comparisons_in("right").empty());
    EXPECT_TRUE(comparisons_in("").empty());
}

}  // namespace
}  // namespace headlight::lessons
