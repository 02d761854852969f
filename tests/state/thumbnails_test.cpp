#include "state/thumbnails.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "scene/random_scene.h"
#include "scene/render.h"
#include "scene/scene_file.h"
#include "tests/scratch_folder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

class ThumbnailsTest : public ::testing::Test {
  protected:
    // A gray picture with the pixel value `grey`.
    fs::path picture(const std::string& name, int width, int height, char grey = 51) const {
        std::ofstream file(root_ / name, std::ios::binary);
        file << "P5 " << width << ' ' << height << " 255\n"
             << std::string(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                            grey);
        return root_ / name;
    }

    ScratchFolder scratch_;
    const fs::path root_ = scratch_.path();
};

Thumbnail wait_for(Thumbnails& loader, const fs::path& path, fs::file_time_type written = {}) {
    for (int i = 0; i < 5000; ++i) {
        Thumbnail thumbnail = loader.request(path, written, 32);
        if (!thumbnail.pending()) return thumbnail;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ADD_FAILURE() << "no answer for " << path;
    return {};
}

TEST_F(ThumbnailsTest, keeps_the_aspect_and_tells_the_files_size) {
    const Thumbnail made = make_thumbnail(picture("a.pgm", 100, 50), 32);
    ASSERT_TRUE(made.image) << made.error;
    EXPECT_EQ(made.image->width, 32);
    EXPECT_EQ(made.image->height, 16);
    EXPECT_EQ(made.width, 100);
    EXPECT_EQ(made.height, 50);
    EXPECT_NEAR(made.image->at(8, 16, 0), 0.2F, 1e-5F);
}

TEST_F(ThumbnailsTest, never_enlarges_and_never_loses_a_side) {
    const Thumbnail small = make_thumbnail(picture("small.pgm", 5, 3), 32);
    EXPECT_EQ(small.image->width, 5);
    const Thumbnail line = make_thumbnail(picture("line.pgm", 3000, 1), 32);
    EXPECT_EQ(line.image->width, 32);
    EXPECT_EQ(line.image->height, 1);
}

TEST_F(ThumbnailsTest, draws_scenes) {
    std::ofstream(root_ / "my.scene.json") << to_json(random_scene(7));
    const Thumbnail made = make_thumbnail(root_ / "my.scene.json", 200);
    ASSERT_TRUE(made.image) << made.error;
    EXPECT_EQ(made.width, kSceneSize);
    EXPECT_EQ(made.image->values, to_image(draw_scene(random_scene(7))).values);
}

TEST_F(ThumbnailsTest, fails_quietly) {
    std::ofstream(root_ / "text.png") << "no image at all";
    std::ofstream(root_ / "empty.png");
    std::ofstream(root_ / "text.json") << "no scene at all";
    std::ofstream(root_ / "huge.pgm") << "P5 20000 20000 255\n";
    for (const char* name :
         {"text.png", "empty.png", "huge.pgm", "missing.png", "text.json", "."}) {
        const Thumbnail made = make_thumbnail(root_ / name, 32);
        EXPECT_FALSE(made.image) << name;
        EXPECT_NE(made.error, "") << name;
    }
}

TEST_F(ThumbnailsTest, made_in_the_background_then_kept) {
    std::atomic<int> woken{0};
    Thumbnails loader([&] { ++woken; });
    const fs::path path = picture("a.pgm", 64, 64);
    EXPECT_FALSE(loader.pending());
    const Thumbnail first = wait_for(loader, path);
    ASSERT_TRUE(first.image);
    EXPECT_FALSE(loader.pending());
    EXPECT_EQ(loader.request(path, {}, 32).image, first.image);
    const auto later = fs::file_time_type{} + std::chrono::seconds(1);
    EXPECT_TRUE(loader.request(path, later, 32).pending()) << "the file was written anew";
    wait_for(loader, path, later);
    for (int i = 0; i < 1000 && woken < 2; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(woken, 2);
}

TEST_F(ThumbnailsTest, keeps_no_more_than_its_capacity) {
    Thumbnails loader({}, 2);
    const fs::path a = picture("a.pgm", 8, 8), b = picture("b.pgm", 8, 8),
                   c = picture("c.pgm", 8, 8);
    wait_for(loader, a);
    wait_for(loader, b);
    wait_for(loader, a);  // now b is the least recently used
    wait_for(loader, c);
    EXPECT_FALSE(loader.request(a, {}, 32).pending());
    EXPECT_FALSE(loader.request(c, {}, 32).pending());
    EXPECT_TRUE(loader.request(b, {}, 32).pending());
}

// Blocks the loader in each wake, to see what it does next.
TEST_F(ThumbnailsTest, newest_requests_come_first) {
    std::atomic<int> woken{0}, allowed{0};
    const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
    Thumbnails loader([&] {
        ++woken;
        while (woken > allowed) pause();
    });
    loader.request(picture("first.pgm", 8, 8), {}, 32);
    while (woken < 1) pause();
    const fs::path old = picture("old.pgm", 8, 8), recent = picture("recent.pgm", 8, 8);
    loader.request(old, {}, 32);
    loader.request(recent, {}, 32);
    allowed = 1;
    while (woken < 2) pause();
    EXPECT_FALSE(loader.request(recent, {}, 32).pending());
    EXPECT_TRUE(loader.request(old, {}, 32).pending());
    allowed = 100;
}

TEST_F(ThumbnailsTest, ends_while_much_is_waiting) {
    Thumbnails loader;
    for (int i = 0; i < 300; ++i)
        loader.request(picture(std::to_string(i) + ".pgm", 64, 64), {}, 32);
}

}  // namespace
}  // namespace headlight
