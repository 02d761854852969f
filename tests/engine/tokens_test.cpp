#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>

#include "analysis/denoising.h"
#include "encoder/runner.h"
#include "naive.h"
#include "ops/ops.h"
#include "picture.h"
#include "tokens/token_source.h"

// Given tokens instead of a picture, and a layer's results for them.
namespace headlight::tokens_test {
namespace {

std::string why_not(const VectorSet& set) {
    return naive::sentence_of<TokenError>([&] { validate(set); });
}
std::string why_not(const Signal& signal) {
    return naive::sentence_of<TokenError>([&] { validate(signal); });
}
TokenSource read(const std::string& text) {
    return tokens_from_json(std::as_bytes(std::span(text)), "tokens");
}
std::string why_not(const std::string& json) {
    return naive::sentence_of<TokenError>([&] { read(json); });
}

VectorSet set_of(int count, int width = 2) {
    VectorSet set;
    for (int i = 0; i < count; ++i)
        set.vectors.push_back({"", std::vector<float>(static_cast<std::size_t>(width), 0.5F)});
    return set;
}

Signal signal_of(Curve curve, int samples, int window) {
    Signal signal;
    signal.curve = curve;
    signal.samples = samples;
    signal.window = window;
    return signal;
}

// ---- vectors

TEST(Vectors, are_two_to_twelve_of_two_or_three_numbers) {
    for (const int count : {2, 12})
        for (const int width : {2, 3}) EXPECT_NO_THROW(validate(set_of(count, width)));
    EXPECT_EQ(why_not(set_of(1)), "vectors: expected 2 to 12 of them, found 1.");
    EXPECT_EQ(why_not(set_of(13)), "vectors: expected 2 to 12 of them, found 13.");
    EXPECT_EQ(why_not(set_of(0)), "vectors: expected 2 to 12 of them, found 0.");
    EXPECT_EQ(why_not(set_of(3, 1)), "vectors: expected 2 or 3 numbers in each, found 1.");
    EXPECT_EQ(why_not(set_of(3, 4)), "vectors: expected 2 or 3 numbers in each, found 4.");
}

TEST(Vectors, that_do_not_go_together_are_refused) {
    VectorSet set = set_of(3);
    set.vectors[2].at.push_back(1);
    EXPECT_EQ(why_not(set),
              "vector 3: expected as many numbers as the first vector has, 2, found 3.");
    set = set_of(3);
    set.vectors[1].at[0] = naive::kNaN;
    EXPECT_EQ(why_not(set), "vector 2: expected numbers from -100 to 100, found NaN.");
    set.vectors[1].at[0] = naive::kInfinity;
    EXPECT_NE(why_not(set).find("from -100 to 100"), std::string::npos);
    set = set_of(3);
    set.vectors[0].word = std::string(25, 'w');
    EXPECT_EQ(why_not(set), "vector 1: expected a word of at most 24 bytes, found 25.");
    set.vectors[0].word = "two\nlines";
    EXPECT_NE(why_not(set).find("one line"), std::string::npos);
}

TEST(Vectors, have_names) {
    VectorSet set = set_of(12);
    set.vectors[1].word = "queen";
    EXPECT_EQ(vector_name(set, 0), "v₁");
    EXPECT_EQ(vector_name(set, 1), "queen");
    EXPECT_EQ(vector_name(set, 11), "v₁₂");
    EXPECT_TRUE(has_words(set));
    EXPECT_FALSE(has_words(set_of(2)));
}

TEST(Vectors, presets_are_good) {
    for (const VectorPreset& preset : vector_presets()) {
        EXPECT_EQ(why_not(preset.set), "") << preset.name;
        EXPECT_EQ(find_preset(preset.name), &preset);
    }
    EXPECT_EQ(find_preset("none"), nullptr);
}

TEST(TokenSources, come_back_from_json_to_the_last_bit) {
    std::vector<TokenSource> sources;
    for (const VectorPreset& preset : vector_presets()) sources.emplace_back(preset.set);
    Signal signal{Curve::waves, 200, 11, 0.123456789F, 77, {}};
    sources.emplace_back(signal);
    signal = {Curve::drawn, 160, 5, 0.1F, 3, std::vector<float>(70, 1.0F / 3)};
    sources.emplace_back(signal);
    for (const TokenSource& source : sources) {
        EXPECT_TRUE(gives_tokens(source));
        EXPECT_EQ(read(to_json(source)), source) << to_json(source);
        EXPECT_EQ(to_json(source).find('\n'), std::string::npos);
    }
    EXPECT_FALSE(gives_tokens(TokenSource{}));
}

TEST(TokenSources, that_are_none_are_refused_in_one_sentence) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "tokens: expected tokens as JSON"},
        {"[]", "tokens: expected an object, found a list of 0."},
        {"{}", "tokens: expected \"vectors\", found none."},
        {R"({"vectors": 3})", "tokens, vectors: expected a list of at most 12 vectors, found 3."},
        {R"({"vectors": [[1, 2], [1, "x"]]})",
         "tokens, vectors 2 2: expected a number from -100 to 100, found \"x\"."},
        {R"({"vectors": [[1, 2], [1, 1e9]]})", "found 1000000000.0."},
        {R"({"vectors": [[1, 2], [1, 2, 3]]})", "vector 2: expected as many numbers"},
        {R"({"vectors": [[1, 2], [1, 2]], "words": ["a"]})", "as many words as vectors, 2"},
        {R"({"vectors": [[1, 2], [1, 2]], "words": ["a", 3]})", "words 2: expected a word"},
        {R"({"vectors": [[1, 2], [1, 2]], "color": 1})", "there is no \"color\" in vectors."},
        {R"({"vectors": [[1, 2], [1, 2]], "signal": {}})", "there is no \"vectors\""},
        {R"({"signal": {"curve": "round"}})", "expected steps, waves, pulses or drawn"},
        {R"({"signal": {"curve": "steps", "samples": 160, "window": 8, "noise": 0, "seed": 1}})",
         "signal, window: expected an odd number from 1 to 63, found 8."},
        {R"({"signal": {"curve": "steps", "samples": 1e9, "window": 9, "noise": 0, "seed": 1}})",
         "a whole number from 64 to 512"},
        {R"({"signal": {"curve": "steps", "samples": 160, "window": 9, "noise": -1, "seed": 1}})",
         "a number from 0 to 2"},
        {R"({"signal": {"curve": "drawn", "drawn": [1, 2], "window": 1, "noise": 0, "seed": 1}})",
         "samples: expected 64 to 512 of them, found 2."}};
    for (const auto& [text, part] : cases) {
        const std::string why = why_not(text);
        EXPECT_NE(why.find(part), std::string::npos) << text << "\n" << why;
        EXPECT_EQ(why.back(), '.') << why;
        EXPECT_EQ(why.find('\n'), std::string::npos) << why;
    }
}

// ---- a layer's results

class GivenTokens : public ::testing::Test {
  protected:
    Runner runner{[](const std::string&) { return FileBytes(picture(48, 48)); }};
    Recipe recipe;

    GivenTokens() {
        recipe.tokens = find_preset("four")->set;
        recipe.variant.projections = Projections::none;
    }
    std::shared_ptr<const Trace> run() { return runner.run(recipe); }
    std::string error() {
        return naive::sentence_of<std::runtime_error>([&] { run(); });
    }
};

// softmax(XXᵀ)X, with a temperature.
naive::Table mixtures(const MatrixView& x, double temperature) {
    naive::Table out(x.rows, x.cols);
    for (Index i = 0; i < x.rows; ++i) {
        std::vector<double> scores;
        for (Index j = 0; j < x.rows; ++j) {
            double sum = 0;
            for (Index c = 0; c < x.cols; ++c) sum += static_cast<double>(x(i, c)) * x(j, c);
            scores.push_back(sum / temperature);
        }
        const std::vector<double> weights = naive::softmax(scores);
        for (Index j = 0; j < x.rows; ++j)
            for (Index c = 0; c < x.cols; ++c)
                out(i, c) += weights[static_cast<std::size_t>(j)] * x(j, c);
    }
    return out;
}

void expect_close(const MatrixView& found, const naive::Table& expected) {
    ASSERT_EQ(found.rows, expected.rows);
    ASSERT_EQ(found.cols, expected.cols);
    for (Index i = 0; i < found.rows; ++i)
        for (Index c = 0; c < found.cols; ++c)
            EXPECT_NEAR(found(i, c), expected(i, c), 1e-5) << i << ", " << c;
}

TEST_F(GivenTokens, become_mixtures_of_themselves) {
    for (const VectorPreset& preset : vector_presets())
        for (const float temperature : {0.3F, 1.0F, 4.0F}) {
            recipe.tokens = preset.set;
            recipe.temperature = temperature;
            const auto trace = run();
            SCOPED_TRACE(std::string(preset.name));
            const MatrixView x = trace->view(Tensor::tokens);
            ASSERT_EQ(x.rows, static_cast<Index>(preset.set.vectors.size()));
            for (Index i = 0; i < x.rows; ++i)
                for (Index c = 0; c < x.cols; ++c)
                    EXPECT_EQ(x(i, c), preset.set.vectors[static_cast<std::size_t>(i)]
                                           .at[static_cast<std::size_t>(c)]);
            expect_close(trace->view(Tensor::output), mixtures(x, temperature));
        }
}

TEST_F(GivenTokens, have_names_and_no_picture) {
    recipe.tokens = find_preset("royal")->set;
    const auto trace = run();
    EXPECT_EQ(token_name(trace->layout, 1), "queen");
    EXPECT_EQ(trace->image, nullptr);
    EXPECT_EQ(trace->source, nullptr);
    EXPECT_FALSE(trace->has(Step::image) || trace->has(Step::position));
    EXPECT_EQ(trace->nodes.front().id, Step::given);
    EXPECT_EQ(trace->nodes.front().title, "Words");
}

TEST_F(GivenTokens, take_scores_masks_and_positions_as_any_do) {
    recipe.variant.score = Score::cosine;
    recipe.mask = {{.kind = MaskKind::causal}};
    recipe.position.kind = PositionKind::sinusoidal;
    const auto trace = run();
    EXPECT_TRUE(trace->has(Step::score_query) && trace->has(Step::mask));
    const MatrixView given = trace->view(Tensor::given), table = trace->view(Tensor::positions),
                     tokens = trace->view(Tensor::tokens), a = trace->view(Tensor::attention);
    for (Index i = 0; i < tokens.rows; ++i) {
        for (Index c = 0; c < tokens.cols; ++c) EXPECT_EQ(tokens(i, c), given(i, c) + table(i, c));
        for (Index j = i + 1; j < a.cols; ++j) EXPECT_EQ(a(i, j), 0);
    }
}

TEST_F(GivenTokens, of_a_drawn_layer_are_projected) {
    recipe.variant.projections = Projections::learned;
    recipe.channels = 8;
    recipe.heads = 2;
    const auto trace = run();
    EXPECT_EQ(trace->cols(Tensor::qkv), 24);
    EXPECT_EQ(trace->shape.heads, 2);
    EXPECT_EQ(trace->shape.queries, 4);
}

TEST_F(GivenTokens, that_were_moved_are_computed_again_and_no_others) {
    const auto before = run();
    std::get<VectorSet>(recipe.tokens).vectors[2].at[0] += 0.25F;
    const auto moved = run();
    EXPECT_TRUE(moved->recomputed[static_cast<std::size_t>(Step::given)]);
    EXPECT_NE(moved->version(Tensor::output), before->version(Tensor::output));
    recipe.temperature = 2;
    const auto warmer = run();
    EXPECT_FALSE(warmer->recomputed[static_cast<std::size_t>(Step::given)]);
    EXPECT_EQ(token_name(warmer->layout, 2), "v₃");
}

TEST_F(GivenTokens, and_pictures_come_and_go) {
    const auto first = run();
    Recipe of_picture;
    of_picture.image = "a.ppm";
    of_picture.image_height = of_picture.image_width = 48;
    const auto between = runner.run(of_picture);
    ASSERT_NE(between->image, nullptr);
    EXPECT_EQ(token_name(between->layout, 1), "token 1");
    EXPECT_FALSE(between->has(Step::given));
    const auto again = run();
    EXPECT_EQ(again->image, nullptr);
    EXPECT_EQ(token_name(again->layout, 1), "v₂");
    EXPECT_FALSE(again->has(Tensor::pixels) || again->has(Tensor::patches));
    const MatrixView x = first->view(Tensor::output), y = again->view(Tensor::output);
    EXPECT_EQ(x.eigen(), y.eigen());
}

TEST_F(GivenTokens, explain_their_cells) {
    recipe.tokens = Signal{};
    const auto trace = run();
    for (const Node& node : trace->nodes) {
        if (node.op != Op::windows) continue;
        const Arithmetic a = explain_cell(*trace, node, 0, 5, 3, trace->view(node.result()));
        EXPECT_TRUE(a.agrees);
        EXPECT_EQ(a.recomputed, trace->view(Tensor::curve)(0, 8));
    }
}

// ---- a signal

TEST(Signals, are_refused_beyond_their_limits) {
    EXPECT_EQ(why_not(Signal{}), "");
    EXPECT_EQ(why_not(signal_of(Curve::steps, 63, 9)),
              "signal, samples: expected 64 to 512 of them, found 63.");
    EXPECT_EQ(why_not(signal_of(Curve::steps, 160, 64)),
              "signal, window: expected an odd number from 1 to 63, found 64.");
    EXPECT_EQ(why_not(signal_of(Curve::steps, 160, -1)),
              "signal, window: expected an odd number from 1 to 63, found -1.");
    Signal noisy;
    noisy.noise = naive::kNaN;
    EXPECT_NE(why_not(noisy), "");
    Signal drawn;
    drawn.curve = Curve::drawn;
    drawn.drawn.assign(100, 3);
    EXPECT_NE(why_not(drawn).find("from -2 to 2"), std::string::npos);
}

TEST(Signals, have_noise_of_the_deviation_that_was_asked_for) {
    Signal signal = signal_of(Curve::pulses, 512, 9);
    signal.noise = 0.4F;
    signal.seed = 5;
    const Matrix clean = clean_curve(signal), noisy = noisy_curve(signal, clean);
    double sum = 0, squares = 0;
    for (Index i = 0; i < clean.cols(); ++i) {
        const double off = static_cast<double>(noisy(0, i)) - clean(0, i);
        sum += off;
        squares += off * off;
    }
    EXPECT_NEAR(sum / 512, 0, 0.06);
    EXPECT_NEAR(std::sqrt(squares / 512), 0.4, 0.04);
    EXPECT_EQ(noisy, noisy_curve(signal, clean));
    Signal other = signal;
    other.seed = 6;
    EXPECT_NE(noisy, noisy_curve(other, clean));
    other.noise = 0;
    EXPECT_EQ(clean, noisy_curve(other, clean));
}

TEST_F(GivenTokens, of_a_signal_are_its_windows) {
    for (const int window : {1, 9, 63}) {
        recipe.tokens = signal_of(Curve::steps, 100, window);
        const auto trace = run();
        const MatrixView x = trace->view(Tensor::tokens), curve = trace->view(Tensor::curve);
        ASSERT_EQ(x.rows, 101 - window);
        ASSERT_EQ(x.cols, window);
        for (Index i = 0; i < x.rows; ++i)
            for (Index j = 0; j < x.cols; ++j) EXPECT_EQ(x(i, j), curve(0, i + j));
        expect_close(trace->view(Tensor::output), mixtures(x, 1));
    }
}

TEST_F(GivenTokens, another_window_leaves_the_curve_alone) {
    recipe.tokens = Signal{};
    const auto before = run();
    std::get<Signal>(recipe.tokens).window = 5;
    const auto after = run();
    EXPECT_EQ(before->version(Tensor::curve), after->version(Tensor::curve));
    EXPECT_EQ(after->cols(Tensor::tokens), 5);
}

TEST_F(GivenTokens, noise_is_measured_against_the_clean_curve) {
    for (const Curve curve : {Curve::steps, Curve::waves, Curve::pulses}) {
        recipe.tokens = signal_of(curve, 128, 7);
        const auto trace = run();
        const auto found = denoising_of(*trace);
        ASSERT_TRUE(found);
        const Matrix clean = clean_curve(std::get<Signal>(recipe.tokens));
        const MatrixView noisy = trace->view(Tensor::curve);
        const naive::Table y = mixtures(trace->view(Tensor::tokens), 1);
        double of_noise = 0, of_average = 0, of_attention = 0;
        for (Index i = 0; i < 122; ++i) {
            double average = 0;
            for (Index j = 0; j < 7; ++j) average += noisy(0, i + j) / 7.0;
            const double truth = clean(0, i + 3);
            of_noise += std::pow(noisy(0, i + 3) - truth, 2) / 122;
            of_average += std::pow(average - truth, 2) / 122;
            of_attention += std::pow(y(i, 3) - truth, 2) / 122;
            EXPECT_NEAR(found->average[static_cast<std::size_t>(i)], average, 1e-5);
            EXPECT_NEAR(found->attended[static_cast<std::size_t>(i)], y(i, 3), 1e-5);
        }
        EXPECT_EQ(found->first, 3);
        EXPECT_NEAR(found->noisy_error, std::sqrt(of_noise), 1e-6);
        EXPECT_NEAR(found->average_error, std::sqrt(of_average), 1e-5);
        EXPECT_NEAR(found->attended_error, std::sqrt(of_attention), 1e-5);
    }
}

// Attention keeps steps that an average would wash out.
TEST_F(GivenTokens, attention_keeps_steps_that_an_average_washes_out) {
    recipe.tokens = Signal{};
    const auto found = denoising_of(*run());
    ASSERT_TRUE(found);
    EXPECT_LT(found->attended_error, found->noisy_error * 0.7);
    EXPECT_LT(found->attended_error, found->average_error * 0.7);
}

TEST_F(GivenTokens, of_other_widths_have_no_middle_to_be_measured) {
    recipe.tokens = Signal{};
    recipe.variant.projections = Projections::learned;
    const auto found = denoising_of(*run());
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->attended.empty());
    recipe.tokens = find_preset("four")->set;
    EXPECT_FALSE(denoising_of(*run()));
}

}  // namespace
}  // namespace headlight::tokens_test
