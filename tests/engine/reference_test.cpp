#include "reference/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bytes_of_matrix.h"
#include "encoder/runner.h"
#include "reference/named_results.h"
#include "zip_file.h"

// Compares a trace with numbers in a file.
namespace headlight::reference_test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Deviation deviation(const std::vector<float>& found, const std::vector<float>& expected) {
    DeviationSum sum;
    const std::size_t half = found.size() / 2;
    sum.add(std::span(found).first(half), std::span(expected).first(half));
    sum.add(std::span(found).subspan(half), std::span(expected).subspan(half));
    return sum.deviation();
}

TEST(Reference, says_how_far_numbers_are_apart) {
    const Deviation some = deviation({1, 2, 3.5F, -4}, {1, 2, 3, -4});
    EXPECT_DOUBLE_EQ(some.largest, 0.5);
    EXPECT_DOUBLE_EQ(some.relative, 0.125);
    EXPECT_DOUBLE_EQ(some.norm, 0.5 / std::sqrt(30.0));
    EXPECT_EQ(deviation({-kInfinity, std::nanf(""), 2}, {-kInfinity, std::nanf(""), 2}).relative,
              0);
    EXPECT_EQ(deviation({0, 1, 2}, {-kInfinity, 1, 2}).relative, kInfinity);
    EXPECT_EQ(deviation({0, 1e-30F}, {0, 0}).relative, kInfinity);
    EXPECT_EQ(deviation({0, 0}, {0, 0}).relative, 0);
}

TEST(Reference, extents_of_one_in_front_do_not_count) {
    EXPECT_TRUE(same_extents({1, 4, 3}, {4, 3}));
    EXPECT_TRUE(same_extents({1, 1, 4, 3}, {1, 4, 3}));
    EXPECT_FALSE(same_extents({4, 1, 3}, {4, 3}));
    EXPECT_FALSE(same_extents({2, 4, 3}, {4, 3}));
}

// ---- four vectors through a layer without weights

TensorFile open(const std::string& bytes, const std::string& name) {
    const auto view = std::as_bytes(std::span(bytes));
    return open_tensor_file(
        name, [&](const std::string&) { return File(Bytes(view.begin(), view.end())); });
}

class OfVectors : public ::testing::Test {
  protected:
    using HeldResults = std::vector<HeldResult>;

    OfVectors() {
        Recipe recipe;
        recipe.tokens = find_preset("four")->set;
        recipe.variant.projections = Projections::none;
        Runner runner([](const std::string& name) -> File { throw FileMissing(name); });
        trace_ = runner.run(recipe);
    }
    using Array = std::pair<std::string, std::string>;
    static TensorFile npz(const std::vector<Array>& arrays) {
        std::vector<headlight::testing::Member> members;
        for (const auto& [name, npy] : arrays) members.push_back({name + ".npy", npy});
        return open(headlight::testing::zip_of(members), "out.npz");
    }
    [[nodiscard]] std::string array(Tensor tensor, const std::string& shape, float more = 0) const {
        return headlight::testing::npy_of_shape(
            shape, headlight::testing::bytes_of(trace_->view(tensor), more));
    }
    [[nodiscard]] HeldResults held(const TensorFile& file) const {
        return held_against(file, *trace_, {});
    }
    void expect_refused(const TensorFile& file, const std::string& says) const {
        try {
            (void)held(file);
            FAIL() << says;
        } catch (const ReferenceError& error) {
            EXPECT_EQ(error.what(), says);
        }
    }
    std::shared_ptr<const Trace> trace_;
};

TEST_F(OfVectors, finds_results_by_their_names_in_the_order_of_the_walk) {
    const HeldResults all = held(npz({{"layer.0.output", array(Tensor::output, "(1, 4, 2)")},
                                      {"attention", array(Tensor::attention, "(4, 4)", 0.125F)},
                                      {"layer.3.query", array(Tensor::query, "(1, 1, 4, 2)")}}));
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].name, "layer.0.attention");
    EXPECT_EQ(all[0].other, "attention");
    EXPECT_EQ(all[0].step, Step::softmax);
    EXPECT_NEAR(all[0].deviation.largest, 0.125, 1e-7);
    const float largest = trace_->view(Tensor::attention).eigen().maxCoeff() + 0.125F;
    EXPECT_NEAR(all[0].deviation.relative, 0.125 / largest, 1e-6);
    EXPECT_EQ(all[1].name, "layer.0.output");
    EXPECT_EQ(all[1].deviation.relative, 0);
}

TEST_F(OfVectors, takes_an_array_alone_for_what_the_layer_gives) {
    const HeldResults all = held(open(array(Tensor::output, "(4, 2)", 0.5F), "mine.npy"));
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].name, "layer.0.output");
    EXPECT_EQ(all[0].other, "mine");
    EXPECT_NEAR(all[0].deviation.largest, 0.5, 1e-6);
}

TEST_F(OfVectors, takes_an_array_alone_that_is_named_as_a_result_for_that_result_s) {
    const HeldResults all = held(open(array(Tensor::attention, "(4, 4)"), "attention.npy"));
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].name, "layer.0.attention");
}

TEST_F(OfVectors, one_of_another_shape_is_said_beside_the_others) {
    const HeldResults all = held(npz({{"attention", array(Tensor::output, "(4, 2)")},
                                      {"output", array(Tensor::output, "(4, 2)")}}));
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].why_not,
              "out.npz: tensor \"attention\": expected [1, 1, 4, 4] for layer.0.attention, found "
              "[4, 2].");
    EXPECT_EQ(all[1].why_not, "");
    EXPECT_EQ(all[1].deviation.relative, 0);
}

TEST_F(OfVectors, a_file_that_does_not_fit_is_refused_in_one_sentence) {
    expect_refused(
        npz({{"a", array(Tensor::output, "(4, 2)")}, {"b", array(Tensor::output, "(8,)")}}),
        "out.npz: expected tensors with the names of a trace, such as layer.0.output, found \"a\", "
        "\"b\".");
    expect_refused(open(array(Tensor::output, "(2, 4)"), "o.npy"),
                   "o.npy: tensor \"o\": expected [1, 4, 2] for layer.0.output, found [2, 4].");
    EXPECT_THROW(open("no numbers at all", "o.npy"), CheckpointError);
}

TEST_F(OfVectors, every_result_that_is_written_agrees_with_itself) {
    std::vector<Array> arrays;
    for (const NamedResult& result : results_of_layer(*trace_)) {
        std::string shape = "(";
        for (const auto extent : shaped(*trace_, result.tensor).shape)
            shape += std::to_string(extent) + ", ";
        arrays.emplace_back(result.name, array(result.tensor, shape + ")"));
    }
    ASSERT_GT(arrays.size(), 6U);
    const HeldResults all = held(npz(arrays));
    EXPECT_EQ(all.size(), arrays.size());
    for (const HeldResult& each : all) {
        EXPECT_EQ(each.why_not, "") << each.name;
        EXPECT_EQ(each.deviation.largest, 0) << each.name;
    }
}

// From a batch, the sample that the trace belongs to.
TEST_F(OfVectors, takes_its_own_sample_out_of_a_batch) {
    const std::string one = headlight::testing::bytes_of(trace_->view(Tensor::output)),
                      other(one.size(), '\0');
    const auto batch =
        open(headlight::testing::npy_of_shape("(3, 4, 2)", other + one + other), "output.npy");
    TraceOrigin origin;
    origin.samples = 3;
    origin.sample = 1;
    EXPECT_EQ(held_against(batch, *trace_, origin)[0].deviation.largest, 0);
    origin.sample = 2;
    EXPECT_GT(held_against(batch, *trace_, origin)[0].deviation.largest, 0.1);
    expect_refused(batch,
                   "output.npy: tensor \"output\": expected [1, 4, 2] for layer.0.output, found "
                   "[3, 4, 2].");
}

// PyTorch's module returns the mean over heads by default.
TEST(Reference, of_pytorch_s_averaged_weights_says_what_to_ask_for) {
    Recipe recipe;
    recipe.tokens = find_preset("four")->set;
    recipe.channels = 8;
    recipe.heads = 2;
    Runner runner([](const std::string& name) -> File { throw FileMissing(name); });
    const auto trace = runner.run(recipe);
    const std::string mean(std::size_t{16} * 4, '\0');
    try {
        held_against(open(headlight::testing::npy_of_shape("(1, 4, 4)", mean), "attention.npy"),
                     *trace, {});
        FAIL();
    } catch (const ReferenceError& error) {
        EXPECT_EQ(std::string(error.what()),
                  "attention.npy: tensor \"attention\": expected [1, 2, 4, 4] for "
                  "layer.0.attention, found [1, 4, 4]. In PyTorch's MultiheadAttention, "
                  "average_attn_weights=False returns every head.");
    }
}

}  // namespace
}  // namespace headlight::reference_test
