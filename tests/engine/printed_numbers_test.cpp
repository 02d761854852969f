#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "encoder/runner.h"
#include "model_files.h"
#include "picture.h"

// The numbers printed in equations and lines of PyTorch are the ones used in the computation: here
// they are parsed and evaluated.
namespace headlight::printed_numbers_test {
namespace {

double number_in(const std::string& word) {
    std::size_t end = 0;
    const double value = std::stod(word, &end);
    EXPECT_EQ(end, word.size()) << word;
    return value;
}

// "√32" and "math.sqrt(32)" as well as numbers.
double factor_in(std::string word) {
    for (const std::string root : {"√", "math.sqrt("})
        if (word.starts_with(root)) {
            word = word.substr(root.size());
            if (word.ends_with(')')) word.pop_back();
            return std::sqrt(number_in(word));
        }
    return number_in(word);
}

// The factor that "… = R · 0.1 / 0.312" applies to R: the operators and factors after it.
double multiplied_by(const std::string& text) {
    std::istringstream words(text.substr(text.find(" = ") + 3));
    std::string operand, sign, word;
    words >> operand;
    if (operand.ends_with("_{#}") || operand == "R") {
        double product = 1;
        while (words >> sign >> word) {
            const double factor = factor_in(word);
            EXPECT_TRUE(sign == "/" || sign == "*" || sign == "·") << text;
            product = sign == "/" ? product / factor : product * factor;
        }
        return product;
    }
    ADD_FAILURE() << "expected the products first in " << text;
    return 0;
}

// "… eps=1e-06)"
double eps_in(const std::string& line) {
    const std::size_t at = line.rfind("eps=");
    EXPECT_NE(at, std::string::npos) << line;
    return number_in(line.substr(at + 4, line.size() - at - 5));
}

void expect_printed(const Trace& trace) {
    for (const Node& node : trace.nodes) {
        if (node.op == Op::scale) {
            const float factor = node.get<ScaleParameters>().factor;
            EXPECT_FLOAT_EQ(static_cast<float>(multiplied_by(node.equation)), factor);
            EXPECT_FLOAT_EQ(static_cast<float>(multiplied_by(node.pytorch)), factor);
        }
        if (node.op == Op::norm) {
            EXPECT_EQ(static_cast<float>(eps_in(node.pytorch)), node.get<NormParameters>().eps)
                << node.pytorch;
        }
    }
}

FileReader with_picture(const GoldenModel& model) {
    return [read = reader_of(model)](const std::string& path) -> File {
        return path == "a" ? FileBytes(picture(50, 47)) : read(path);
    };
}

TEST(PrintedNumbers, reproduce_what_is_computed_with) {
    const GoldenModel model{"timm"};
    Runner runner(with_picture(model));
    Recipe recipe;
    recipe.image = "a";
    for (const std::string& weights : {std::string(), model.path()})
        for (const float temperature : {1.0F, 0.312F, 0.1F, 1.7F, 20.0F})
            for (const std::optional<float> scale :
                 {std::optional<float>{}, std::optional(0.1F), std::optional(1.0F / 3.0F),
                  std::optional(-2.5F)}) {
                recipe.weights = weights;
                recipe.temperature = temperature;
                recipe.scale = scale;
                expect_printed(*runner.run(recipe));
            }
}

TEST(PrintedNumbers, an_epsilon_of_ones_own_is_said_too) {
    const GoldenModel model{"timm"};
    Runner runner(with_picture(model));
    Recipe recipe;
    recipe.image = "a";
    recipe.weights = model.path();
    recipe.model.layer_norm_eps = 3.7e-5F;
    const auto trace = runner.run(recipe);
    expect_printed(*trace);
    EXPECT_TRUE(trace->node(Step::norm1)->pytorch.ends_with("eps=3.7e-05)"))
        << trace->node(Step::norm1)->pytorch;
}

// Y₁ between the branches, Y after the last: the line of code calls them as the equation does.
TEST(PrintedNumbers, code_and_equation_name_the_same_results) {
    const GoldenModel model{"timm"};
    Runner runner(with_picture(model));
    Recipe recipe;
    recipe.image = "a";
    recipe.weights = model.path();
    const auto trace = runner.run(recipe);
    EXPECT_TRUE(trace->node(Step::skip)->pytorch.starts_with("Y1 = X + Z"));
    EXPECT_NE(trace->node(Step::norm2)->pytorch.find("layer_norm(Y1,"), std::string::npos);
    EXPECT_EQ(trace->node(Step::residual2)->pytorch, "Y = Y1 + M");
}

}  // namespace
}  // namespace headlight::printed_numbers_test
