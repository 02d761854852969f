#include "index/feature_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <vector>

#include "tests/scratch_folder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

PatchFeatures features_of(float first) {
    PatchFeatures features;
    features.grid.rows = 2;
    features.grid.cols = 3;
    features.rows.resize(6, 4);
    for (Index i = 0; i < features.rows.size(); ++i)
        features.rows.data()[i] = first + static_cast<float>(i);
    features.image.resize(5);
    features.image.setConstant(first);
    return features;
}

std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) files.push_back(entry.path());
    return files;
}

class FeatureCacheTest : public ::testing::Test {
  protected:
    ScratchFolder scratch_;
    fs::path folder_ = scratch_.path() / "features";
};

TEST_F(FeatureCacheTest, gives_back_what_was_kept_to_the_next_run) {
    FeatureCache(folder_, 1).keep(7, features_of(0.5F));
    FeatureCache again(folder_, 1);
    const auto found = again.find(7);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->grid.rows, 2);
    EXPECT_EQ(found->grid.cols, 3);
    EXPECT_EQ(found->rows, features_of(0.5F).rows);
    EXPECT_EQ(found->image, features_of(0.5F).image);
    EXPECT_EQ(again.problem(), "");
}

TEST_F(FeatureCacheTest, keeps_keys_and_images_apart) {
    FeatureCache(folder_, 1).keep(7, features_of(1));
    EXPECT_FALSE(FeatureCache(folder_, 2).find(7));
    EXPECT_FALSE(FeatureCache(folder_, 1).find(8));
    // A file renamed to another key does not belong to that key.
    const fs::path file = files_in(folder_).front();
    fs::create_directories(folder_ / "0000000000000002");
    fs::copy_file(file, folder_ / "0000000000000002" / file.filename());
    EXPECT_FALSE(FeatureCache(folder_, 2).find(7));
}

TEST_F(FeatureCacheTest, takes_a_damaged_or_truncated_file_as_missing_and_writes_it_anew) {
    FeatureCache(folder_, 1).keep(7, features_of(1));
    const fs::path file = files_in(folder_).front();
    const auto size = fs::file_size(file);
    for (const std::uintmax_t at : {std::uintmax_t{0}, std::uintmax_t{40}, size / 2, size - 1}) {
        std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
        bytes.seekg(static_cast<std::streamoff>(at));
        const int byte = bytes.get();
        bytes.seekp(static_cast<std::streamoff>(at));
        bytes.put(static_cast<char>(byte ^ 1));
        bytes.close();
        FeatureCache cache(folder_, 1);
        EXPECT_FALSE(cache.find(7)) << at;
        cache.keep(7, features_of(1));
        EXPECT_TRUE(FeatureCache(folder_, 1).find(7)) << at;
    }
    fs::resize_file(file, 10);
    EXPECT_FALSE(FeatureCache(folder_, 1).find(7));
    fs::resize_file(file, 0);
    EXPECT_FALSE(FeatureCache(folder_, 1).find(7));
}

TEST_F(FeatureCacheTest, removes_what_was_used_least_recently) {
    FeatureCache(folder_, 1).keep(1, features_of(1));
    const auto size = fs::file_size(files_in(folder_).front());
    FeatureCache(folder_, 1).keep(2, features_of(2));
    for (const fs::path& file : files_in(folder_))
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
    EXPECT_TRUE(FeatureCache(folder_, 1).find(1));  // 2 is the oldest now
    FeatureCache(folder_, 1, 2 * size).keep(3, features_of(3));
    FeatureCache after(folder_, 1);
    EXPECT_TRUE(after.find(1));
    EXPECT_FALSE(after.find(2));
    EXPECT_TRUE(after.find(3));
    EXPECT_EQ(files_in(folder_).size(), 2U);
}

TEST_F(FeatureCacheTest, never_removes_what_it_has_used_itself_or_what_is_not_its_own) {
    FeatureCache(folder_, 1).keep(1, features_of(1));
    const auto size = fs::file_size(files_in(folder_).front());
    std::ofstream(folder_ / "0000000000000001" / "notes.txt") << "mine";
    FeatureCache cache(folder_, 1, size);
    EXPECT_TRUE(cache.find(1));
    cache.keep(2, features_of(2));
    EXPECT_EQ(cache.problem(), "");
    EXPECT_TRUE(FeatureCache(folder_, 1).find(1));
    EXPECT_FALSE(FeatureCache(folder_, 1).find(2));
    EXPECT_TRUE(fs::exists(folder_ / "0000000000000001" / "notes.txt"));
}

TEST_F(FeatureCacheTest, says_why_it_could_not_keep_anything) {
    std::ofstream(folder_) << "a file where the folder should be";
    FeatureCache cache(folder_, 1);
    cache.keep(1, features_of(1));
    EXPECT_NE(cache.problem().find(folder_.string()), std::string::npos) << cache.problem();
    EXPECT_FALSE(cache.find(1));
    FeatureCache none({}, 1);
    none.keep(1, features_of(1));
    EXPECT_EQ(none.problem(), "");
    EXPECT_FALSE(none.find(1));
}

}  // namespace
}  // namespace headlight
