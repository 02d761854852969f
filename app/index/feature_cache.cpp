#include "index/feature_cache.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "disk/files.h"
#include "disk/read_file.h"
#include "files/new_file.h"
#include "index/content_hash.h"

namespace headlight {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kEnding = ".features";
constexpr std::size_t kKeyDigits = 16;

// The file header: what the features belong to, and their shapes.
struct Header {
    std::array<char, 8> magic{'H', 'L', 'F', 'E', 'A', 'T', '1', '\n'};
    std::uint64_t key = 0, image = 0;
    std::int64_t patches = 0, channels = 0, image_channels = 0;
    PatchGrid grid;
    // PatchGrid has padding between its members, which a bytewise comparison must not read.
    [[nodiscard]] bool is_of(std::uint64_t of_key, std::uint64_t of_image) const {
        return magic == Header{}.magic && key == of_key && image == of_image;
    }
};
static_assert(std::is_trivially_copyable_v<Header>);

std::string hex(std::uint64_t number) {
    std::string text(kKeyDigits, '0');
    for (std::size_t i = kKeyDigits; i-- > 0; number /= 16)
        text[i] = "0123456789abcdef"[number % 16];
    return text;
}

void append(Bytes& bytes, const void* first, std::size_t count) {
    const auto* from = static_cast<const std::byte*>(first);
    bytes.insert(bytes.end(), from, from + count);
}

std::size_t bytes_of(Index numbers) { return static_cast<std::size_t>(numbers) * sizeof(float); }

Bytes written(std::uint64_t key, std::uint64_t image, const PatchFeatures& features) {
    Header header;
    header.key = key;
    header.image = image;
    header.patches = features.rows.rows();
    header.channels = features.rows.cols();
    header.image_channels = features.image.size();
    header.grid = features.grid;
    Bytes bytes;
    append(bytes, &header, sizeof header);
    append(bytes, features.image.data(), bytes_of(features.image.size()));
    append(bytes, features.rows.data(), bytes_of(features.rows.size()));
    const std::uint64_t hash = content_hash(bytes);
    append(bytes, &hash, sizeof hash);
    return bytes;
}

std::optional<PatchFeatures> read(std::span<const std::byte> bytes, std::uint64_t key,
                                  std::uint64_t image) {
    Header header;
    std::uint64_t hash = 0;
    if (bytes.size() < sizeof header + sizeof hash) return {};
    const auto content = bytes.first(bytes.size() - sizeof hash);
    std::memcpy(&hash, content.data() + content.size(), sizeof hash);
    if (hash != content_hash(content)) return {};
    std::memcpy(static_cast<void*>(&header), content.data(), sizeof header);
    if (!header.is_of(key, image)) return {};
    const std::size_t of_image = bytes_of(header.image_channels),
                      rows = bytes_of(header.patches * header.channels);
    if (content.size() != sizeof header + of_image + rows) return {};
    PatchFeatures found{header.grid, Matrix(header.patches, header.channels),
                        Vector(header.image_channels)};
    const std::byte* at = content.data() + sizeof header;
    std::memcpy(found.image.data(), at, of_image);
    std::memcpy(found.rows.data(), at + of_image, rows);
    return found;
}

}  // namespace

FeatureCache::FeatureCache(fs::path folder, std::uint64_t key, std::uint64_t most_bytes)
    : folder_(std::move(folder)), key_(key), most_bytes_(most_bytes) {
    if (!folder_.empty()) list();
}

fs::path FeatureCache::file_of(std::uint64_t image) const {
    return folder_ / hex(key_) / (hex(image) + std::string(kEnding));
}

// Only files named by this class; others must not be counted or removed.
void FeatureCache::list() {
    for (const fs::path& of_key : list_folder(folder_).paths)
        for (const fs::path& path : list_folder(of_key).paths) {
            const std::string name = path.filename().string();
            if (name.size() != kKeyDigits + kEnding.size() || !name.ends_with(kEnding)) continue;
            const FileState state = state_of(path);
            if (state.kind != FileKind::file) continue;
            others_[path] = {state.written, state.bytes};
            bytes_ += state.bytes;
        }
}

std::optional<PatchFeatures> FeatureCache::find(std::uint64_t image) {
    const fs::path file = file_of(image);
    if (folder_.empty() || !is_file(file)) return {};
    try {
        const FileBytes bytes = read_file(file.string()).bytes();
        auto found = headlight::read(bytes, key_, image);
        if (!found) return {};
        touch_file(file);
        others_.erase(file);
        return found;
    } catch (const std::exception&) {
        return {};  // treated as missing, so it is recomputed
    }
}

// Whether this many more bytes fit after removing the oldest files.
bool FeatureCache::make_room(std::uint64_t bytes) {
    std::vector<std::pair<fs::file_time_type, fs::path>> oldest;
    if (bytes_ + bytes > most_bytes_)
        for (const auto& [path, kept] : others_) oldest.emplace_back(kept.used, path);
    std::ranges::sort(oldest);
    for (const auto& [used, path] : oldest) {
        if (bytes_ + bytes <= most_bytes_) break;
        if (!remove_file(path)) continue;
        bytes_ -= others_[path].bytes;
        others_.erase(path);
    }
    return bytes_ + bytes <= most_bytes_;
}

void FeatureCache::keep(std::uint64_t image, const PatchFeatures& features) {
    if (folder_.empty() || !problem_.empty()) return;
    const fs::path file = file_of(image);
    const Bytes bytes = written(key_, image, features);
    if (const auto damaged = others_.find(file); damaged != others_.end()) {
        bytes_ -= damaged->second.bytes;
        others_.erase(damaged);
    }
    if (!make_room(bytes.size())) return;
    try {
        if (const auto why = make_folder(file.parent_path()))
            throw CheckpointError(file.parent_path().string() + ": " + *why + ".");
        NewFile out(file.string());
        out.write(bytes);
        out.finish();
        bytes_ += bytes.size();
    } catch (const std::exception& error) {
        problem_ = error.what();
    }
}

}  // namespace headlight
