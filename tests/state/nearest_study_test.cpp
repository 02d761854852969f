#include "state/nearest_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>

#include "models.h"
#include "state/image_folder.h"
#include "support.h"
#include "tests/scratch_folder.h"

// The search of a folder for similar images, compared with plain loops and with `headlight
// nearest`.
namespace headlight {
namespace {

using testing::Desk;

double cosine_of(const Matrix& a, Index row, const Matrix& b, Index other) {
    double product = 0, of_a = 0, of_b = 0;
    for (Index c = 0; c < a.cols(); ++c) {
        const double x = a(row, c), y = b(other, c);
        product += x * y;
        of_a += x * x;
        of_b += y * y;
    }
    return product / std::sqrt(of_a * of_b);
}

class NearestStudy : public ::testing::Test {
  protected:
    void SetUp() override {
        std::filesystem::create_directories(scratch / "pictures");
        save("one.ppm", testing::picture(40, 60, 1));
        save("two.ppm", testing::picture(60, 40, 2));
        save("broken.png", testing::to_bytes("this is no picture"));
        save("ten.ppm", testing::picture(33, 33, 3));
        save("four.ppm", testing::picture(50, 31, 4));
        save("notes.txt", testing::to_bytes("not searched"));
    }
    void save(const std::string& name, const Bytes& bytes) const {
        scratch.write("pictures/" + name,
                      {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (scratch / "pictures" / name).string();
    }
    [[nodiscard]] FileReader files() const {
        return [models = testing::model_files(), root = scratch.path()](const std::string& name) {
            if (!name.starts_with(root.string())) return models(name);
            std::ifstream file(name, std::ios::binary);
            if (!file) throw FileMissing(name + ": there is no such file.");
            return File(testing::to_bytes(std::string(std::istreambuf_iterator<char>(file), {})));
        };
    }
    void open(Desk& desk, const std::string& model = "timm") const {
        ASSERT_TRUE(desk.does("open-model " + model + "/model.safetensors"));
        ASSERT_TRUE(desk.does("open " + path("one.ppm")));
        ASSERT_TRUE(desk->trace());
    }
    [[nodiscard]] NearestPicturesQuestion question(Desk& desk) const {
        return {.trace = desk->trace(),
                .recipe = desk->trace_recipe(),
                .images = std::make_shared<const std::vector<DirectoryEntry>>(
                    images_at((scratch / "pictures").string()))};
    }
    // The tokens of each picture after the first layer.
    [[nodiscard]] std::map<std::string, Matrix> tokens(Desk& desk) const {
        std::map<std::string, Matrix> all;
        for (const char* name : {"two.ppm", "ten.ppm", "four.ppm", "one.ppm"}) {
            EXPECT_TRUE(desk.does("open " + path(name)));
            all[path(name)] = desk->trace()->stream[1]->view().eigen();
        }
        return all;
    }

    ScratchFolder scratch;
};

// Each has a memory of its own.
struct Searcher {
    NearestPicturesFinder finder = kNearestPictures;
    std::atomic<float> progress{0};

    NearestFound search(const NearestPicturesQuestion& question) {
        const StopFlag stop;
        return finder.compute(question, {progress, stop, {}});
    }
};

void expect_in_order(const std::vector<NearestImage>& images) {
    EXPECT_TRUE(std::ranges::is_sorted(images, std::ranges::greater{}, &NearestImage::cosine));
}

TEST_F(NearestStudy, images_are_compared_by_their_class_tokens) {
    Desk desk(testing::small_state(), files());
    open(desk);
    const auto all = tokens(desk);
    NearestPicturesQuestion asked = question(desk);
    asked.layer = 0;
    Searcher searcher;
    const NearestFound found = searcher.search(asked);
    EXPECT_EQ(searcher.progress, 1);
    ASSERT_EQ(found.images.size(), 3U);  // without the picture itself
    for (const NearestImage& image : found.images) {
        EXPECT_NEAR(image.cosine, cosine_of(all.at(path("one.ppm")), 0, all.at(image.image), 0),
                    1e-5)
            << image.image;
        EXPECT_EQ(image.patch, -1);
    }
    expect_in_order(found.images);
    ASSERT_EQ(found.failed.size(), 1U);
    EXPECT_EQ(found.failed.front().image, path("broken.png"));
    EXPECT_EQ(skipped_words(found.failed), "1 image was skipped: broken.png.");
}

TEST_F(NearestStudy, a_patch_is_compared_with_all_patches_of_each_image) {
    Desk desk(testing::small_state(), files());
    open(desk);
    const auto all = tokens(desk);
    const Index prefix = desk->trace()->layout.prefix();
    NearestPicturesQuestion asked = question(desk);
    asked.layer = 0;
    Searcher searcher;
    for (const int patch : {0, 5, desk->trace()->grid.count() - 1}) {
        asked.patch = patch;
        const NearestFound found = searcher.search(asked);
        ASSERT_EQ(found.images.size(), 3U);
        expect_in_order(found.images);
        for (const NearestImage& image : found.images) {
            const Matrix& with = all.at(image.image);
            double best = -2;
            Index at = -1;
            for (Index p = prefix; p < with.rows(); ++p) {
                const double cosine = cosine_of(all.at(path("one.ppm")), prefix + patch, with, p);
                if (cosine > best) {
                    best = cosine;
                    at = p - prefix;
                }
            }
            EXPECT_NEAR(image.cosine, best, 1e-5);
            EXPECT_NEAR(
                cosine_of(all.at(path("one.ppm")), prefix + patch, with, prefix + image.patch),
                best, 1e-6)
                << "patch " << image.patch << " instead of " << at;
        }
    }
}

// The same numbers as the command line computes, bit for bit, in models of all kinds.
TEST_F(NearestStudy, finds_what_the_command_line_finds) {
    for (const char* model : {"timm", "mae", "eva02", "t2t", "swin"})
        for (const bool end : {false, true})
            for (const bool patches : {false, true}) {
                SCOPED_TRACE(std::string(model) + (end ? ", end" : "") +
                             (patches ? ", patches" : ""));
                Desk desk(testing::small_state(), files());
                open(desk, model);
                ASSERT_TRUE(desk.does("layer 1"));  // after T2T's token transformers
                NearestPicturesQuestion asked = question(desk);
                if (!end) asked.layer = desk->trace()->layer;
                if (patches) asked.patch = 1;
                NearestQuestion same{.model = desk->trace()->model,
                                     .recipe = desk->trace_recipe(),
                                     .layer = asked.layer,
                                     .patch = asked.patch};
                for (const DirectoryEntry& image : *asked.images)
                    same.images.push_back(image.path.string());
                // A patch at another place where the last layer has fewer.
                if (end && patches && std::string(model) == "swin") same.patch = 0;
                const NearestFound found = Searcher().search(asked),
                                   expected = find_nearest(same, {.read_file = files()});
                ASSERT_EQ(found.images.size(), expected.images.size());
                for (std::size_t i = 0; i < found.images.size(); ++i) {
                    EXPECT_EQ(found.images[i].image, expected.images[i].image);
                    EXPECT_EQ(found.images[i].cosine, expected.images[i].cosine);
                    EXPECT_EQ(found.images[i].patch, expected.images[i].patch);
                }
                ASSERT_EQ(found.failed.size(), 1U);
                EXPECT_EQ(found.failed.front().error, expected.failed.front().error);
            }
}

TEST_F(NearestStudy, uses_the_cache_of_the_command_line) {
    Desk desk(testing::small_state(), files());
    open(desk);
    NearestPicturesQuestion asked = question(desk);
    asked.cache = scratch / "cache";
    const auto from_cache = [](const NearestFound& found) {
        return std::ranges::count(found.images, true, &NearestImage::from_cache);
    };
    EXPECT_EQ(from_cache(Searcher().search(asked)), 0);
    EXPECT_EQ(from_cache(Searcher().search(asked)), 3);
    NearestQuestion same{.model = desk->trace()->model, .recipe = desk->trace_recipe()};
    for (const DirectoryEntry& image : *asked.images) same.images.push_back(image.path.string());
    EXPECT_EQ(from_cache(find_nearest(same, {.read_file = files(), .cache = asked.cache})), 3);
    // Other settings have features of their own.
    asked.layer = 0;
    EXPECT_EQ(from_cache(Searcher().search(asked)), 0);
}

TEST_F(NearestStudy, another_patch_is_answered_from_memory) {
    Desk desk(testing::small_state(), files());
    open(desk);
    NearestPicturesQuestion asked = question(desk);
    asked.layer = 0;
    Searcher searcher;
    searcher.search(asked);
    std::filesystem::remove_all(scratch / "pictures");
    asked.patch = 3;
    const NearestFound found = searcher.search(asked);
    EXPECT_EQ(found.images.size(), 3U);
    EXPECT_EQ(found.failed.size(), 1U);  // never read
    // A changed file is read again, and is no longer there.
    auto changed = *asked.images;
    for (DirectoryEntry& image : changed) image.written += std::chrono::seconds(1);
    asked.images = std::make_shared<const std::vector<DirectoryEntry>>(changed);
    EXPECT_EQ(searcher.search(asked).failed.size(), 4U);
    EXPECT_EQ(skipped_words(searcher.search(asked).failed),
              "4 images were skipped: broken.png, four.ppm, ten.ppm, two.ppm.");
}

TEST_F(NearestStudy, a_scene_is_compared_and_has_no_features_in_the_cache) {
    Desk desk(testing::small_state(), files());
    open(desk);
    ASSERT_TRUE(desk.does("scene 3"));
    NearestPicturesQuestion asked = question(desk);
    asked.cache = scratch / "cache";
    EXPECT_EQ(count_of_others(asked), 5U);
    EXPECT_EQ(Searcher().search(asked).images.size(), 4U);
    std::size_t kept = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch / "cache"))
        kept += entry.is_regular_file() ? 1U : 0U;
    EXPECT_EQ(kept, 4U);
}

TEST_F(NearestStudy, a_folder_with_only_the_picture_itself_has_no_others) {
    Desk desk(testing::small_state(), files());
    open(desk);
    for (const char* name : {"two.ppm", "broken.png", "ten.ppm", "four.ppm"})
        std::filesystem::remove(path(name));
    EXPECT_EQ(count_of_others(question(desk)), 0U);
    EXPECT_TRUE(Searcher().search(question(desk)).images.empty());
}

TEST_F(NearestStudy, its_table_is_the_one_of_the_command_line) {
    Desk desk(testing::small_state(), files());
    open(desk);
    NearestPicturesQuestion asked = question(desk);
    NearestFound found;
    NearestImage image;
    image.image = "/a, b.png";
    image.cosine = 0.5F;
    image.grid.rows = 2;
    image.grid.cols = 3;
    found.images = {image};
    EXPECT_EQ(text_of(nearest_table(asked, found), ','), "image,cosine\n\"/a, b.png\",0.5\n");
    asked.patch = 0;
    found.images.front().patch = 4;  // the second row, after one class token
    EXPECT_EQ(text_of(nearest_table(asked, found), ','),
              "image,cosine,token,row,column\n\"/a, b.png\",0.5,5,2,2\n");
}

TEST_F(NearestStudy, stops_and_refuses_a_patch_that_does_not_exist) {
    Desk desk(testing::small_state(), files());
    open(desk);
    NearestPicturesQuestion asked = question(desk);
    std::atomic<float> progress{0};
    const StopFlag stop = [] { return true; };
    NearestPicturesFinder finder = kNearestPictures;
    EXPECT_THROW(finder.compute(asked, {progress, stop, {}}), Stopped);
    asked.layer = desk->trace()->layer;
    asked.patch = desk->trace()->grid.count();
    EXPECT_THROW(Searcher().search(asked), RecipeError);
}

TEST_F(NearestStudy, questions_differ_in_what_is_compared) {
    Desk desk(testing::small_state(), files());
    open(desk);
    const NearestPicturesQuestion asked = question(desk);
    EXPECT_EQ(asked, question(desk));  // lists of the same files are equal
    NearestPicturesQuestion other = asked;
    other.patch = 1;
    EXPECT_NE(other, asked);
    EXPECT_TRUE(same_search(other, asked));
    other.layer = 1;
    EXPECT_FALSE(same_search(other, asked));
    save("five.ppm", testing::picture(8, 8, 5));
    EXPECT_NE(question(desk), asked);
    EXPECT_FALSE(same_search(question(desk), asked));
}

// As the model sees them, so that patches have their places on them.
TEST_F(NearestStudy, small_pictures_are_those_of_the_model) {
    Desk desk(testing::small_state(), files());
    open(desk);
    SmallPicturesFinder finder = kSmallPictures;
    std::atomic<float> progress{0};
    const StopFlag stop;
    const SmallPictures found = finder.compute(
        {desk->trace()->model, desk->trace_recipe(), *question(desk).images}, {progress, stop, {}});
    EXPECT_EQ(found.images.size(), 4U);
    EXPECT_FALSE(found.images.contains(path("broken.png")));
    ASSERT_TRUE(found.images.contains(path("one.ppm")));
    const Image& own = *desk->trace()->image;
    const Image& small = *found.images.at(path("one.ppm"));
    EXPECT_EQ(small.width, own.width);
    EXPECT_EQ(small.height, own.height);
    EXPECT_EQ(small.values, own.values);
}

TEST_F(NearestStudy, skipped_images_are_named_in_one_line) {
    EXPECT_EQ(skipped_words({}), "");
    const std::vector<FailedImage> failed{{"/x/a.png", "."},
                                          {"/x/b.png", "."},
                                          {"/x/c.png", "."},
                                          {"/x/d.png", "."},
                                          {"/x/e.png", "."}};
    EXPECT_EQ(skipped_words(failed), "5 images were skipped: a.png, b.png, c.png, d.png, …");
}

TEST(NearestFields, are_set_and_undone) {
    Desk desk(testing::small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    ASSERT_TRUE(desk.does("set features nearest"));
    ASSERT_TRUE(desk.does("set nearest_folder /pictures"));
    ASSERT_TRUE(desk.does("set nearest_by patches"));
    ASSERT_TRUE(desk.does("set nearest_end true"));
    EXPECT_EQ(desk.state().look.nearest_folder, "/pictures");
    EXPECT_EQ(desk.state().look.nearest_by, NearestBy::patches);
    EXPECT_TRUE(desk.state().look.nearest_end);
    ASSERT_TRUE(desk.does("reset nearest_folder"));
    EXPECT_EQ(desk.state().look.nearest_folder, "");
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.state().look.nearest_folder, "/pictures");
}

}  // namespace
}  // namespace headlight
