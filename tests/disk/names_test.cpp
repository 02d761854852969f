#include "disk/names.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/scratch_folder.h"

namespace headlight {
namespace {

TEST(NaturalOrder, numbers_by_value_letters_without_case) {
    const std::vector<std::string> ordered{"a",     "A 2",    "a 10", "a 10 b",
                                           "cat01", "cat2.x", "Dog",  "straße"};
    for (std::size_t i = 0; i < ordered.size(); ++i)
        for (std::size_t j = 0; j < ordered.size(); ++j)
            EXPECT_EQ(natural_less(ordered[i], ordered[j]), i < j)
                << ordered[i] << ", " << ordered[j];
}

TEST(NaturalOrder, names_that_read_alike_have_an_order_too) {
    EXPECT_NE(natural_less("a1", "A01"), natural_less("A01", "a1"));
    EXPECT_FALSE(natural_less("a1", "a1"));
}

TEST(NaturalOrder, numbers_longer_than_any_integer) {
    EXPECT_TRUE(natural_less("99999999999999999999998", "99999999999999999999999"));
    EXPECT_TRUE(natural_less("99999999999999999999999", "100000000000000000000000"));
}

TEST(ImageNames, by_their_ending) {
    for (const char* name : {"a.png", "A.JPG", "b.Jpeg", "x.y.ppm", "scan.PSD", "f.gif", "a.tif",
                             "a.TIFF", "a.avif", "a.HEIC", "a.heif", "a.webp"})
        EXPECT_TRUE(is_image_name(name)) << name;
    for (const char* name : {"png", "a.pngx", "a.txt", "a.", "", "a.png.zip"})
        EXPECT_FALSE(is_image_name(name)) << name;
}

TEST(SceneNames, by_their_ending) {
    EXPECT_TRUE(is_scene_name("a.json"));
    EXPECT_TRUE(is_scene_name("/x/A.JSON"));
    EXPECT_FALSE(is_scene_name("model.safetensors.index.json"));
    EXPECT_FALSE(is_scene_name("json"));
    EXPECT_FALSE(is_scene_name("a.png"));
    EXPECT_TRUE(is_saved_scene_name("a.scene.json"));
    EXPECT_FALSE(is_saved_scene_name("config.json"));
}

TEST(ModelName, is_what_people_say) {
    EXPECT_EQ(model_name("/m/vit_small_patch16_224.augreg.safetensors"),
              "vit_small_patch16_224.augreg");
    EXPECT_EQ(model_name("/m/dino.pth"), "dino");
    EXPECT_EQ(model_name("/m/vit-base/model.safetensors"), "vit-base");
    EXPECT_EQ(model_name("/m/vit-base/model.safetensors.index.json"), "vit-base");
    EXPECT_EQ(model_name("/hub/models--google--vit-base/snapshots/3f4/model.safetensors"),
              "vit-base");
    EXPECT_EQ(model_name("/m/mine/weights.safetensors"), "mine");
    EXPECT_EQ(model_name("model.safetensors"), "model");
}

TEST(CheckpointIn, is_the_one_of_the_usual_name_or_the_only_one) {
    namespace fs = std::filesystem;
    const ScratchFolder scratch;
    const fs::path& folder = scratch.path();
    EXPECT_EQ(checkpoint_in(folder / "nowhere"), std::nullopt);
    fs::create_directory(folder / "a.safetensors");
    const auto touch = [&](const char* name) { scratch.write(name, "x"); };
    touch("notes.txt");
    touch(".hidden.npz");
    EXPECT_EQ(checkpoint_in(folder), std::nullopt);
    EXPECT_NE(why_no_checkpoint_in(folder).find("found no model"), std::string::npos);
    touch("some.safetensors");
    EXPECT_EQ(checkpoint_in(folder), folder / "some.safetensors");
    touch("training_args.bin");
    EXPECT_EQ(checkpoint_in(folder), folder / "some.safetensors");
    touch("other.npz");
    EXPECT_EQ(checkpoint_in(folder), std::nullopt);  // ambiguous
    EXPECT_EQ(why_no_checkpoint_in(folder),
              folder.string() +
                  ": expected a folder that contains one model, found 3: other.npz, "
                  "some.safetensors, training_args.bin. Open one of them.");
    touch("weights.safetensors");
    EXPECT_EQ(checkpoint_in(folder), folder / "weights.safetensors");
    touch("model.safetensors.index.json");
    EXPECT_EQ(checkpoint_in(folder), folder / "model.safetensors.index.json");
    touch("model.safetensors");
    EXPECT_EQ(checkpoint_in(folder), folder / "model.safetensors");
    EXPECT_EQ(checkpoint_in(folder / "model.safetensors"), std::nullopt);  // no folder
}

}  // namespace
}  // namespace headlight
