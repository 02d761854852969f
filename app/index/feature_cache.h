#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "encoder/features.h"

namespace headlight {

// A disk cache of image features: FOLDER/KEY/IMAGE.features, both names in hex digits. The key
// identifies what computed them, and IMAGE is the hash of the image's bytes. Each file ends with a
// hash of itself, so a truncated or damaged one counts as missing. All files together, of every
// key, take at most `most_bytes`. The least recently used are removed first, but never one that
// this object has used.
class FeatureCache {
  public:
    static constexpr std::uint64_t kMostBytes = 2'000'000'000;

    // folder: empty turns the cache off.
    FeatureCache(std::filesystem::path folder, std::uint64_t key,
                 std::uint64_t most_bytes = kMostBytes);

    [[nodiscard]] std::optional<PatchFeatures> find(std::uint64_t image);
    void keep(std::uint64_t image, const PatchFeatures& features);

    // One sentence: why features could not be stored; empty if they could.
    [[nodiscard]] const std::string& problem() const { return problem_; }

  private:
    struct Kept {
        std::filesystem::file_time_type used;
        std::uint64_t bytes = 0;
    };

    [[nodiscard]] std::filesystem::path file_of(std::uint64_t image) const;
    void list();
    bool make_room(std::uint64_t bytes);

    std::filesystem::path folder_;  // of all keys
    std::uint64_t key_, most_bytes_;
    std::map<std::filesystem::path, Kept> others_;  // not used by this object
    std::uint64_t bytes_ = 0;                       // of all files
    std::string problem_;
};

}  // namespace headlight
