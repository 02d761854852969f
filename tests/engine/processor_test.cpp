// Compares the pixels that models are given with Hugging Face's and timm's own preprocessing
// (tests/golden/make_processors.py).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model_shapes.h"
#include "program/recipe.h"

namespace headlight::processor_test {
namespace {

// The script's picture.
Image noise(std::int64_t height, std::int64_t width) {
    Image image{static_cast<int>(height), static_cast<int>(width), 3, {}};
    for (std::int64_t row = 0; row < height; ++row)
        for (std::int64_t col = 0; col < width; ++col)
            for (std::int64_t c = 0; c < 3; ++c) {
                const std::int64_t value =
                    (row * 7919 + col * 104729 + c * 1299709 + row * col * 31) % 256;
                const bool extreme = (row / 3 + col / 5) % 4 == 0;
                image.values.push_back(static_cast<float>(extreme ? value / 128 * 255 : value) /
                                       255);
            }
    return image;
}

std::shared_ptr<const Model> model_beside(const nlohmann::json& c, const std::string& given = "") {
    const std::string file = c.at("file");
    Folder folder;
    folder.with("a/model.safetensors",
                safetensors_of(file == "config.json" ? vit() : huggingface("")));
    folder.with("a/" + file, c.at("config").dump());
    std::optional<ModelConfig> config;
    if (!given.empty()) config = parse_given_config(bytes_of(given), "mine.json");
    return load_model("a/model.safetensors", folder.reader(), {}, config);
}

void expect_pixels(const NamedTensor& expected, const Image& picture, const Preprocessing& how) {
    const Image found = preprocess(picture, how);
    ASSERT_EQ((std::vector<std::int64_t>{found.height, found.width, 3}), expected.shape);
    float largest = 1;
    for (const float value : expected.values) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < found.values.size(); ++i) {
        const float value = (found.values[i] - how.mean[i % 3]) / how.std[i % 3];
        ASSERT_NEAR(value, expected.values[i], 2e-6 * largest) << "value " << i;
    }
}

TEST(Processor, gives_the_pixels_of_hugging_face_and_timm) {
    const std::string path = source_path("tests/golden/processors.safetensors");
    int cases = 0;
    for (const auto& [name, expected] : read_safetensors(read_disk(path).bytes(), path)) {
        SCOPED_TRACE(name);
        const auto c = nlohmann::json::parse(name);
        const Image picture = noise(c.at("picture")[0], c.at("picture")[1]);
        if (c.at("asked").is_null()) {
            expect_pixels(expected, picture, model_beside(c)->preprocessing);
        } else {  // a recipe (--attention, window, scripts) follows --config
            Recipe recipe;
            recipe.image_height = c.at("asked")[0];
            recipe.image_width = c.at("asked")[1];
            expect_pixels(expected, picture, preprocessing_of(recipe, *model_beside(c)));
            const std::string given = R"({"image_size": )" + c.at("asked").dump() + "}";
            expect_pixels(expected, picture, model_beside(c, given)->preprocessing);
        }
        ++cases;
    }
    EXPECT_EQ(cases, 60);
}

// timm's defaults for missing settings must not be attributed to the config.
TEST(Processor, defaults_are_not_credited_to_the_file) {
    const auto model = load(vit(), R"({"architecture": "vit_a", "pretrained_cfg": {"std": [1, 1, 1],
        "interpolation": "bilinear"}})");
    EXPECT_EQ(fact(*model, "standard deviation").origin, "config.json");
    EXPECT_TRUE(fact(*model, "mean").origin.starts_with("timm's default"));
    EXPECT_EQ(fact(*model, "mean").value, "0.485, 0.456, 0.406");
    EXPECT_EQ(fact(*model, "framing").origin,
              "timm's default, because config.json does not set it; interpolation: config.json");
    EXPECT_EQ(model->preprocessing.crop_fraction, 0.875);
    const auto whole = load(vit(), R"({"architecture": "vit_a", "pretrained_cfg": {"crop_pct": 1.0,
        "interpolation": "bilinear", "mean": 0.5}})");
    EXPECT_EQ(fact(*whole, "framing").origin, "config.json");
}

// For any model, asking for the current size changes nothing.
TEST(Processor, the_size_that_is_there_changes_nothing) {
    for (const auto& model : {load(vit()), load(huggingface("")), load(clip())}) {
        const Preprocessing& own = model->preprocessing;
        Recipe recipe;
        recipe.image_height = own.height;
        recipe.image_width = own.width;
        recipe.framing = own.framing;
        EXPECT_EQ(preprocessing_of(recipe, *model), own) << model->family;
        recipe.image_height = 2 * own.height;
        recipe.image_width = 2 * own.width;
        const Preprocessing twice = preprocessing_of(recipe, *model);
        ASSERT_EQ(twice.resize.has_value(), own.resize.has_value()) << model->family;
        if (own.resize) {
            EXPECT_NEAR(twice.resize->height, 2 * own.resize->height, 1) << model->family;
        }
    }
}

}  // namespace
}  // namespace headlight::processor_test
