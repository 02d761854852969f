#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "pane.h"
#include "walks.h"

// Checks the line under every stage: entering its numbers into a calculator must give the result
// beside it.
namespace headlight {
namespace {

using testing::Desk;
using testing::Pane;

void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Half a unit in the last digit: 0.005 for "0.25".
double half_a_step(const std::string& digits) {
    const std::size_t e = digits.find('e'), point = digits.find('.');
    const std::string mantissa = digits.substr(0, e);
    const double places =
        point == std::string::npos ? 0 : static_cast<double>(mantissa.size() - point - 1);
    return 0.5 *
           std::pow(10, (e == std::string::npos ? 0 : std::stod(digits.substr(e + 1))) - places);
}

// Evaluates "(pixel 0.5 − mean 0.4) / std 0.2"; skips words that are no functions. Each number may
// vary within its last digit.
class Calculator {
  public:
    explicit Calculator(std::string line) : text_(std::move(line)) {
        replace_all(text_, "−", "-");
        replace_all(text_, "·", "*");
        replace_all(text_, "×", "*");
        replace_all(text_, " ", "");
    }

    // The value, and its uncertainty due to rounding; empty: no such line.
    struct Value {
        double value = 0, open = 0;
    };
    std::optional<Value> work_out() {
        moved_ = -1;
        const double value = run();
        if (numbers_ == 0 || at_ != text_.size()) return std::nullopt;
        Value result{value, 0};
        for (int i = 0, count = numbers_; i < count; ++i) {
            moved_ = i;
            result.open += std::abs(run() - value);
        }
        return result;
    }

  private:
    double run() {
        at_ = 0;
        numbers_ = 0;
        return sum();
    }
    [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) {
        if (next() != c) return false;
        ++at_;
        return true;
    }
    double sum() {
        double value = product();
        for (;;)
            if (take('+'))
                value += product();
            else if (take('-'))
                value -= product();
            else
                return value;
    }
    double product() {
        double value = factor();
        for (;;)
            if (take('*'))
                value *= factor();
            else if (take('/'))
                value /= factor();
            else
                return value;
    }
    double factor() {
        if (take('-')) return -factor();
        if (take('(')) {
            const double value = sum();
            take(')');
            return value;
        }
        if (is_digit(next())) return number();
        const std::size_t begin = at_;
        while (at_ < text_.size() && !is_digit(next()) &&
               std::string_view("+-*/()").find(next()) == std::string_view::npos)
            ++at_;
        if (at_ == begin || at_ == text_.size()) return 0;
        const std::string word = text_.substr(begin, at_ - begin);
        return next() == '(' ? apply(word, factor()) : factor();
    }
    static double apply(const std::string& function, double x) {
        if (function == "exp") return std::exp(x);
        if (function == "tanh") return std::tanh(x);
        if (function == "ReLU") return std::max(x, 0.0);
        if (function == "SiLU") return x / (1 + std::exp(-x));
        if (function == "quickGELU") return x / (1 + std::exp(-1.702 * x));
        if (function == "GELU") return x / 2 * (1 + std::erf(x / std::numbers::sqrt2));
        ADD_FAILURE() << "unknown to this test: " << function;
        return x;
    }
    double number() {
        std::size_t used = 0;
        const double value = std::stod(text_.substr(at_), &used);
        const std::string digits = text_.substr(at_, used);
        at_ += used;
        const bool is_moved = numbers_++ == moved_;
        return is_moved ? value + half_a_step(digits) : value;
    }

    std::string text_;
    std::size_t at_ = 0;
    int numbers_ = 0, moved_ = -1;
};

// True if the line is a calculation.
bool check(std::string line) {
    const bool roughly = line.find("≈") != std::string::npos;
    replace_all(line, "≈", "=");
    const std::size_t last = line.rfind('=');
    if (last == std::string::npos) return false;
    const std::size_t before = last == 0 ? std::string::npos : line.rfind('=', last - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const auto found = Calculator(line.substr(begin, last - begin)).work_out();
    const auto shown = Calculator(line.substr(last + 1)).work_out();
    if (!found || !shown) return false;
    EXPECT_NEAR(found->value, shown->value,
                found->open + shown->open + 1e-5 * std::abs(shown->value))
        << line;
    // With "=", the result must agree to the last digit, as on a calculator.
    if (!roughly) {
        EXPECT_NEAR(found->value, shown->value, shown->open * (1 + 1e-6) + 1e-12) << line;
    }
    return true;
}

// Checks several cells, because a rounded number may be right by chance.
int check_step(Pane& pane, Desk& desk, int width) {
    int checked = 0;
    for (const auto& [row, col] : {std::pair{3, 1}, {0, 0}, {7, 5}}) {
        desk.say("cell " + std::to_string(row) + " " + std::to_string(col));
        pane.draw(desk, {width, 1000}, 1);
        pane.draw(desk, {width, 1000}, 1);
        const auto& reports = pane.ui().reports();
        const auto line = reports.find("arithmetic.line");
        if (line != reports.end() && check(line->second)) ++checked;
    }
    return checked;
}

TEST(ArithmeticLine, gives_the_number_beside_it) {
    Pane pane;
    pane.point_nowhere();
    int checked = 0;
    for (const testing::Walk& walk : testing::all_walks()) {
        Desk desk(testing::cat(), testing::read_source);
        ASSERT_NO_FATAL_FAILURE(say_all(desk, walk.open));
        for (const Step step : std::vector<Step>(desk->steps())) {
            SCOPED_TRACE(std::string(walk.name) + ", " + std::string(info(step).name));
            ASSERT_TRUE(desk.say("step " + std::string(info(step).name)));
            for (const int width : {1600, 1100}) checked += check_step(pane, desk, width);
        }
    }
    EXPECT_GT(checked, 400);
}

}  // namespace
}  // namespace headlight
