#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "encoder/runner.h"
#include "golden.h"
#include "golden_families.h"
#include "ops/picture.h"
#include "reference/named_results.h"

// Compares whole models with PyTorch's numbers (tests/golden/make_families.py), every step of every
// layer.
namespace headlight::encoder_golden_test {
namespace {

// The patches, or for T2T the first soft split, of normalized pixels [B, C, H, W].
Trace front_of(const std::shared_ptr<const Model>& model, const NamedTensor& pixels) {
    Trace front;
    front.model = model;
    front.shape.batch = pixels.shape[0];
    const int samples = static_cast<int>(pixels.shape[0]),
              channels = static_cast<int>(pixels.shape[1]),
              height = static_cast<int>(pixels.shape[2]), width = static_cast<int>(pixels.shape[3]);
    front.grid =
        make_grid(*model, height, width, {model->patch_size, model->patch_size, Ragged::crop});
    set_patches(front, extract_patches(pixels.values, samples, channels, front.grid));
    return front;
}

// max |found − expected| / max |expected|, over all samples and heads as stacked in the file.
// Scores with Swin's −100 are compared, but do not count for the maximum.
double error_of(const MatrixView& found, const NamedTensor& tensor, const std::string& name) {
    const Matrix expected = golden::stacked(tensor);
    EXPECT_EQ(found.rows, expected.rows()) << name;
    EXPECT_EQ(found.cols, expected.cols()) << name;
    if (found.rows != expected.rows() || found.cols != expected.cols()) return INFINITY;
    double largest = 0, worst = 0;
    for (Index r = 0; r < found.rows; ++r)
        for (Index c = 0; c < found.cols; ++c) {
            const double want = expected(r, c), have = found(r, c);
            if (want > -50) largest = std::max(largest, std::abs(want));
            const double off = std::abs(have - want);
            worst = std::isnan(off) ? INFINITY : std::max(worst, off);
        }
    return worst / largest;
}

// All samples' heads of a tensor, stacked as in the files: [B·H·N, head_dim], and for Swin's scores
// [B·windows·H·n, n].
Matrix stacked_heads(const Trace& trace, Tensor tensor) {
    const ShapedResult shaped = shaped_for_file(trace, tensor);
    Index rows = 0;
    for (const MatrixView& block : shaped.blocks) rows += block.rows;
    Matrix all(rows, shaped.blocks[0].cols);
    rows = 0;
    for (const MatrixView& block : shaped.blocks) {
        all.middleRows(rows, block.rows) = block.eigen();
        rows += block.rows;
    }
    return all;
}

class EncoderGolden : public ::testing::TestWithParam<GoldenFamily> {
  protected:
    void compare(const Trace& trace, Tensor tensor, const std::string& name, double tolerance) {
        const auto expected = golden_.find(name);
        if (expected == golden_.end()) return;
        ++compared_;
        Matrix heads;
        MatrixView found = trace.all(tensor);
        if (info(tensor).per_head) {
            heads = stacked_heads(trace, tensor);
            found = heads;
        }
        EXPECT_LE(error_of(found, expected->second, name), tolerance) << name;
    }

    void compare_layer(const Trace& trace) {
        const Layer& layer = trace.model_layer();
        const bool first =
            trace.layer <= trace.model->token_transformers() || layer.window.exists();
        if (layer.merge.exists()) compare(trace, Tensor::input, layer.file_name + ".input", 1e-5);
        for (const NamedResult& result : results_of_layer(trace))
            EXPECT_TRUE(layer.features || (result.tensor != Tensor::query_features &&
                                           result.tensor != Tensor::key_features))
                << result.name << " is of another layer";
        for (const TensorInfo& about : all_tensors()) {
            std::string name(about.file_name);
            if (!name.starts_with("layer.L.") || !trace.has(about.id)) continue;
            name.replace(0, 7, layer.file_name);
            if (about.id == Tensor::residual1 && trace.config.skip == Skip::value)
                name = layer.file_name + ".skip";
            compare(trace, about.id, name, first ? 1e-5 : 1e-4);
        }
    }

    TensorMap golden_;
    std::size_t compared_ = 0;
};

// The table's rows as in the file: only for tokens with a position.
Matrix given_positions(const Trace& trace) {
    const MatrixView table = trace.all(Tensor::positions);
    const Index patches = trace.layout.patches, prefix = table.rows - patches;
    const PositionCover cover = trace.model->positions.cover;
    Index special = prefix;
    if (cover == PositionCover::patches) special = 0;
    if (cover == PositionCover::without_registers) special = prefix - trace.layout.registers;
    Matrix rows(special + patches, table.cols);
    rows.topRows(special) = table.eigen().topRows(special);
    rows.bottomRows(patches) = table.eigen().bottomRows(patches);
    return rows;
}

// The model's pooler: a product with tanh, or the pooled row itself.
Tensor pooler_of(const Model& model) {
    if (model.pooler.exists()) return Tensor::pooler;
    if (model.attention_pool.exists()) return Tensor::pooled;
    return model.pooled_norm.exists() ? Tensor::pooled_norm : Tensor::pooled;
}

TEST_P(EncoderGolden, every_step_of_every_layer_equals_pytorch) {
    const std::string& name = GetParam().name;
    const auto model = load_golden(name, GetParam().ending);
    golden_ = golden::read("families/" + name + ".safetensors");
    const TensorMap input = golden::read("families/" + name + ".input.safetensors");
    const Trace trace = Runner::run({front_of(model, input.at("pixels"))},
                                    [this](const Trace& layer) { compare_layer(layer); });

    for (const auto& [tensor, file_name] :
         {std::pair{Tensor::embedded, "tokens.embedded"},
          {model->pre_norm.exists() ? Tensor::pre_norm : Tensor::tokens, "tokens.input"},
          {Tensor::norm, "norm"},
          {Tensor::pooled_norm, "fc_norm"},
          {Tensor::logits, model->gives_embedding ? "embedding" : "logits"}})
        compare(trace, tensor, file_name, tensor < Tensor::input ? 1e-5 : 1e-4);
    compare(trace, pooler_of(*model), "pooler", model->attention_pool.exists() ? 1e-5 : 1e-4);
    for (const TensorInfo& about : all_tensors())
        if (about.file_name.starts_with("pool.") && trace.has(about.id))
            compare(trace, about.id, std::string(about.file_name), 1e-5);
    if (model->splits.empty()) compare(trace, Tensor::patches, "tokens.patches", 1e-5);
    for (std::size_t i = 0; i < trace.splits.size(); ++i) {
        const std::string split = "t2t.split" + std::to_string(i);
        EXPECT_LE(error_of(trace.splits[i]->view(), golden_.at(split), split), 1e-5);
        ++compared_;
    }
    if (model->positions.table) {
        EXPECT_LE(error_of(given_positions(trace), golden_.at("positions"), "positions"), 1e-5);
        ++compared_;
    }
    EXPECT_EQ(compared_, golden_.size());
}

INSTANTIATE_TEST_SUITE_P(Families, EncoderGolden, ::testing::ValuesIn(golden_families()),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace headlight::encoder_golden_test
