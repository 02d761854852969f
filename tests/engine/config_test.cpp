#include "model/config.h"

#include <gtest/gtest.h>

#include "model_files.h"

namespace headlight::config_test {
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

// A misspelled key would silently leave the numbers unchanged.
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
                     "resampling, norm_first, mean, std, alpha, image_size, ref_feat_shape, "
                     "lora_alpha, use_rslora, grid, tokens_before, sample, head_activation, found "
                     "\"num_head\".");
    }
}

// Only timm's input_size has channels before height and width.
TEST(ParseConfig, refuses_a_size_of_more_than_two_numbers) {
    EXPECT_EQ(parse(R"({"input_size": [3, 288, 224]})").frame, (PixelSize{288, 224}));
    for (const char* key : {"image_size", "ref_feat_shape", "crop_size"})
        EXPECT_THROW(parse(std::string("{\"") + key + R"(": [3, 5, 2]})"), CheckpointError) << key;
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

// The forms in which processors have written sizes over ten years of releases.
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

// Hugging Face's DeiT.
TEST(ParseConfig, stretches_to_a_square_before_it_cuts) {
    const ModelConfig stretched = parse(R"({"size": {"height": 256, "width": 256},
        "crop_size": 224, "do_center_crop": true, "resample": 5})");
    EXPECT_EQ(stretched.frame, (PixelSize{224, 224}));
    EXPECT_EQ(stretched.resize, (PixelSize{256, 256}));
    EXPECT_EQ(stretched.crop_fraction, 0.875);
    EXPECT_EQ(stretched.framing, Framing::stretch);
    EXPECT_EQ(stretched.interpolation, Interpolation::hamming);
    EXPECT_TRUE(stretched.remarks.empty());
}

// An unknown key is reported wherever it is, unless it cannot change a number.
TEST(ParseConfig, names_every_key_that_is_not_read) {
    const ModelConfig config = parse(R"({"model_type": "clip", "transformers_version": "4.1",
        "hidden_dropout_prob": 0.1, "my_own": {"a": 1}, "off": null, "text_config": {"b": 2},
        "vision_config": {"num_attention_heads": 2, "gate_kind": "hard", "dropout": 0.5},
        "size": {"shortest_edge": 8, "longest_edge": 9}, "do_flip": false})");
    EXPECT_EQ(config.not_read,
              (std::vector<std::string>{R"("my_own" {"a":1})", R"("size.longest_edge" 9)",
                                        R"("vision_config.gate_kind" "hard")"}));
    EXPECT_TRUE(parse(R"({"pretrained_cfg": {"input_size": [3, 8, 8], "tag": "a", "first_conv":
        "patch_embed.proj"}, "num_classes": 3, "id2label": {"0": "a"}})")
                    .not_read.empty());
    const ModelConfig timm = parse(R"({"architecture": "vit_a", "model_args": {"act_layer": "gelu",
        "mlp_layer": "GluMlp", "drop_rate": 0.1}})");
    EXPECT_EQ(timm.other_arguments, std::vector<std::string>{"mlp_layer"});
    EXPECT_TRUE(timm.not_read.empty());
}

// Steps and settings that would change the computation.
TEST(ParseConfig, refuses_what_it_would_not_follow) {
    for (const char* json :
         {R"("do_pad": true)", R"("do_flip_channel_order": true)", R"("do_thumbnail": true)",
          R"("position_embedding_type": "relative_key")", R"("crop_size": {"shortest_edge": 8})",
          R"("size": {"longest_edge": 8})", R"("crop_mode": "tiles")", R"("interpolation": "hq")",
          R"("rope_parameters": {"rope_type": "yarn"})", R"("do_rescale": 1)"}) {
        const std::string key = std::string(json).substr(0, std::string(json).find(':'));
        const std::string error = refusal(std::string("{") + json + "}");
        const bool names = error.find(key) != std::string::npos ||
                           error.find("\"rope_type\"") != std::string::npos;
        EXPECT_TRUE(names) << json << ": " << error;
    }
    EXPECT_EQ(refusal(R"({"do_pad": false, "position_embedding_type": "absolute"})"), "no error");
}

// Keys that the named processor does not read are not followed, and each is reported.
TEST(ReadProcessor, follows_what_the_named_processor_reads) {
    struct Case {
        const char* type;
        const char* keys;
        PixelSize frame;
        Framing framing;
        const char* ignored;
    };
    for (const auto& [type, keys, frame, framing, ignored] : std::vector<Case>{
             {"ViTImageProcessor",
              R"("do_center_crop": true, "crop_size": 24)",
              {32, 32},
              Framing::stretch,
              "\"crop_size\" 24"},
             {"ViTFeatureExtractor", R"("crop_size": 24)", {32, 32}, Framing::stretch, "crop_size"},
             {"ViTImageProcessorFast",
              R"("do_center_crop": true, "crop_size": 24)",
              {24, 24},
              Framing::stretch,
              ""},
             {"ViTImageProcessorFast",
              R"("do_center_crop": null, "crop_size": null)",
              {32, 32},
              Framing::stretch,
              ""},
             {"ViTImageProcessor", R"("crop_pct": 0.5)", {32, 32}, Framing::stretch, "crop_pct"},
             {"ViTImageProcessor",
              R"("rescale_offset": true)",
              {32, 32},
              Framing::stretch,
              "rescale_offset"},
             {"SiglipImageProcessor",
              R"("crop_size": 24)",
              {32, 32},
              Framing::stretch,
              "crop_size"},
             {"DeiTImageProcessor", R"("crop_size": 24)", {24, 24}, Framing::stretch, ""},
             {"BeitImageProcessor", R"("crop_size": 24)", {24, 24}, Framing::stretch, ""},
             {"BeitImageProcessorFast", R"("crop_size": 24)", {32, 32}, Framing::stretch, ""},
             {"CLIPImageProcessor",
              R"("crop_size": 24, "crop_pct": 0.5)",
              {24, 24},
              Framing::crop,
              "crop_pct"},
             {"BitImageProcessor", R"("crop_size": 24)", {24, 24}, Framing::crop, ""},
             {"ConvNextImageProcessor",
              R"("crop_pct": 0.8, "crop_size": 8)",
              {32, 32},
              Framing::crop,
              "crop_size"}}) {
        const ModelConfig config = parse(std::string(R"({"image_processor_type": ")") + type +
                                         R"(", "size": 32, )" + keys + "}");
        EXPECT_EQ(config.frame, frame) << type << keys;
        EXPECT_EQ(config.framing, framing) << type << keys;
        EXPECT_EQ(config.pixel_offset, ModelConfig().pixel_offset) << type << keys;
        const std::string remarks = config.remarks.empty() ? "" : config.remarks[0];
        EXPECT_EQ(remarks.empty(), ignored[0] == '\0') << remarks;
        EXPECT_NE(remarks.find(ignored), std::string::npos) << remarks;
    }
    EXPECT_EQ(parse(R"({"image_processor_type": "ConvNextImageProcessor", "crop_pct": 0.8,
                        "size": {"shortest_edge": 32}})")
                  .resize,
              (PixelSize{40, 40}));
    // timm's key in a processor's file.
    const ModelConfig config = parse(R"({"do_resize": true, "size": 32, "crop_pct": 0.5})");
    EXPECT_EQ(config.crop_fraction, 1);
    EXPECT_EQ(config.not_read, std::vector<std::string>{R"("crop_pct" 0.5)"});
}

// null turns a step off in transformers' older processors, and means the default in the fast ones.
TEST(ReadProcessor, does_not_guess_what_null_means) {
    for (const char* key : {"do_rescale", "do_normalize", "do_resize"})
        for (const char* type : {R"("image_processor_type": "ViTImageProcessor", )", ""}) {
            const std::string json =
                std::string("{") + type + R"("size": 32, ")" + key + "\": null}";
            EXPECT_NE(refusal(json).find(key), std::string::npos) << json;
        }
    const ModelConfig fast = parse(
        R"({"image_processor_type": "ViTImageProcessorFast", "size": 32, "do_rescale": null})");
    EXPECT_FALSE(fast.pixel_scale);
    ASSERT_EQ(fast.remarks.size(), 1U);
    EXPECT_NE(fast.remarks[0].find("do_rescale"), std::string::npos);
}

// Mean and standard deviation for pixels from 0 to 255 need do_rescale or rescale_factor.
TEST(ParseConfig, refuses_means_of_other_pixels) {
    const std::string bytes = R"("image_mean": [123.675, 116.28, 103.53], "image_std": [58.4, 57.1,
        57.4])";
    EXPECT_NE(refusal("{" + bytes + "}").find("\"image_mean\": expected numbers for pixels"),
              std::string::npos);
    EXPECT_NE(refusal("{" + bytes + R"(, "do_rescale": true})").find("do_rescale"),
              std::string::npos);
    EXPECT_EQ(refusal("{" + bytes + R"(, "do_rescale": false})"), "no error");
    EXPECT_EQ(refusal("{" + bytes + R"(, "rescale_factor": 1})"), "no error");
    EXPECT_NE(refusal(R"({"mean": [123.675, 116.28, 103.53]})").find("\"mean\""),
              std::string::npos);
    EXPECT_NE(refusal(R"({"mean": 0.5, "std": 58})").find("\"std\""), std::string::npos);
    EXPECT_EQ(refusal(R"({"mean": [-1, 0, 1], "std": [1, 1, 2]})"), "no error");
}

TEST(ParseConfig, reads_pillows_kernels) {
    const std::vector<std::pair<std::string, Interpolation>> kernels{
        {"0", Interpolation::nearest},  {"1", Interpolation::lanczos},
        {"2", Interpolation::bilinear}, {"3", Interpolation::bicubic},
        {"4", Interpolation::box},      {"5", Interpolation::hamming}};
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
    const std::vector<std::string> cat_and_dog{"cat", "dog"};
    EXPECT_EQ(parse(R"({"id2label": {"cat": 0, "dog": 1}})").class_names, cat_and_dog);
    EXPECT_EQ(parse(R"({"id2label": ["cat", "dog"]})").class_names, cat_and_dog);
    EXPECT_EQ(parse(R"({"label2id": {"dog": "1", "cat": "0"}})").class_names, cat_and_dog);
    EXPECT_EQ(parse(R"({"id2label": {"1": "x"}, "label2id": {"dog": 1, "cat": 0}})").class_names,
              cat_and_dog);
    EXPECT_EQ(parse(R"({"id2label": {"0": 3, "1": 7}})").class_names,
              (std::vector<std::string>{"3", "7"}));
}

// Labels that do not fit are ignored, with a reason.
TEST(ParseConfig, leaves_labels_aside_that_do_not_fit) {
    for (const char* labels :
         {R"({"1": "a", "2": "b"})", R"({"0": "a", "7": "b"})", R"({"0": {"name": "a"}})",
          R"({"cat": 1, "dog": 2})", R"({"0": "a", "00": "b"})", R"({"-1": "a"})", R"({"a": "b"})",
          R"([["a"], ["b"]])", R"(["a", null])", R"("cat")", "7", "true"}) {
        const ModelConfig config = parse(std::string(R"({"id2label": )") + labels + "}");
        EXPECT_TRUE(config.class_names.empty()) << labels;
        EXPECT_TRUE(config.names_left_aside.starts_with("id2label has ")) << labels;
    }
    for (const char* labels : {"{}", "[]", "null", R"({"0": "LABEL_0"})"}) {
        const ModelConfig config = parse(std::string(R"({"id2label": )") + labels + "}");
        EXPECT_EQ(config.names_left_aside, "") << labels;
    }
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

// Hugging Face's center_crop rounds the smaller half down, with or without a mean.
TEST(ReadProcessor, cuts_the_smaller_half_first_without_a_mean_too) {
    EXPECT_EQ(parse(R"({"do_center_crop": true, "crop_size": 64, "size": {"shortest_edge": 73},
                        "do_normalize": false})")
                  .cuts_smaller_half_first,
              true);
    EXPECT_FALSE(
        parse(R"({"pretrained_cfg": {"input_size": [3, 64, 64]}})").cuts_smaller_half_first);
}

}  // namespace
}  // namespace headlight::config_test
