#include "model/config.h"

#include <gtest/gtest.h>

#include "model_files.h"

namespace headlight {
namespace {

ModelConfig parse(const std::string& json) { return parse_config(bytes_of(json), "config.json"); }

std::string refusal(const std::string& json) {
    try {
        parse(json);
    } catch (const CheckpointError& error) {
        return error.what();
    }
    return "no error";
}

TEST(ParseConfig, reads_our_own_keys) {
    const ModelConfig config = parse(R"({"family": "timm", "num_heads": 3, "layer_norm_eps": 1e-5,
        "qk_scale": 0.5, "activation": "quick_gelu", "resampling": "bicubic_offset",
        "mean": [0, 0.5, 1], "std": 0.25, "image_size": [32, 48], "alpha": "black"})");
    EXPECT_EQ(config.alpha, Alpha::black);
    EXPECT_EQ(config.name, "config.json");
    EXPECT_EQ(config.family, "timm");
    EXPECT_EQ(config.num_heads, 3);
    EXPECT_EQ(config.layer_norm_eps, 1e-5F);
    EXPECT_EQ(config.qk_scale, 0.5F);
    EXPECT_EQ(config.activation, Activation::quick_gelu);
    EXPECT_EQ(config.resampling, Resampling::bicubic_offset);
    EXPECT_EQ(config.mean, (std::array{0.0F, 0.5F, 1.0F}));
    EXPECT_EQ(config.std, (std::array{0.25F, 0.25F, 0.25F}));
    EXPECT_EQ(config.native_size, (PixelSize{32, 48}));
}

TEST(ParseConfig, leaves_open_what_is_not_said) {
    const ModelConfig config = parse(R"({"num_heads": null, "transformers_version": "4.1"})");
    EXPECT_FALSE(config.num_heads || config.mean || config.frame || config.framing);
    EXPECT_TRUE(config.class_names.empty());
}

// A key that is misspelt would leave the numbers as they were.
TEST(ParseGivenConfig, knows_its_own_keys_and_the_configs_of_others) {
    const auto given = [](const std::string& json) {
        return parse_given_config(bytes_of(json), "mine.json");
    };
    EXPECT_EQ(given(R"({"num_heads": 3})").num_heads, 3);
    EXPECT_EQ(given(R"({"model_type": "vit", "num_attention_heads": 6, "dropout": 0})").num_heads,
              6);
    try {
        given(R"({"num_head": 3})");
        FAIL();
    } catch (const CheckpointError& error) {
        EXPECT_STREQ(error.what(),
                     "mine.json: expected family, num_heads, layer_norm_eps, qk_scale, activation, "
                     "resampling, norm_first, mean, std, alpha, image_size, found \"num_head\".");
    }
}

TEST(ParseConfig, takes_the_vision_part_of_a_two_tower_model) {
    const ModelConfig config = parse(R"({"model_type": "clip", "text_config":
        {"num_attention_heads": 8}, "vision_config": {"num_attention_heads": 12, "hidden_act":
        "quick_gelu", "layer_norm_eps": 1e-5, "image_size": 336}})");
    EXPECT_EQ(config.num_heads, 12);
    EXPECT_EQ(config.native_size, (PixelSize{336, 336}));
    EXPECT_EQ(config.activation, Activation::quick_gelu);
}

struct Processor {
    std::string json;
    std::optional<PixelSize> frame;
    std::optional<Framing> framing;
    std::optional<float> crop_fraction;
};

// The forms in which processors of ten years of releases write a size.
TEST(ParseConfig, reads_every_form_of_a_size) {
    const std::vector<Processor> processors{
        {R"({"size": 224})", PixelSize{224, 224}, Framing::stretch, 1},
        {R"({"size": {"height": 384, "width": 256}})", PixelSize{384, 256}, Framing::stretch, 1},
        {R"({"size": {"shortest_edge": 224}, "crop_size": 224, "do_center_crop": true})",
         PixelSize{224, 224}, Framing::crop, 1},
        {R"({"size": 256, "crop_size": 224, "do_center_crop": true,
             "feature_extractor_type": "CLIPFeatureExtractor"})",
         PixelSize{224, 224}, Framing::crop, 0.875F},
        {R"({"size": {"shortest_edge": 256}, "crop_size": {"height": 224, "width": 224},
             "do_center_crop": true})",
         PixelSize{224, 224}, Framing::crop, 0.875F},
        {R"({"size": {"shortest_edge": 224}, "crop_size": 192, "do_center_crop": false})",
         PixelSize{224, 224}, Framing::crop, 1},
        {R"({"size": 224, "do_resize": false})", {}, {}, {}},
        {R"({"crop_pct": 0.95, "input_size": [3, 288, 224]})", PixelSize{288, 224}, {}, 0.95F},
        {R"({"crop_mode": "squash", "crop_pct": 1.0, "input_size": [3, 384, 384]})",
         PixelSize{384, 384}, Framing::stretch, 1}};
    for (const Processor& processor : processors) {
        const ModelConfig config = parse(processor.json);
        EXPECT_EQ(config.frame, processor.frame) << processor.json;
        EXPECT_EQ(config.framing, processor.framing) << processor.json;
        EXPECT_EQ(config.crop_fraction, processor.crop_fraction) << processor.json;
    }
}

// Hugging Face's DeiT: what we have not is said.
TEST(ParseConfig, remarks_what_is_done_otherwise) {
    const ModelConfig stretched = parse(R"({"size": {"height": 256, "width": 256},
        "crop_size": 224, "do_center_crop": true, "resample": 5})");
    EXPECT_EQ(stretched.frame, (PixelSize{224, 224}));
    EXPECT_EQ(stretched.crop_fraction, 0.875F);
    EXPECT_EQ(stretched.framing, Framing::crop);
    EXPECT_FALSE(stretched.interpolation);
    ASSERT_EQ(stretched.remarks.size(), 2);
    EXPECT_NE(stretched.remarks[0].find("stretched to a square"), std::string::npos);
    EXPECT_NE(stretched.remarks[1].find("resample 5"), std::string::npos);
}

TEST(ParseConfig, reads_pillows_kernels) {
    const std::vector<std::pair<std::string, Interpolation>> kernels{{"0", Interpolation::nearest},
                                                                     {"1", Interpolation::lanczos},
                                                                     {"2", Interpolation::bilinear},
                                                                     {"3", Interpolation::bicubic}};
    for (const auto& [number, kernel] : kernels)
        EXPECT_EQ(parse("{\"resample\": " + number + "}").interpolation, kernel);
    EXPECT_EQ(parse(R"({"do_normalize": false})").mean, (std::array{0.0F, 0.0F, 0.0F}));
}

TEST(ParseConfig, names_the_classes_in_their_order) {
    EXPECT_EQ(parse(R"({"id2label": {"1": "b", "0": "a"}})").class_names,
              (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(parse(R"({"label_names": ["x", "y"]})").class_names,
              (std::vector<std::string>{"x", "y"}));
    EXPECT_TRUE(parse(R"({"id2label": {"0": "LABEL_0", "1": "LABEL_1"}})").class_names.empty());
    EXPECT_NE(refusal(R"({"id2label": {"0": "a", "7": "b"}})").find("\"id2label\""),
              std::string::npos);
    EXPECT_NE(refusal(R"({"id2label": {"0": 3}})").find("\"id2label\""), std::string::npos);
}

TEST(ParseConfig, refuses_what_cannot_be) {
    EXPECT_EQ(refusal("{"), "config.json: expected JSON, found something else.");
    EXPECT_EQ(refusal("[]"), "config.json: expected a JSON object, found array.");
    EXPECT_EQ(refusal(""), "config.json: expected JSON, found something else.");
    EXPECT_EQ(refusal(std::string(100'000, '[')),
              "config.json: expected JSON of at most 32 levels, found a deeper one.");
    const std::vector<std::pair<std::string, std::string>> values{{"num_heads", "0"},
                                                                  {"num_heads", "1.5"},
                                                                  {"num_heads", "\"6\""},
                                                                  {"num_heads", "1e300"},
                                                                  {"layer_norm_eps", "-1"},
                                                                  {"layer_norm_eps", "true"},
                                                                  {"hidden_act", "\"tanh\""},
                                                                  {"resampling", "\"none\""},
                                                                  {"mean", "[1, 2]"},
                                                                  {"mean", "[1, 2, \"3\"]"},
                                                                  {"std", "[1, 0, 1]"},
                                                                  {"image_size", "70000"},
                                                                  {"image_size", "[1, 2, 3, 4]"},
                                                                  {"size", "-5"},
                                                                  {"crop_pct", "0.001"},
                                                                  {"architecture", "{}"},
                                                                  {"alpha", "\"grey\""},
                                                                  {"resample", "9"}};
    for (const auto& [key, value] : values) {
        const std::string error = refusal("{\"" + key + "\": " + value + "}");
        EXPECT_TRUE(error.starts_with("config.json: \"" + key + "\": expected ")) << error;
    }
}

}  // namespace
}  // namespace headlight
