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

std::string excerpt(const Json& value);  // for messages

// Parses the object in a config file. Throws CheckpointError for a file that is too long, not JSON,
// nested too deeply, or no object.
Json parse_object(std::span<const std::byte> json, const std::string& name);

// The values of a config that were read. The others are ignored and listed (config_keys.h).
struct ReadValues {
    std::set<const Json*> asked;
    std::set<const Json*> entered;  // objects whose keys are read one by one
};

// One object of the file. Values are read by key; null counts as absent, as Python writes None. All
// functions throw CheckpointError, naming the key, for a value of the wrong type or out of range.
class Section {
  public:
    Section(const Json& object, const std::string& file, ReadValues& read)
        : object_(object), file_(file), read_(read) {}

    [[nodiscard]] const Json* find(const char* key) const;
    // A nested object; nothing if there is none of that name.
    [[nodiscard]] std::optional<Section> section(const char* key) const;
    [[nodiscard]] std::optional<std::string> text(const char* key) const;
    [[nodiscard]] std::optional<bool> flag(const char* key) const;
    [[nodiscard]] std::optional<int> whole(const char* key, int most, int least = 1) const;
    // One number per stage, or a single one.
    [[nodiscard]] std::optional<std::vector<int>> wholes(const char* key, int most) const;
    [[nodiscard]] bool is_list(const char* key) const;
    [[nodiscard]] std::optional<float> positive(const char* key) const;
    // One number per channel, or one for all.
    [[nodiscard]] std::optional<std::array<float, 3>> channels(const char* key) const;
    // "15x20" or [15, 20].
    [[nodiscard]] std::optional<GridSize> grid(const char* key) const;
    // A side, [height, width], or [channels, height, width] as in timm.
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
