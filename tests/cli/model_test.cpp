#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <map>
#include <set>
#include <thread>

#include "cli_fixture.h"
#include "image/image.h"
#include "image/preprocessing.h"

// `headlight trace` and `headlight info` of whole models.
namespace headlight {
namespace {

std::string family_file(const std::string& name) { return golden("families/" + name); }

std::string model_of(const std::string& name) {
    const std::string file = family_file(name + ".model.safetensors");
    return fs::exists(file) ? file : family_file(name + ".model.npz");
}

std::vector<std::string> with_config(const std::string& name, std::vector<std::string> options) {
    options.insert(options.begin(), {"--model", model_of(name)});
    const std::string config = family_file(name + ".config.json");
    if (fs::exists(config)) options.insert(options.end(), {"--config", config});
    return options;
}

class CliModel : public Cli {
  protected:
    Outcome trace_model(const std::string& name, std::vector<std::string> more = {}) {
        more.insert(more.end(), {"--input", family_file(name + ".input.safetensors")});
        return trace(with_config(name, std::move(more)));
    }
    TensorMap traced(const std::string& name, std::vector<std::string> more = {}) {
        const auto layers = std::ranges::find(more, "--layers");
        const bool some = layers != more.end() && *std::next(layers) != "all";
        const Outcome outcome = trace_model(name, std::move(more));
        EXPECT_EQ(outcome.status, 0) << outcome.error;
        EXPECT_EQ(outcome.error.find("written as") != std::string::npos, some) << outcome.error;
        EXPECT_EQ(outcome.error.empty(), !some) << outcome.error;
        return outcome.status == 0 ? read(path("out")) : TensorMap();
    }
    std::string write_tensor(const std::string& file, const std::string& name,
                             const NamedTensor& tensor) {
        return write(file, std::vector<ToWrite>{{name, tensor.shape, tensor.values}});
    }
};

class CliFamily : public CliModel, public testing::WithParamInterface<const char*> {};

// Swin's layers have different tokens, so rollout through them is not possible.
const std::string kNoRollout =
    "headlight: no rollout was written, because the layers have different tokens.\n";

// concat lists the heads' numbers in another order, and rollout has its own tests.
bool is_left_out_of_golden_files(const std::string& name) {
    return name == "rollout" || name.ends_with(".concat");
}

TEST_P(CliFamily, trace_writes_what_pytorch_computes) {
    const std::string name = GetParam();
    const Outcome outcome = trace_model(name);
    ASSERT_EQ(outcome.status, 0) << outcome.error;
    const TensorMap found = read(path("out"));
    EXPECT_EQ(outcome.error, found.contains("rollout") ? "" : kNoRollout);
    const TensorMap expected = read(family_file(name + ".safetensors"));
    for (const auto& [step, tensor] : expected) {
        ASSERT_TRUE(found.contains(step)) << step;
        EXPECT_EQ(found.at(step).shape, tensor.shape) << step;
        const bool early = !step.starts_with("layer.") || step.starts_with("layer.0.");
        EXPECT_LE(relative_error(found.at(step).values, tensor.values), early ? 1e-5 : 1e-4)
            << step;
    }
    for (const auto& [step, tensor] : found)
        EXPECT_TRUE(expected.contains(step) || is_left_out_of_golden_files(step)) << step;
}

INSTANTIATE_TEST_SUITE_P(All, CliFamily,
                         testing::Values("clip_huggingface", "clip_open", "clip_openai",
                                         "deit_distilled", "dino", "dinov2", "dinov2_registers",
                                         "google", "google_resampled", "hf_deit", "hf_dinov2",
                                         "hf_dinov2_registers", "hf_swin", "hf_swin_bare", "hf_vit",
                                         "hf_vit_newer", "swin", "swin_authors", "swin_positions",
                                         "t2t", "t2t_scaled", "torchvision_swin", "timm",
                                         "timm_pooled", "timm_registers", "timm_swiglu"),
                         [](const auto& param) { return param.param; });

// Rows of rollout sum to 1; it is the product of the layers' mean attention with skip connections.
TEST_F(CliModel, trace_follows_attention_through_all_layers) {
    const TensorMap found = traced("timm", {"--layers", "1"});
    const NamedTensor& rollout = found.at("rollout");
    ASSERT_EQ(rollout.shape, (std::vector<std::int64_t>{2, 10, 10}));
    for (std::size_t row = 0; row < 20; ++row) {
        float sum = 0;
        for (std::size_t col = 0; col < 10; ++col) sum += rollout.values[10 * row + col];
        EXPECT_NEAR(sum, 1, 1e-5);
    }
    EXPECT_EQ(traced("timm").at("rollout").values, rollout.values);
}

TEST_F(CliModel, trace_writes_the_layers_that_are_asked_for) {
    const auto layers_of = [&](const std::string& name, const std::string& layers) {
        std::set<std::string> blocks;
        for (const auto& [step, tensor] : traced(name, {"--layers", layers}))
            if (step.starts_with("layer.") || step.starts_with("t2t."))
                blocks.insert(step.substr(0, step.find('.', step.find('.') + 1)));
        return blocks;
    };
    using Blocks = std::set<std::string>;
    EXPECT_EQ(layers_of("dinov2_registers", "all"),
              (Blocks{"layer.0", "layer.1", "layer.2", "layer.3"}));
    EXPECT_EQ(layers_of("dinov2_registers", "4,2"), (Blocks{"layer.1", "layer.3"}));
    EXPECT_EQ(layers_of("dinov2_registers", "1-2,4"), (Blocks{"layer.0", "layer.1", "layer.3"}));
    EXPECT_EQ(layers_of("t2t", "1"), Blocks{"layer.0"});
    EXPECT_EQ(layers_of("t2t", "all"),
              (Blocks{"layer.0", "t2t.1", "t2t.2", "t2t.split0", "t2t.split1", "t2t.split2"}));
    EXPECT_TRUE(traced("timm", {"--layers", "1"}).contains("tokens.embedded"));
    EXPECT_TRUE(traced("timm", {"--layers", "1"}).contains("logits"));
    expect_failure(trace_model("timm", {"--layers", "1,3"}), 1,
                   "--layers: expected layers from 1 to 2, found 3");
}

// A picture gives the same numbers as the pixels that it should become.
TEST_F(CliModel, an_image_is_prepared_as_the_model_was_trained) {
    const std::string picture = golden("images/rgb.png");
    for (const std::string name : {"timm", "hf_vit", "clip_openai", "t2t"}) {
        Outcome outcome = trace(with_config(name, {"--image", picture}));
        ASSERT_EQ(outcome.status, 0) << outcome.error;
        const TensorMap from_image = read(path("out"));

        const bool clip = name == "clip_openai", t2t = name == "t2t", hf = name == "hf_vit";
        Preprocessing how;
        how.height = how.width = t2t ? 32 : hf ? 16 : 12;
        how.framing = hf ? Framing::stretch : Framing::crop;
        if (!hf) {
            const int side = clip ? 12 : t2t ? 35 : 13;
            how.resize = ResizeTo{side, side};
        }
        how.interpolation = hf ? Interpolation::bilinear : Interpolation::bicubic;
        how.eight_bit = true;
        std::array<float, 3> mean{0.5F, 0.5F, 0.5F}, std = mean;
        if (clip) mean = {0.48145466F, 0.4578275F, 0.40821073F};
        if (clip) std = {0.26862954F, 0.26130258F, 0.27577711F};
        if (t2t) mean = {0.485F, 0.456F, 0.406F}, std = {0.229F, 0.224F, 0.225F};
        const Image image = preprocess(to_rgb(decode_image(bytes_of(picture), picture)), how);
        NamedTensor pixels{{1, 3, how.height, how.width}, {}};
        for (int c = 0; c < 3; ++c)
            for (int y = 0; y < how.height; ++y)
                for (int x = 0; x < how.width; ++x)
                    pixels.values.push_back((image.at(y, x, c) - mean[c]) / std[c]);

        outcome = trace(with_config(name, {"--input", write_tensor("pixels", "pixels", pixels)}));
        ASSERT_EQ(outcome.status, 0) << outcome.error;
        const TensorMap from_pixels = read(path("out"));
        ASSERT_EQ(from_image.size(), from_pixels.size());
        for (const auto& [step, tensor] : from_pixels)
            EXPECT_LE(relative_error(from_image.at(step).values, tensor.values), 1e-5)
                << name << ' ' << step;
    }
}

TEST_F(CliModel, tokens_enter_the_first_layer) {
    for (const auto& [name, tensor] :
         std::map<std::string, std::string>{{"timm_registers", "tokens.input"},
                                            {"clip_openai", "tokens.input"},
                                            {"t2t", "tokens.input"}}) {
        const TensorMap whole = traced(name);
        const std::string tokens = write_tensor("tokens", "tokens", whole.at(tensor));
        const Outcome outcome = trace(with_config(name, {"--input", tokens}));
        ASSERT_EQ(outcome.status, 0) << outcome.error;
        const TensorMap found = read(path("out"));
        EXPECT_FALSE(found.contains("tokens.embedded"));
        EXPECT_EQ(found.at(tensor).values, whole.at(tensor).values);
        for (const auto& [step, values] : found)
            EXPECT_EQ(values.values, whole.at(step).values) << name << ' ' << step;
        EXPECT_TRUE(found.contains("layer.0.output") && found.contains("rollout"));
    }
}

// A relative bias is a term of every layer's scores, written beside them, and no position
// embedding.
TEST_F(CliModel, a_relative_bias_is_written_with_every_layer) {
    const TensorMap plain = traced("timm", {"--attention", R"({"positions": "none"})"});
    const TensorMap biased = traced(
        "timm", {"--attention",
                 R"({"positions": {"kind": "relative", "bias": "distance", "strength": 2}})"});
    EXPECT_FALSE(biased.contains("positions"));
    EXPECT_FALSE(plain.contains("layer.0.relative_bias"));
    EXPECT_TRUE(biased.contains("layer.1.relative_bias"));
    const NamedTensor &before = plain.at("layer.0.scores"), &after = biased.at("layer.0.scores"),
                      &bias = biased.at("layer.0.relative_bias");
    ASSERT_EQ(bias.shape.size(), 4U);
    EXPECT_EQ(bias.shape[0], 1);  // one for all samples
    EXPECT_EQ(bias.shape[1], after.shape[1]);
    for (std::size_t i = 0; i < after.values.size(); ++i)
        EXPECT_NEAR(after.values[i], before.values[i] + bias.values[i % bias.values.size()], 1e-5);
    EXPECT_NE(plain.at("logits").values, biased.at("logits").values);
}

TEST_F(CliModel, what_is_asked_changes_all_layers) {
    const TensorMap plain = traced("timm");
    const TensorMap halved = traced("timm", {"--attention", R"({"temperature": 2})"});
    const NamedTensor &before = plain.at("layer.0.scores"), &after = halved.at("layer.0.scores");
    for (std::size_t i = 0; i < before.values.size(); ++i)
        EXPECT_FLOAT_EQ(after.values[i], before.values[i] / 2);
    EXPECT_NE(plain.at("logits").values, halved.at("logits").values);
    // Heads are 8 wide, so this is half of their scale.
    const TensorMap scaled = traced("timm", {"--attention", R"({"scale": 0.1767766953})"});
    for (const char* step : {"layer.0.scores", "layer.1.scores", "logits"})
        EXPECT_LE(relative_error(scaled.at(step).values, halved.at(step).values), 1e-5) << step;

    const TensorMap none = traced("timm", {"--attention", R"({"positions": "none"})"});
    EXPECT_FALSE(none.contains("positions"));
    const TensorMap other =
        traced("timm_registers", {"--attention", R"({"positions": "sinusoidal"})"});
    EXPECT_EQ(other.at("positions").shape, (std::vector<std::int64_t>{1, 18, 24}));
}

TEST_F(CliModel, another_size_is_framed_and_its_positions_resampled) {
    const Outcome outcome =
        trace(with_config("timm", {"--image", golden("images/rgb.png"), "--attention",
                                   R"({"image_size": [8, 20], "framing": "stretch"})"}));
    ASSERT_EQ(outcome.status, 0) << outcome.error;
    const TensorMap found = read(path("out"));
    EXPECT_EQ(found.at("tokens.patches").shape, (std::vector<std::int64_t>{1, 10, 48}));
    EXPECT_EQ(found.at("positions").shape, (std::vector<std::int64_t>{1, 11, 24}));
}

// In --config and --attention alike; the model's own value changes nothing.
TEST_F(CliModel, a_size_has_one_meaning) {
    const std::string picture = golden("images/rgb.png");
    const auto patches = [&](const std::string& config, const std::string& attention) {
        const std::string file = write("size.json", config);
        const Outcome outcome = trace({"--model", model_of("timm"), "--image", picture, "--config",
                                       file, "--attention", attention});
        EXPECT_EQ(outcome.status, 0) << outcome.error;
        return outcome.status == 0 ? read(path("out")).at("tokens.patches").values
                                   : std::vector<float>{};
    };
    const std::string heads = R"({"num_heads": 3})";
    const auto own = patches(heads, "{}");
    EXPECT_EQ(patches(heads, R"({"image_size": 12})"), own);
    EXPECT_EQ(patches(R"({"num_heads": 3, "image_size": 12})", "{}"), own);
    EXPECT_EQ(patches(R"({"num_heads": 3, "image_size": 12})", R"({"image_size": [12, 12]})"), own);
    for (const char* size : {"20", "[8, 16]"}) {
        const std::string said = std::string(R"("image_size": )") + size + "}";
        EXPECT_EQ(patches(R"({"num_heads": 3, )" + said, "{}"), patches(heads, "{" + said)) << size;
    }
    expect_failure(
        trace(with_config("timm", {"--image", picture, "--attention", R"({"image_size": 14})"})), 1,
        "The nearest sizes are 12 and 16");
    const std::string file = write("size.json", std::string(R"({"num_heads":3,"image_size":14})"));
    expect_failure(trace({"--model", model_of("timm"), "--image", picture, "--config", file}), 1,
                   "The nearest sizes are 12 and 16");
}

TEST_F(CliModel, says_which_settings_it_does_not_read) {
    const std::string file = write(
        "hub.json", std::string(R"({"architecture": "vit_a", "num_heads": 3, "gate_kind": 7})"));
    const Outcome outcome = trace({"--model", model_of("timm"), "--input",
                                   family_file("timm.input.safetensors"), "--config", file});
    ASSERT_EQ(outcome.status, 0) << outcome.error;
    EXPECT_NE(outcome.error.find("\"gate_kind\" 7"), std::string::npos) << outcome.error;
}

TEST_F(CliModel, a_mask_holds_in_every_layer) {
    const TensorMap found = traced("timm", {"--attention", R"({"mask": "causal"})"});
    for (const char* layer : {"layer.0", "layer.1"}) {
        const NamedTensor& maps = found.at(std::string(layer) + ".attention");
        const std::int64_t n = maps.shape[2];
        ASSERT_EQ(maps.shape[3], n);
        for (std::size_t i = 0; i < maps.values.size(); ++i) {
            const auto at = static_cast<std::int64_t>(i) % (n * n);
            EXPECT_EQ(maps.values[i] == 0, at % n > at / n) << layer << ", " << i;
        }
    }
}

TEST_F(CliModel, a_file_of_maps_gives_its_maps_and_their_rollout) {
    for (const char* file : {"maps.model.safetensors", "maps_layers.model.npz"}) {
        const Outcome outcome = trace({"--model", family_file(file)});
        ASSERT_EQ(outcome.status, 0) << outcome.error;
        const TensorMap found = read(path("out"));
        EXPECT_EQ(found.size(), 3) << file;
        EXPECT_EQ(found.at("rollout").shape, (std::vector<std::int64_t>{1, 10, 10}));
        const TensorMap maps = read(family_file("maps.model.safetensors"));
        const std::vector<float>& all = maps.at("attentions").values;
        EXPECT_EQ(found.at("layer.1.attention").shape, (std::vector<std::int64_t>{1, 3, 10, 10}));
        EXPECT_EQ(found.at("layer.1.attention").values,
                  std::vector<float>(all.begin() + 300, all.end()));
    }
    const std::string maps = family_file("maps.model.safetensors");
    EXPECT_EQ(trace({"--model", maps, "--image", golden("images/rgb.png")}).status, 0);
    expect_failure(trace({"--model", maps, "--input", maps}), 2, "so there is nothing to compute");
    expect_failure(trace({"--model", maps, "--attention", "{}"}), 2, "found attention maps");
}

TEST_F(CliModel, a_trace_is_a_file_of_maps) {
    ASSERT_EQ(trace(with_config("timm", {"--image", golden("images/rgb.png")})).status, 0);
    const TensorMap first = read(path("out"));
    fs::rename(path("out"), path("traced"));
    const Outcome again = trace({"--model", path("traced")});
    ASSERT_EQ(again.status, 0) << again.error;
    const TensorMap maps = read(path("out"));
    for (const char* name : {"layer.0.attention", "layer.1.attention", "rollout"})
        EXPECT_EQ(maps.at(name).values, first.at(name).values) << name;
    EXPECT_FALSE(maps.contains("layer.2.attention"));
    const Outcome info = headlight({"info", path("traced")});
    EXPECT_EQ(info.status, 0) << info.error;
    EXPECT_NE(info.out.find("the trace's own metadata"), std::string::npos) << info.out;
}

TEST_F(CliModel, what_a_whole_model_decides_itself_is_refused) {
    for (const char* key :
         {R"({"heads": 2})", R"({"skip": "none"})", R"({"patch": 4})", R"({"stride": 4})"})
        expect_failure(
            trace_model("timm", {"--attention", key}), 2,
            "temperature, scale, mask, switched_off, positions, positions.base, positions.first, "
            "positions.bias, positions.strength, positions.seed, image_size, framing, "
            "alpha");
    expect_failure(trace_model("timm", {"--attention", R"({"image_size": 8})"}), 2,
                   "applies only to an image");
    expect_failure(trace_model("timm", {"--attention", R"({"temperature": 0})"}), 1, "temperature");
    expect_failure(trace(with_config("timm", {})), 2, "found neither");
    expect_no_output();
}

TEST_F(CliModel, inputs_that_do_not_fit_are_named) {
    const auto expect = [&](const ToWrite& tensor, const std::string& says) {
        const std::string input = write("in", std::vector<ToWrite>{tensor});
        expect_failure(trace(with_config("timm", {"--input", input})), 1, says);
    };
    expect({"pixels", {1, 1, 12, 12}, ramp(144)}, "[B, 3, H, W] for this model");
    expect({"pixels", {1, 3, 12, 13}, ramp(468)}, "multiples of the patch size, 4");
    expect({"pixels", {3, 12, 12}, ramp(432)}, "[B, 3, H, W]");
    expect({"tokens", {1, 5, 20}, ramp(100)}, "[B, N, 24] for this model");
    expect({"tokens", {1, 1, 24}, ramp(24)}, "more than 1 token, because this model has 1 before");
    const std::string masked =
        write("in", std::vector<ToWrite>{{"tokens", {1, 5, 24}, ramp(120)},
                                         {"mask", {5, 5}, std::vector<float>(25)}});
    expect_failure(trace(with_config("timm", {"--input", masked})), 1, "found \"mask\"");
    expect_no_output();
}

TEST_F(CliModel, configs_of_others_and_our_own_are_taken) {
    const std::string model = path("model.safetensors");
    fs::copy_file(model_of("timm"), model);
    const std::string input = family_file("timm.input.safetensors");
    const auto heads = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all{"--model", model, "--input", input};
        all.insert(all.end(), more.begin(), more.end());
        const Outcome outcome = trace(all);
        EXPECT_EQ(outcome.status, 0) << outcome.error;
        return read(path("out")).at("layer.0.query").shape[1];
    };
    EXPECT_EQ(heads({"--config", write("theirs", R"({"model_type": "vit", "hidden_size": 24,
                                                     "num_attention_heads": 6})")}),
              6);
    write("config.json", R"({"num_heads": 4})");
    EXPECT_EQ(heads({}), 4);
    EXPECT_EQ(heads({"--config", write("ours", R"({"num_heads": 3})")}), 3);
    expect_failure(trace({"--model", model, "--input", input, "--config",
                          write("typo", R"({"num_head": 3})")}),
                   1, "found \"num_head\"");
}

TEST_F(CliModel, a_failure_leaves_the_old_file_as_it_was) {
    write("out", "old");
    expect_failure(trace_model("timm", {"--attention", R"({"temperature": -1})"}), 1,
                   "temperature");
    EXPECT_EQ(content_of(path("out")), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(CliModel, a_pipe_is_given_the_whole_file) {
    const TensorMap expected = traced("timm");
    const std::string pipe = path("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::string text;
    std::thread reader([&] { text = content_of(pipe); });
    std::vector<std::string> all = with_config("timm", {"--out", pipe, "--input"});
    all.insert(all.begin(), "trace");
    all.insert(std::find(all.begin(), all.end(), "--input") + 1,
               family_file("timm.input.safetensors"));
    const Outcome outcome = headlight(all);
    reader.join();
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    const TensorMap found = read_safetensors(std::as_bytes(std::span(text)), pipe);
    EXPECT_EQ(found.size(), expected.size());
    EXPECT_EQ(found.at("logits").values, expected.at("logits").values);
}

TEST_F(CliModel, trace_says_where_numbers_begin_to_be_none) {
    NamedTensor pixels = read(family_file("timm.input.safetensors")).at("pixels");
    pixels.values[5] = std::numeric_limits<float>::infinity();
    const Outcome outcome =
        trace(with_config("timm", {"--input", write_tensor("pixels", "pixels", pixels)}));
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.error,
              "headlight: tokens.patches is the first tensor with NaN or infinite numbers.\n");
}

TEST_F(CliModel, options_without_a_value_are_wrong_usage) {
    const std::string model = golden("families/timm.model.safetensors");
    for (const char* option : {"--part", "--config"}) {
        expect_failure(headlight({"info", model, option, ""}), 2, option);
        expect_failure(headlight({"heads", model, option, ""}), 2, option);
        expect_failure(headlight({"trace", "--model", model, "--input", "x", "--out", path("out"),
                                  option, ""}),
                       2, option);
        expect_failure(headlight({"maps", "--model", model, "--image", "x", "--out",
                                  path("out.npy"), option, ""}),
                       2, option);
    }
    expect_failure(headlight({"trace", "--model", model, "--image", "", "--out", path("out")}), 2,
                   "--image");
    expect_failure(headlight({"trace", "--model", model, "--input", "", "--out", path("out")}), 2,
                   "--input");
}

TEST_F(CliModel, info_lists_facts_parts_and_what_is_not_used) {
    const auto info = [&](const std::string& name) {
        std::vector<std::string> all = with_config(name, {});
        all.erase(all.begin());
        all.insert(all.begin(), "info");
        const Outcome outcome = headlight(all);
        EXPECT_EQ(outcome.status, 0) << outcome.error;
        return outcome.out;
    };
    const auto expect = [&](const std::string& name, const std::vector<std::string>& facts) {
        const std::string out = info(name);
        for (const std::string& fact : facts)
            EXPECT_NE(out.find(fact), std::string::npos) << fact << "\n" << out;
    };
    expect("timm", {"timm VisionTransformer", "layers", "3, each 8 wide", "12 × 12",
                    "bicubic_antialiased", "2 layers: MLP", "parameters", "patch embedding"});
    expect("dino", {"teacher.backbone.", "unused", "not part of the model"});
    expect("hf_vit", {"class names", "cat", "16 × 16"});
    expect("t2t", {"T2T", "token transformers: attention"});
    expect("clip_openai", {"embedding", "quick_gelu", "projection"});
    expect("maps", {"attention without a model", "3 × 3 after 1 other token"});
    // Every fact is on its own line; none is merged with others of its kind.
    const std::string out = info("dino");
    const TensorMap file = read(model_of("dino"));
    for (const auto& [name, tensor] : file)
        EXPECT_EQ(out.find(name) == std::string::npos, name.starts_with("teacher.backbone."))
            << name;
}

}  // namespace
}  // namespace headlight
