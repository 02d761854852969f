#include <gtest/gtest.h>

#include "analysis/prediction.h"
#include "analysis/rings.h"
#include "encoder/ablation.h"
#include "encoder/branches.h"
#include "encoder/contributions.h"
#include "encoder/layers.h"
#include "encoder/lens.h"
#include "encoder/patching.h"
#include "encoder/runner.h"
#include "golden.h"
#include "model_files.h"
#include "picture.h"

// Compares analyses of all heads of a model with PyTorch (tests/golden/make_heads.py).
namespace headlight::heads_golden_test {
namespace {

constexpr int kSide = 12;
constexpr Index kToken = 5;

std::shared_ptr<const Trace> run(int seed) {
    const std::map<std::string, std::string> files{
        {"m/model.safetensors", "heads.model.safetensors"}, {"m/config.json", "heads.config.json"}};
    const FileReader read = [files, seed](const std::string& name) -> File {
        if (name == "a") return FileBytes(picture(kSide, kSide, seed));
        const auto file = files.find(name);
        if (file == files.end()) throw FileMissing(name + ": no such file.");
        return read_disk(source_path("tests/golden/") + file->second);
    };
    Recipe recipe;
    recipe.image = "a";
    recipe.weights = "m/model.safetensors";
    recipe.framing = Framing::stretch;  // same size: no pixel changes
    return Runner(read).run(recipe);
}

class HeadsGolden : public ::testing::Test {
  protected:
    HeadsGolden() : golden_(golden::read("heads.safetensors")), now_(run(0)), before_(run(100)) {
        same_model_ = *before_;
        same_model_.model = now_->model;
        of_class_ = static_cast<Index>(number("class", 0));
    }

    [[nodiscard]] double number(const std::string& name, std::size_t at) const {
        return golden_.at(name).values.at(at);
    }
    // Probability and logit, in the script's order.
    void expect_effect(const std::string& name, std::size_t at, const HeadEffect& found,
                       double tolerance = 1e-5) const {
        EXPECT_NEAR(found.probability, number(name, 2 * at), tolerance) << name << " " << at;
        EXPECT_NEAR(found.logit, number(name, 2 * at + 1), tolerance) << name << " " << at;
    }
    void expect_effects(const std::string& name, const HeadEffects& found) const {
        std::size_t at = 0;
        for (const auto& layer : found)
            for (const HeadEffect& effect : layer) expect_effect(name, at++, effect);
        EXPECT_EQ(at * 2, golden_.at(name).values.size());
    }
    void expect_near(const std::string& name, const Matrix& found, float tolerance = 1e-5F) const {
        const Matrix expected = golden::stacked(golden_.at(name));
        ASSERT_EQ(found.rows(), expected.rows()) << name;
        ASSERT_EQ(found.cols(), expected.cols()) << name;
        EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance) << name;
    }
    [[nodiscard]] ModelRun now() const { return {*now_, nothing_}; }
    [[nodiscard]] ModelRun before() const { return {same_model_, nothing_}; }

    TensorMap golden_;
    Counterfactual nothing_;
    std::shared_ptr<const Trace> now_, before_;
    Trace same_model_;
    Index of_class_ = 0;
};

// The other tests rely on the same pictures and prediction.
TEST_F(HeadsGolden, is_of_the_same_pictures_and_answer) {
    for (const auto& [name, trace] : {std::pair{"pixels.now", now_}, {"pixels.before", before_}}) {
        const std::vector<float>& pixels = golden_.at(name).values;
        const Image& image = *trace->image;
        ASSERT_EQ(image.height, kSide);
        ASSERT_EQ(image.width, kSide);
        for (int c = 0; c < 3; ++c)
            for (int y = 0; y < kSide; ++y)
                for (int x = 0; x < kSide; ++x) {
                    const auto channel = static_cast<std::size_t>(c);
                    ASSERT_NEAR((image.at(y, x, c) - trace->mean[channel]) / trace->std[channel],
                                pixels[static_cast<std::size_t>((c * kSide + y) * kSide + x)],
                                1e-6);
                }
    }
    EXPECT_EQ(top_predictions(now_->view(Tensor::logits), 1).front().index, of_class_);
    for (Index k = 0; k < now_->view(Tensor::logits).cols; ++k)
        EXPECT_NEAR(now_->view(Tensor::logits)(0, k), number("logits", static_cast<std::size_t>(k)),
                    1e-5);
}

TEST_F(HeadsGolden, lens) {
    expect_near("lens.class_token", logit_lens(*now_, 0));
    expect_near("lens.token", logit_lens(*now_, kToken));
}

// Within 1e-5 of the logit itself, not of the largest contribution.
TEST_F(HeadsGolden, contributions) {
    const Contributions found = contributions_to(*now_, nothing_, of_class_);
    const double logit = number("contributions.logit", 0), tolerance = 1e-5 * std::abs(logit);
    EXPECT_NEAR(found.sum(), logit, tolerance);
    EXPECT_NEAR(found.input, number("contributions.input", 0), tolerance);
    EXPECT_NEAR(found.end, number("contributions.end", 0), tolerance);
    for (std::size_t b = 0; b < found.heads.size(); ++b) {
        EXPECT_NEAR(found.attention_rest[b], number("contributions.rest", b), tolerance);
        EXPECT_NEAR(found.mlp[b], number("contributions.mlp", b), tolerance);
        for (std::size_t h = 0; h < found.heads[b].size(); ++h)
            EXPECT_NEAR(found.heads[b][h],
                        number("contributions.heads", b * found.heads[b].size() + h), tolerance)
                << b << " " << h;
    }
}

TEST_F(HeadsGolden, heads_switched_off_and_put_to_their_mean) {
    expect_effects("off", ablate_heads(*now_, nothing_, of_class_));
    expect_effects("level", level_heads(*now_, nothing_, of_class_));
}

TEST_F(HeadsGolden, heads_patched) {
    expect_effects("patched.heads", patch_heads(now(), before(), of_class_));
}

TEST_F(HeadsGolden, tokens_patched) {
    expect_effects("patched.tokens", patch_tokens(now(), before(), of_class_).tokens);
}

TEST_F(HeadsGolden, layers_patched) {
    std::size_t at = 0;
    for (const LayerEffect& layer : patch_layers(now(), before(), of_class_).layers)
        for (const HeadEffect& effect : {layer.attention, layer.mlp, layer.both})
            expect_effect("patched.layers", at++, effect);
    EXPECT_EQ(at * 2, golden_.at("patched.layers").values.size());
}

TEST_F(HeadsGolden, sizes_of_the_branches) {
    std::size_t at = 0;
    for (const BranchSizes& layer : branch_sizes(*now_, nothing_))
        for (const auto& branch : {layer.attention, layer.mlp})
            for (const double size : branch)
                EXPECT_NEAR(size, number("branches", at++), 1e-5) << at;
    EXPECT_EQ(at, golden_.at("branches").values.size());
}

TEST_F(HeadsGolden, rings) {
    for (int b = 0; b < 2; ++b) {
        const Trace layer = compute_layer(*now_, b, nothing_, {});
        RingSums sums(layer.layout, layer.grid, layer.shape.heads);
        const MatrixView attention = layer.all(Tensor::attention);
        for (Index query = 0; query < attention.cols; ++query) {
            Matrix rows(layer.shape.heads, attention.cols);
            for (Index h = 0; h < rows.rows(); ++h)
                rows.row(h) = attention.eigen().row(h * attention.cols + query);
            sums.add(query, rows);
        }
        const std::vector<RingProfile> found = sums.means();
        const std::string name = "rings." + std::to_string(b);
        ASSERT_EQ(found.size() * static_cast<std::size_t>(sums.rings()),
                  golden_.at(name).values.size());
        for (std::size_t h = 0; h < found.size(); ++h)
            for (std::size_t r = 0; r < found[h].mass.size(); ++r) {
                EXPECT_NEAR(found[h].mass[r], number(name, h * found[h].mass.size() + r), 1e-6);
                EXPECT_NEAR(found[h].even[r], number("rings.even", r), 1e-6);
            }
    }
}

}  // namespace
}  // namespace headlight::heads_golden_test
