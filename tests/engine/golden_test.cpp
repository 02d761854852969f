#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "model_files.h"
#include "run_layer.h"
#include "tests/source_path.h"

// Compares the engine with PyTorch's numbers (tests/golden/make_golden.py), step by step.
namespace headlight::golden_test {
namespace {

// max |a − b| / max |b|. Float sums of this length differ by a few 1e-7 when reordered.
constexpr double kTolerance = 1e-5;

TensorMap read_golden(const std::string& name) {
    const std::string path = source_path("tests/golden/") + name;
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return read_safetensors(std::as_bytes(std::span(text)), path);
}

// [B, N, D] in the engine's layout: [B·N, D].
Matrix stacked(const NamedTensor& tensor) {
    return Eigen::Map<const Matrix>(tensor.values.data(), tensor.shape[0] * tensor.shape[1],
                                    tensor.shape[2]);
}

// mask [N, M] and key_padding_mask [B, M], blocked where either is true; or numbers [B·H, N, M] and
// [B, M] whose sum is added.
std::shared_ptr<const Mask> joined(const NamedTensor& mask, const NamedTensor& padding) {
    const bool adds = mask.type == "F32";
    const Index samples = padding.shape[0], keys = padding.shape[1];
    const Index queries = mask.shape[adds ? 1 : 0];
    Mask result{samples, queries, keys, {}};
    result.heads = adds ? mask.shape[0] / samples : 1;
    for (Index row = 0; row < samples * result.heads * queries; ++row)
        for (Index m = 0; m < keys; ++m) {
            const float pad = padding.values[row / (result.heads * queries) * keys + m];
            if (adds)
                result.added.push_back(mask.values[row * keys + m] + pad);
            else
                result.blocked.push_back(mask.values[row % queries * keys + m] != 0 || pad != 0);
        }
    if (adds) result.blocked.assign(static_cast<std::size_t>(samples * queries * keys), 0);
    return std::make_shared<const Mask>(std::move(result));
}

struct Case {
    std::string name;
    int heads = 1;
    std::optional<float> scale;
    std::vector<std::int64_t> query, scores, output;  // the shapes that the source prints
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::shared_ptr<const Model> model_of(const std::string& name) {
    return load_model(source_path("tests/golden/") + name + ".model.safetensors", read_disk);
}

std::shared_ptr<const Trace> run_case(const Case& c) {
    const TensorMap in = read_golden(c.name + ".input.safetensors");
    LayerInput input;
    const NamedTensor& tokens = in.contains("tokens") ? in.at("tokens") : in.at("query");
    input.batch = tokens.shape[0];
    input.tokens = stacked(tokens);
    if (in.contains("value")) input.value_tokens = stacked(in.at("value"));
    if (in.contains("mask")) input.mask = joined(in.at("mask"), in.at("key_padding_mask"));

    Layer layer = model_of(c.name)->layers.front();
    layer.attention.heads = c.heads;
    layer.attention.scale = c.scale;
    return run_layer(std::move(input), layer);
}

struct Difference {
    double error = 0;  // relative to the largest expected number
    std::string where = "nowhere";
};

// Infinite entries (blocked scores) must be equal.
Difference difference(const Trace& trace, Tensor tensor, const NamedTensor& expected) {
    const bool per_head = info(tensor).per_head;
    double largest = 0, worst = -1;
    Difference result;
    std::size_t next = 0;
    for (Index b = 0; b < trace.shape.batch; ++b)
        for (Index h = 0; h < (per_head ? trace.shape.heads : 1); ++h) {
            const MatrixView found = trace.view(tensor, b, h);
            for (Index r = 0; r < found.rows; ++r)
                for (Index c = 0; c < found.cols; ++c) {
                    const double want = expected.values.at(next++), have = found(r, c);
                    if (std::isfinite(want)) largest = std::max(largest, std::abs(want));
                    double off = want == have ? 0 : std::abs(have - want);
                    if (std::isnan(off)) off = std::numeric_limits<double>::infinity();
                    if (off <= worst) continue;
                    worst = off;
                    result.where = "sample " + std::to_string(b) + ", head " + std::to_string(h) +
                                   ", row " + std::to_string(r) + ", column " + std::to_string(c) +
                                   ": expected " + std::to_string(want) + ", found " +
                                   std::to_string(have);
                }
        }
    EXPECT_EQ(next, expected.values.size());
    result.error = worst / largest;
    return result;
}

class Golden : public ::testing::TestWithParam<Case> {};

TEST_P(Golden, every_step_equals_pytorch) {
    const auto trace = run_case(GetParam());
    const TensorMap golden = read_golden(GetParam().name + ".safetensors");
    std::size_t compared = 0;
    for (const TensorInfo& tensor : all_tensors()) {
        std::string name(tensor.file_name);
        if (name.starts_with("layer.L.")) name.replace(6, 1, "0");
        const auto expected = golden.find(name);
        if (expected == golden.end()) continue;
        const Difference d = difference(*trace, tensor.id, expected->second);
        EXPECT_LE(d.error, kTolerance) << name << " at " << d.where;
        RecordProperty(std::string(tensor.name), std::to_string(d.error * 1e7) + "e-7");
        ++compared;
    }
    EXPECT_EQ(compared, golden.size());
}

TEST_P(Golden, shapes_are_those_of_the_source) {
    const auto trace = run_case(GetParam());
    const auto shape = [&](Tensor tensor) {
        const MatrixView one = trace->view(tensor);
        std::vector<std::int64_t> extents{trace->shape.batch};
        if (info(tensor).per_head) extents.push_back(trace->shape.heads);
        extents.insert(extents.end(), {one.rows, one.cols});
        return extents;
    };
    EXPECT_EQ(shape(Tensor::query), GetParam().query);
    EXPECT_EQ(shape(Tensor::scores), GetParam().scores);
    EXPECT_EQ(shape(Tensor::attention), GetParam().scores);
    EXPECT_EQ(shape(Tensor::head_output), GetParam().query);
    for (const Tensor flat : {Tensor::concat, Tensor::projection, Tensor::output})
        EXPECT_EQ(shape(flat), GetParam().output);
}

// The one step that is not in the golden files; it only reorders numbers.
TEST_P(Golden, concat_puts_the_heads_side_by_side) {
    const auto trace = run_case(GetParam());
    for (Index b = 0; b < trace->shape.batch; ++b)
        for (Index h = 0; h < trace->shape.heads; ++h)
            EXPECT_EQ(trace->view(Tensor::concat, b)
                          .eigen()
                          .middleCols(h * trace->shape.head_dim, trace->shape.head_dim),
                      trace->view(Tensor::head_output, b, h).eigen());
}

INSTANTIATE_TEST_SUITE_P(
    Sources, Golden,
    ::testing::Values(Case{"t2t_1", 1, {}, {13, 1, 100, 64}, {13, 1, 100, 100}, {13, 100, 64}},
                      Case{"t2t_4", 4, {}, {13, 4, 100, 16}, {13, 4, 100, 100}, {13, 100, 64}},
                      Case{"t2t_bias", 3, 0.3F, {2, 3, 7, 4}, {2, 3, 7, 7}, {2, 7, 12}},
                      Case{"mha", 2, {}, {8, 2, 80, 6}, {8, 2, 80, 80}, {8, 80, 12}},
                      Case{"cross", 2, {}, {3, 2, 5, 4}, {3, 2, 5, 7}, {3, 5, 8}},
                      Case{"added", 2, {}, {3, 2, 5, 4}, {3, 2, 5, 7}, {3, 5, 8}}),
    [](const auto& param) { return param.param.name; });

TEST(GoldenWeights, are_counted_as_the_source_counts_them) {
    const auto model = model_of("t2t_1");
    EXPECT_EQ(model->family, "t2t-layer");
    const auto count = [&](const char* what) { return fact(*model, what).value; };
    EXPECT_EQ(count("qkv weight"), std::to_string(49 * 64 * 3));
    EXPECT_EQ(count("projection weight"), std::to_string(64 * 64));
    ASSERT_EQ(model->parts.size(), 1);
    EXPECT_EQ(model->parts[0].parameters, 49 * 64 * 3 + 64 * 64 + 64);
}

TEST(GoldenMask, query_that_may_read_nothing_has_zero_attention) {
    const auto trace = run_case({"cross", 2, {}, {}, {}, {}});
    for (Index b = 0; b < 3; ++b)
        for (Index h = 0; h < 2; ++h) {
            EXPECT_TRUE(trace->view(Tensor::attention, b, h).eigen().row(4).isZero(0));
            EXPECT_TRUE(trace->view(Tensor::head_output, b, h).eigen().row(4).isZero(0));
        }
}

// -inf added to a whole row blocks it, in that head of that sample alone.
TEST(GoldenMask, row_of_minus_infinity_is_a_blocked_row) {
    const auto trace = run_case({"added", 2, {}, {}, {}, {}});
    for (Index b = 0; b < 3; ++b)
        for (Index h = 0; h < 2; ++h) {
            const bool blocked = b == 1 && h == 1;
            EXPECT_EQ(trace->view(Tensor::attention, b, h).eigen().row(2).isZero(0), blocked);
            EXPECT_EQ(trace->view(Tensor::head_output, b, h).eigen().row(2).isZero(0), blocked);
        }
}

}  // namespace
}  // namespace headlight::golden_test
