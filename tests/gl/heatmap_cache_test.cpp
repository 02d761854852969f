#include "ui/heatmap_cache.h"

#include <atomic>
#include <chrono>
#include <future>
#include <random>
#include <thread>

#include "gl_test.h"

// Textures of large matrices and photographs, which are prepared in the background.
namespace headlight::ui::heatmap_cache_test {
namespace {

using gl::read_texture;

class HeatmapCacheTest : public gl::GlTest {};

constexpr int kSide = 1500, kPixels = 300;

std::shared_ptr<std::vector<float>> noise(std::size_t count) {
    auto values = std::make_shared<std::vector<float>>(count);
    std::mt19937 random(7);
    for (float& value : *values) value = static_cast<float>(random()) * 0x1p-32F;
    return values;
}

MatrixPicture large_matrix(const std::shared_ptr<std::vector<float>>& values) {
    return {"m", {values->data(), kSide, kSide, kSide, 1, values}, {0, 0, kSide, kSide}, {}};
}

void wait_for_news(HeatmapCache& cache) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!cache.take_made()) {
        ASSERT_LT(std::chrono::steady_clock::now(), until);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

TEST_F(HeatmapCacheTest, a_large_matrix_comes_later_and_is_the_same) {
    const auto values = noise(std::size_t{kSide} * kSide);
    HeatmapCache at_once, later;
    std::promise<void> woken;
    later.set_wake([&] { woken.set_value(); });
    const MatrixPicture matrix = large_matrix(values);
    EXPECT_EQ(later.picture(matrix, kPixels, kPixels), 0U);
    EXPECT_TRUE(later.busy());
    woken.get_future().wait();
    EXPECT_TRUE(later.take_made());
    EXPECT_FALSE(later.busy());
    const std::uint32_t made = later.picture(matrix, kPixels, kPixels);
    ASSERT_NE(made, 0U);
    EXPECT_NE(later.content(made), 0U);
    EXPECT_EQ(read_texture(made, kPixels, kPixels),
              read_texture(at_once.picture(matrix, kPixels, kPixels), kPixels, kPixels));
}

TEST_F(HeatmapCacheTest, zoomed_in_the_coarse_picture_stands_until_the_fine_one_is_there) {
    const auto values = noise(std::size_t{kSide} * kSide);
    HeatmapCache at_once, later;
    later.set_wake([] {});
    MatrixPicture matrix = large_matrix(values);
    (void)later.picture(matrix, kPixels, kPixels);
    wait_for_news(later);
    (void)later.picture(matrix, kPixels, kPixels);
    matrix.window = {10, 20, 50, 50};
    const std::uint32_t coarse = later.picture(matrix, kPixels, kPixels);
    ASSERT_NE(coarse, 0U);
    const std::uint64_t before = later.content(coarse);
    EXPECT_EQ(later.picture(matrix, kPixels, kPixels), coarse);
    EXPECT_EQ(later.content(coarse), before);  // not redrawn unnecessarily
    wait_for_news(later);
    const std::uint32_t fine = later.picture(matrix, kPixels, kPixels);
    EXPECT_NE(later.content(fine), before);
    EXPECT_EQ(read_texture(fine, kPixels, kPixels),
              read_texture(at_once.picture(matrix, kPixels, kPixels), kPixels, kPixels));
}

TEST_F(HeatmapCacheTest, the_cells_live_until_they_are_uploaded) {
    auto values = noise(std::size_t{kSide} * kSide);
    const std::weak_ptr<std::vector<float>> alive = values;
    HeatmapCache cache;
    cache.set_wake([] {});
    MatrixPicture matrix = large_matrix(values);
    matrix.window = {10, 20, 50, 50};  // single cells
    (void)cache.picture(matrix, kPixels, kPixels);
    values.reset();
    matrix.cells.keeper.reset();
    EXPECT_FALSE(alive.expired());
    wait_for_news(cache);
    EXPECT_NE(cache.picture(matrix, kPixels, kPixels), 0U);
    EXPECT_TRUE(alive.expired());
}

TEST_F(HeatmapCacheTest, what_nobody_looks_at_any_more_is_not_made) {
    const auto values = noise(std::size_t{kSide} * kSide);
    std::atomic<int> made{0};
    std::promise<void> goes_on;
    HeatmapCache cache;
    cache.set_wake([&made, gate = goes_on.get_future().share()] {
        ++made;
        gate.wait();
    });
    for (std::uint64_t version = 1; version <= 50; ++version) {
        MatrixPicture matrix = large_matrix(values);
        matrix.cells.version = version;
        EXPECT_EQ(cache.picture(matrix, kPixels, kPixels), 0U);
    }
    cache.end_frame();
    cache.end_frame();  // nothing was requested in this one
    goes_on.set_value();
    while (cache.busy()) (void)cache.take_made();
    EXPECT_LE(made, 1);
}

TEST_F(HeatmapCacheTest, a_photograph_comes_later_and_is_the_same) {
    const auto values = noise(std::size_t{kSide} * kSide * 3);
    const PhotoPicture photo{{values, values->data()}, kSide, kSide, 3, true};
    HeatmapCache at_once, later;
    later.set_wake([] {});
    EXPECT_EQ(later.photo(photo), 0U);
    wait_for_news(later);
    const std::uint32_t made = later.photo(photo);
    ASSERT_NE(made, 0U);
    EXPECT_EQ(read_texture(made, kSide, kSide), read_texture(at_once.photo(photo), kSide, kSide));
}

TEST_F(HeatmapCacheTest, small_ones_are_there_at_once) {
    const auto values = noise(300);
    HeatmapCache cache;
    cache.set_wake([] {});
    EXPECT_NE(
        cache.picture({"m", {values->data(), 10, 10, 10, 1, values}, {0, 0, 10, 10}, {}}, 5, 5),
        0U);
    EXPECT_NE(cache.photo({{values, values->data()}, 10, 10, 3, true}), 0U);
    EXPECT_FALSE(cache.busy());
}

}  // namespace
}  // namespace headlight::ui::heatmap_cache_test
