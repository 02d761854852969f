#pragma once

#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "json/bounded_json.h"
#include "model/config.h"

namespace headlight {

using Json = nlohmann::json;

inline constexpr int kMaxSide = 65'536;

std::string excerpt(const Json& value);  // for a sentence

// The object in a config file. Throws CheckpointError: too long, not JSON, nested too deep, no object.
Json parse_object(std::span<const std::byte> json, const std::string& name);

// The values of a config that a reader has asked for. The others are not followed, and are named
// (config_keys.h).
struct ReadValues {
    std::set<const Json*> asked;
    std::set<const Json*> entered;  // objects whose keys are asked for one by one
};

// One object of the file. Values are taken by key; null counts as absent, as Python writes None.
// All throw CheckpointError for a value of another type or out of range, naming the key.
class Section {
  public:
    Section(const Json& object, const std::string& file, ReadValues& read)
        : object_(object), file_(file), read_(read) {}

    [[nodiscard]] const Json* find(const char* key) const;
    // Another object inside; nothing where there is none of that name.
    [[nodiscard]] std::optional<Section> section(const char* key) const;
    [[nodiscard]] std::optional<std::string> text(const char* key) const;
    [[nodiscard]] std::optional<bool> flag(const char* key) const;
    [[nodiscard]] std::optional<int> whole(const char* key, int most, int least = 1) const;
    // One for each stage, or one alone.
    [[nodiscard]] std::optional<std::vector<int>> wholes(const char* key, int most) const;
    [[nodiscard]] bool is_list(const char* key) const;
    [[nodiscard]] std::optional<float> positive(const char* key) const;
    // One number for each channel, or one for all.
    [[nodiscard]] std::optional<std::array<float, 3>> channels(const char* key) const;
    // "15x20" or [15, 20].
    [[nodiscard]] std::optional<GridSize> grid(const char* key) const;
    // A side, [height, width], or [channels, height, width] as timm writes it.
    [[nodiscard]] std::optional<PixelSize> size(const char* key) const;
    [[nodiscard]] int whole_of(const char* key, const Json& value, int least, int most) const;
    [[noreturn]] void refuse(const char* key, const std::string& expected, const Json& found) const;
    [[nodiscard]] const Json& object() const { return object_; }
    [[nodiscard]] const std::string& file() const { return file_; }

  private:
    const Json& object_;
    const std::string& file_;
    ReadValues& read_;
};

}  // namespace headlight
