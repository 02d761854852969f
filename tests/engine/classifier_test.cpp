#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "encoder/contributions.h"
#include "encoder/lens.h"
#include "encoder/runner.h"
#include "golden.h"
#include "model_shapes.h"
#include "ops/limits.h"
#include "ops/picture.h"

// Classification heads left by fine-tuning, compared with torch.nn's
// (tests/golden/make_classifiers.py), and those that are left out.
namespace headlight::classifier_test {
namespace {

struct Case {
    std::string name, trunk, own_head;
    std::string prefix;  // of the trunk's names
    std::string config = "";
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::shared_ptr<const Model> load_case(const Case& one) {
    std::vector<RawTensor> tensors;
    const auto add = [&](const std::string& name, const NamedTensor& tensor) {
        tensors.push_back({name, "F32", tensor.shape, raw(tensor.values)});
    };
    for (const auto& [name, tensor] : golden::read("families/" + one.trunk + ".model.safetensors"))
        if (!name.starts_with(one.own_head)) add(one.prefix + name, tensor);
    for (const auto& [name, tensor] : golden::read("classifiers.safetensors"))
        if (name.starts_with(one.name + "/") && !name.starts_with(one.name + "//"))
            add(name.substr(one.name.size() + 1), tensor);
    Folder folder;
    folder.with("a/model.safetensors", safetensors_of(tensors));
    const std::string activation =
        one.config.empty() ? "" : R"(, "head_activation": ")" + one.config + "\"";
    folder.with("a/config.json", R"({"num_heads": 3)" + activation + "}");
    return load_model("a/model.safetensors", folder.reader());
}

Trace run_case(const std::shared_ptr<const Model>& model, const std::string& trunk) {
    const NamedTensor pixels =
        golden::read("families/" + trunk + ".input.safetensors").at("pixels");
    Trace front;
    front.model = model;
    front.shape.batch = pixels.shape[0];
    front.grid =
        make_grid(*model, static_cast<int>(pixels.shape[2]), static_cast<int>(pixels.shape[3]),
                  {model->patch_size, model->patch_size, Ragged::crop});
    set_patches(front, extract_patches(pixels.values, static_cast<int>(pixels.shape[0]),
                                       static_cast<int>(pixels.shape[1]), front.grid));
    return Runner::run({front});
}

class Classifier : public ::testing::TestWithParam<Case> {};

TEST_P(Classifier, gives_the_logits_of_torchs_modules) {
    const Case& one = GetParam();
    const auto model = load_case(one);
    EXPECT_TRUE(model->head_left_out.empty()) << model->head_left_out;
    EXPECT_EQ(model->head_assumed, one.config.empty() && one.name.ends_with("relu"));
    const Trace trace = run_case(model, one.trunk);
    ASSERT_TRUE(trace.has(Tensor::logits));
    const Matrix expected =
        golden::stacked(golden::read("classifiers.safetensors").at(one.name + "//logits"));
    const MatrixView found = trace.all(Tensor::logits);
    ASSERT_EQ(found.rows, expected.rows());
    ASSERT_EQ(found.cols, expected.cols());
    const float largest = expected.cwiseAbs().maxCoeff();
    EXPECT_LE((found.eigen() - expected).cwiseAbs().maxCoeff(), 1e-4F * largest);

    // The lens ends with the same logits.
    EXPECT_TRUE(has_lens(*model));
    const Matrix lens = logit_lens(trace, {});
    EXPECT_LE((lens.bottomRows(1) - expected.topRows(1)).cwiseAbs().maxCoeff(), 1e-4F * largest);
    if (model->pooler.exists()) {
        EXPECT_THROW(contributions_to(trace, {}, 0, {}, {}), RecipeError);
    } else {
        EXPECT_NEAR(contributions_to(trace, {}, 0, {}, {}).sum(), expected(0, 0), 1e-3 * largest);
    }
}

constexpr const char* kTorchvision = "heads.";
INSTANTIATE_TEST_SUITE_P(
    Heads, Classifier,
    ::testing::Values(
        Case{"plain", "torchvision", kTorchvision, ""},
        Case{"sequence", "torchvision", kTorchvision, ""},
        Case{"dropout", "torchvision", kTorchvision, ""},
        Case{"nested", "torchvision", kTorchvision, ""},
        Case{"relu", "torchvision", kTorchvision, ""},
        Case{"gelu", "torchvision", kTorchvision, "", "gelu"},
        Case{"tanh", "torchvision", kTorchvision, "", "tanh"},
        Case{"silu", "timm", "head.", "", "silu"},
        Case{"composed", "torchvision", kTorchvision, ""},
        Case{"norm", "torchvision", kTorchvision, ""}, Case{"norm_named", "timm", "head.", ""},
        Case{"norm_relu", "timm", "head.", ""}, Case{"batch_norm", "timm", "head.", ""},
        Case{"batch_norm_plain", "timm", "head.", ""},
        Case{"batch_norm_after", "timm", "head.", "", "relu"},
        Case{"batch_norm_before", "timm", "head.", "", "relu"}, Case{"fc", "timm", "head.", ""},
        Case{"classifier", "timm", "head.", ""}, Case{"around", "timm", "head.", "backbone."},
        Case{"around", "timm", "head.", "net.vit."},
        Case{"around_both", "timm", "head.", "backbone."},
        Case{"huggingface", "hf_vit", "classifier.", ""}, Case{"weight_norm", "timm", "head.", ""},
        Case{"weight_norm", "timm", "head.", "backbone."},
        Case{"weight_norm_columns", "timm", "head.", ""},
        Case{"weight_norm_whole", "timm", "head.", ""},
        Case{"weight_norm_new", "timm", "head.", ""},
        Case{"weight_norm_last", "torchvision", kTorchvision, ""},
        Case{"spectral_norm", "timm", "head.", ""}, Case{"spectral_norm_new", "timm", "head.", ""},
        Case{"pruned", "timm", "head.", ""}),
    [](const auto& param) {
        std::string name = param.param.name + "_" + param.param.trunk + "_" + param.param.prefix;
        std::ranges::replace(name, '.', '_');
        return name;
    });

// If the names do not tell the structure, or Headlight does not support it, the encoder opens
// without it.
TEST(ClassifierLeftOut, opens_the_model_and_says_so_at_its_name) {
    const auto with = [](const std::map<std::string, std::vector<std::int64_t>>& head,
                         const std::string& prefix = "") {
        Shapes shapes = vit(prefix);
        for (const auto& [name, shape] : head) shapes[name] = shape;
        return load(shapes);
    };
    const auto expect_left_out = [](const std::shared_ptr<const Model>& model,
                                    const std::string& why) {
        EXPECT_FALSE(model->classifier.exists()) << why;
        EXPECT_NE(model->head_left_out.find(why), std::string::npos) << model->head_left_out;
        EXPECT_NE(fact(*model, "family").value.find("classifier not used"), std::string::npos);
        EXPECT_FALSE(fact(*model, "head not used").origin.empty());
        EXPECT_FALSE(model->unused.empty());
    };
    expect_left_out(
        with({{"head.0.weight", {8, 192}}, {"head.2.weight", {8, 8}}, {"head.4.weight", {3, 8}}}),
        "3 linear layers");
    expect_left_out(with({{"head.fc1.weight", {8, 192}}, {"head.fc2.weight", {3, 8}}}),
                    "the order of its modules");
    expect_left_out(with({{"head.0.weight", {8, 192, 1}}}), "neither a linear layer nor a norm");
    expect_left_out(with({{"head.weight", {3, 100}}}), "it takes 100 numbers");
    expect_left_out(with({{"head.weight", {3, 192}}, {"head.bias", {4}}}), "does not fit");
    expect_left_out(with({{"head.scale", {1}}, {"head.weight", {3, 192}}}), "head.scale");
    expect_left_out(with({{"head.weight", {3, 192}}, {"fc.weight", {4, 192}}}),
                    "which one is used");
    expect_left_out(with({{"fc.weight", {3, 192}}, {"neck.weight", {192, 192}}}, "backbone."),
                    "neck.weight");
    expect_left_out(
        with({{"fc.weight", {3, 10}}, {"backbone.head.weight", {10, 192}}}, "backbone."),
        "it takes 10 numbers");
    expect_left_out(
        with({{"fc.weight", {3, 192}}, {"backbone.head.weight", {192, 192}}}, "backbone."),
        "it may take the output of");
}

TEST(ClassifierAround, takes_the_place_of_the_backbones_own) {
    Shapes shapes = vit("backbone.");
    shapes["backbone.head.weight"] = {1000, 192};
    shapes["fc.weight"] = {3, 192};
    shapes["criterion.weight"] = {3};
    const auto model = load(shapes);
    EXPECT_EQ(model->classifier.weight->view().rows, 3);
    EXPECT_EQ(fact(*model, "head not used").value, "backbone.head");
    EXPECT_NE(fact(*model, "head").origin.find("assumed"), std::string::npos);
}

// DINO's preprocessing is for models without a classification head.
TEST(ClassifierAround, makes_no_dino_of_a_backbone) {
    const auto without = load(vit("backbone."));
    EXPECT_EQ(without->family, "dino");
    for (const char* head : {"classifier.weight", "classifier.1.weight", "fc.weight"}) {
        Shapes shapes = vit("backbone.");
        shapes[head] = {3, 192};
        const auto model = load(shapes);
        EXPECT_EQ(model->family, "timm") << head;
        EXPECT_EQ(model->preprocessing.mean[0], 0.5F) << head;
    }
    Shapes left_out = vit("backbone.");
    left_out["classifier.0.weight"] = {3, 100};
    EXPECT_EQ(load(left_out)->family, "timm");
}

TEST(ClassifierAround, is_no_projection_of_self_supervised_training) {
    Shapes shapes = vit("teacher.backbone.");
    for (const char* name : {"teacher.head.mlp.0.weight", "teacher.head.last_layer.weight_v"})
        shapes[name] = {4, 192};
    const auto model = load(shapes);
    EXPECT_EQ(model->family, "dino");
    EXPECT_TRUE(model->head_left_out.empty());
    EXPECT_EQ(fact(*model, "head").value, "none");
}

Shapes with_more(Shapes shapes, const Shapes& more) {
    for (const auto& [name, shape] : more) shapes[name] = shape;
    return shapes;
}

Shapes with_head(const std::string& prefix = "") {
    return with_more(vit(prefix),
                     {{prefix + "head.weight", {3, 192}}, {prefix + "head.bias", {3}}});
}

TEST(SidePart, is_left_aside_and_said_at_the_models_name) {
    for (const auto& [root, tensors] : std::map<std::string, Shapes>{
             {"aux_head", {{"aux_head.weight", {4, 192}}}},
             {"head_color", {{"head_color.0.weight", {8, 192}}, {"head_color.2.weight", {7, 8}}}},
             {"projector", {{"projector.0.weight", {64, 192}}, {"projector.1.running_var", {64}}}},
             {"decode_head", {{"decode_head.conv_seg.weight", {21, 192, 1, 1}}}},
             {"box_head",
              {{"box_head.layers.0.weight", {192, 192}}, {"box_head.layers.1.weight", {4, 192}}}},
             {"rotation", {{"rotation.weight", {4, 192}}, {"rotation.bias", {4}}}}}) {
        const auto model = load(with_more(with_head(), tensors));
        EXPECT_EQ(model->family, "timm") << root;
        EXPECT_EQ(model->classifier.weight->view().rows, 3) << root;
        EXPECT_NE(fact(*model, "not used").value.find(root), std::string::npos) << root;
        EXPECT_NE(fact(*model, "family").value.find(root), std::string::npos) << root;
    }
    const auto around =
        load(with_more(vit("backbone."), {{"fc.weight", {3, 192}}, {"aux_head.weight", {4, 192}}}));
    EXPECT_EQ(around->classifier.weight->view().rows, 3);
    EXPECT_NE(fact(*around, "not used").value.find("aux_head (1 tensor)"), std::string::npos);
}

// It may use the head's output, or produce the head's input.
TEST(SidePart, leaves_the_head_out_where_it_may_compute_with_it) {
    for (const auto& [first, part] : std::vector<std::pair<Shapes, Shapes>>{
             {{{"head.weight", {64, 192}}}, {{"head_out.weight", {3, 64}}}},
             {{{"head.weight", {3, 192}}}, {{"projector.weight", {192, 192}}}},
             {{{"fc.weight", {64, 192}}}, {{"fc2.weight", {3, 64}}}}}) {
        const auto model = load(with_more(with_more(vit(), first), part));
        EXPECT_FALSE(model->classifier.exists());
        EXPECT_NE(model->head_left_out.find("may run before or after it"), std::string::npos);
    }
}

TEST(SidePart, is_nothing_that_the_encoder_may_compute_with) {
    for (const auto& [name, shape] : Shapes{{"norm_before.weight", {192}},
                                            {"temporal_embed.weight", {5, 192}},
                                            {"camera.weight", {6, 192}},
                                            {"class_tokens", {1, 2, 192}},
                                            {"gate", {1}},
                                            {"stem.0.weight", {8, 3, 3, 3}},
                                            {"token_mixer.weight", {192, 192}},
                                            {"blocks.0.head.weight", {8, 192}},
                                            {"patch_embed.norm.weight", {192}}})
        EXPECT_NE(error_of(with_more(with_head(), {{name, shape}})).find(name), std::string::npos)
            << name;
}

TEST(SidePart, makes_no_dino_unless_it_is_of_self_supervision) {
    const Shapes two{{"fc1.weight", {64, 192}}, {"fc2.weight", {3, 64}}};
    EXPECT_EQ(load(with_more(vit("encoder."), two))->family, "timm");
    EXPECT_EQ(load(with_more(vit("encoder."), {{"projector.weight", {64, 192}}}))->family, "dino");
}

TEST(Buffers, of_metrics_and_profilers_do_not_stop_a_model) {
    Shapes shapes = with_head();
    for (const char* count : {"val_acc.tp", "train_acc.correct", "cm.confmat", "val_loss.value",
                              "metrics.MulticlassF1Score.fp", "total_ops", "blocks.0.total_ops",
                              "blocks.0.attn.qkv.total_params", "head.total_ops"})
        shapes[count] = {1};
    const auto model = load(shapes);
    EXPECT_TRUE(model->classifier.exists());
    EXPECT_EQ(fact(*model, "not used").value, "");
    EXPECT_TRUE(model->warnings.empty());
}

// The fixture's numbers depend only on the shape, so these are the same tensors.
TEST(Classifier, counts_once_where_it_is_stored_under_several_names) {
    const auto expect_one = [](const Shapes& shapes) {
        const auto model = load(shapes);
        EXPECT_TRUE(model->classifier.exists()) << model->head_left_out;
        EXPECT_EQ(fact(*model, "not used").value, "");
        EXPECT_EQ(fact(*model, "head not used").value, "");
    };
    expect_one(with_more(with_head(), {{"fc.weight", {3, 192}}, {"fc.bias", {3}}}));
    expect_one(with_more(with_head(), {{"aux.weight", {3, 192}}}));  // without a bias of its own
    expect_one(with_more(
        vit("backbone."),
        {{"fc.weight", {3, 192}}, {"classifier.weight", {3, 192}}, {"aux_head.weight", {3, 192}}}));
    expect_one(with_more(with_head("backbone."), {{"fc.weight", {3, 192}}, {"fc.bias", {3}}}));
}

TEST(WeightInParts, of_an_unknown_form_is_refused_in_the_encoder_and_left_out_in_a_head) {
    const std::string parametrized = "parametrizations.weight.original";
    const auto head = load(with_more(vit(), {{"head." + parametrized, {3, 192}},
                                             {"head.parametrizations.weight.0.base", {3, 192}}}));
    EXPECT_EQ(head->family, "timm");
    EXPECT_FALSE(head->head_left_out.empty());
    const std::string weight = "blocks.0.attn.proj.";
    Shapes shapes = vit();
    shapes.erase(weight + "weight");
    EXPECT_NE(error_of(with_more(shapes, {{weight + parametrized, {192, 192}}}))
                  .find("remove_parametrizations"),
              std::string::npos);
    const std::string pruned = error_of(with_more(shapes, {{weight + "weight_orig", {192, 192}}}));
    EXPECT_NE(pruned.find("weight_orig"), std::string::npos);
    EXPECT_NE(pruned.find("prune.remove"), std::string::npos);
}

TEST(ClassifierActivation, is_read_from_a_config_by_its_name) {
    Shapes shapes = vit();
    shapes["head.0.weight"] = {8, 192};
    shapes["head.2.weight"] = {3, 8};
    EXPECT_TRUE(load(shapes)->head_assumed);
    EXPECT_NE(fact(*load(shapes), "head").origin.find("set head_activation"), std::string::npos);
    const auto said = load(shapes, R"({"head_activation": "gelu_tanh"})");
    EXPECT_FALSE(said->head_assumed);
    EXPECT_EQ(said->pooler_curve, HeadCurve::gelu_tanh);
    EXPECT_NE(error_of(shapes, R"({"head_activation": "elu"})").find("\"head_activation\""),
              std::string::npos);
}

}  // namespace
}  // namespace headlight::classifier_test
