#include "analysis/cost.h"

#include <gtest/gtest.h>

#include "model_files.h"
#include "run_layer.h"
#include "tests/source_path.h"

// Compares the cost of steps with sums counted by hand.
namespace headlight::cost_test {
namespace {

constexpr double kFloat = 4;

std::shared_ptr<const Trace> run(Layer layer, Index batch, Index tokens,
                                 std::optional<Mask> mask = {}) {
    LayerInput input;
    input.batch = batch;
    input.tokens = Matrix::Random(batch * tokens, layer.attention.dim);
    if (mask) input.mask = std::make_shared<const Mask>(std::move(*mask));
    return run_layer(std::move(input), layer);
}

// B = 2 samples of N = 5 tokens of D = 7, C = 6 in H = 3 heads of 2.
std::shared_ptr<const Trace> attention(bool masked) {
    AttentionConfig config;
    config.dim = 7;
    config.channels = 6;
    config.heads = 3;
    config.qkv_bias = true;
    const auto weights = std::make_shared<const AttentionWeights>(draw_weights(config, 1));
    std::optional<Mask> mask;
    if (masked) mask = Mask{1, 5, 5, std::vector<std::uint8_t>(25)};
    return run(bare_layer(config, weights), 2, 5, std::move(mask));
}

void expect_cost(const Trace& trace, Step step, double operations, double read, double written,
                 int doubled) {
    const Node* node = trace.node(step);
    ASSERT_NE(node, nullptr);
    const Cost cost = cost_of(trace, *node);
    EXPECT_EQ(cost.operations, operations) << node->name();
    EXPECT_EQ(cost.read, kFloat * read) << node->name();
    EXPECT_EQ(cost.written, kFloat * written) << node->name();
    EXPECT_EQ(cost.when_doubled, doubled) << node->name();
}

TEST(Cost, of_an_attention_layer_is_what_its_formulas_count) {
    const auto trace = attention(true);
    const double rows = 2 * 5, square = 2 * 3 * 5 * 5;
    // Two operations for each of D products, and one for the bias.
    expect_cost(*trace, Step::qkv, rows * 18 * (2 * 7 + 1), rows * 7 + 18 * 7 + 18, rows * 18, 2);
    expect_cost(*trace, Step::heads, 0, 0, 0, 2);
    expect_cost(*trace, Step::products, square * 2 * 2, 2 * rows * 6, square, 4);
    expect_cost(*trace, Step::scale, square, square, square, 4);
    expect_cost(*trace, Step::mask, square, square, square, 4);
    expect_cost(*trace, Step::softmax, 5 * square, square, square, 4);
    expect_cost(*trace, Step::mix, rows * 6 * 2 * 5, square + rows * 6, rows * 6, 4);
    expect_cost(*trace, Step::concat, 0, 0, 0, 2);
    expect_cost(*trace, Step::project, rows * 6 * (2 * 6 + 1), rows * 6 + 36 + 6, rows * 6, 2);
    // Two results that share a matrix are written once.
    expect_cost(*trace, Step::skip, rows * 6, 2 * rows * 6, rows * 6, 2);
}

// Steps without weights, counted by going through their loops.
TEST(Cost, grows_as_the_squares_of_the_tokens_say) {
    const auto few = attention(false);
    AttentionConfig config = few->config;
    const auto weights = std::make_shared<const AttentionWeights>(draw_weights(config, 1));
    const auto many = run(bare_layer(config, weights), 2, 10);
    for (const Node& node : few->nodes) {
        const Cost before = cost_of(*few, node), after = cost_of(*many, *many->node(node.id));
        EXPECT_EQ(after.operations, before.when_doubled * before.operations) << node.name();
    }
}

TEST(Cost, of_norms_and_mlp_counts_each_number) {
    const auto model =
        load_model(source_path("tests/golden/blocks/post_norm.model.safetensors"), read_disk);
    Layer layer = model->layers.front();
    const auto trace = run(layer, 1, 4);
    expect_cost(*trace, Step::norm1, 8 * 4 * 12, 4 * 12 + 2 * 12, 4 * 12 + 4 * 2, 2);
    expect_cost(*trace, Step::activation, 4 * 20, 4 * 20, 4 * 20, 2);
    expect_cost(*trace, Step::mlp_in, 4 * 20 * (2 * 12 + 1), 4 * 12 + 20 * 12 + 20, 4 * 20, 2);
}

}  // namespace
}  // namespace headlight::cost_test
