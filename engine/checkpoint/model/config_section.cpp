#include "model/config_section.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "files/error.h"

namespace headlight {

namespace {

constexpr std::size_t kMaxBytes = 16'000'000;  // the names of ImageNet-22k take 1 MB
const JsonBounds kBounds{.levels = 32, .entries = kMaxBytes};

}  // namespace

Json parse_object(std::span<const std::byte> json, const std::string& name) {
    const Source source(name);
    if (json.size() > kMaxBytes)
        source.refuse("at most " + std::to_string(kMaxBytes) + " bytes",
                      std::to_string(json.size()));
    Json parsed;
    try {
        parsed = parse_json(json, kBounds);
    } catch (const JsonError& error) {
        source.refuse(error.expected(), error.found());
    }
    if (!parsed.is_object()) source.refuse("a JSON object", parsed.type_name());
    return parsed;
}

std::string excerpt(const Json& value) {
    constexpr std::size_t kLongest = 60;
    const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

const Json* Section::find(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end() || found->is_null()) return nullptr;
    read_.asked.insert(&*found);
    return &*found;
}

std::optional<Section> Section::section(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end() || !found->is_object()) return {};
    read_.entered.insert(&*found);
    return Section(*found, file_, read_);
}

std::optional<std::string> Section::text(const char* key) const {
    const Json* value = find(key);
    if (!value) return {};
    if (!value->is_string()) refuse(key, "a text", *value);
    return value->get<std::string>();
}

std::optional<bool> Section::flag(const char* key) const {
    const Json* value = find(key);
    if (!value) return {};
    if (!value->is_boolean()) refuse(key, "true or false", *value);
    return value->get<bool>();
}

std::optional<int> Section::whole(const char* key, int most, int least) const {
    const Json* value = find(key);
    if (!value) return {};
    return whole_of(key, *value, least, most);
}

std::optional<std::vector<int>> Section::wholes(const char* key, int most) const {
    constexpr std::size_t kMostStages = 64;
    const Json* value = find(key);
    if (!value) return {};
    const Json list = value->is_array() ? *value : Json::array({*value});
    if (list.empty() || list.size() > kMostStages)
        refuse(key, "a whole number for each stage", *value);
    std::vector<int> numbers;
    for (const Json& number : list) numbers.push_back(whole_of(key, number, 0, most));
    return numbers;
}

bool Section::is_list(const char* key) const {
    const Json* value = find(key);
    return value != nullptr && value->is_array();
}

std::optional<float> Section::positive(const char* key) const {
    const Json* value = find(key);
    if (!value) return {};
    const double number = value->is_number() ? value->get<double>() : 0;
    if (!(number > 0) || !(number <= 1e6)) refuse(key, "a positive number", *value);
    return static_cast<float>(number);
}

std::optional<std::array<float, 3>> Section::channels(const char* key) const {
    const Json* value = find(key);
    if (!value) return {};
    const Json list = value->is_array() ? *value : Json::array({*value});
    const bool numbers = (list.size() == 1 || list.size() == 3) &&
                         std::all_of(list.begin(), list.end(), [](const Json& x) {
                             return x.is_number() && std::abs(x.get<double>()) <= 1e6;
                         });
    if (!numbers) refuse(key, "three numbers", *value);
    std::array<float, 3> result{};
    for (std::size_t c = 0; c < 3; ++c) result[c] = list[list.size() == 1 ? 0 : c].get<float>();
    return result;
}

std::optional<GridSize> Section::grid(const char* key) const {
    const Json* value = find(key);
    if (!value) return {};
    if (value->is_array() && value->size() == 2)
        return GridSize{whole_of(key, (*value)[0], 1, kMaxSide),
                        whole_of(key, (*value)[1], 1, kMaxSide)};
    std::optional<GridSize> grid;
    if (value->is_string()) grid = parse_grid(value->get_ref<const std::string&>());
    if (!grid) refuse(key, "rows and columns such as \"15x20\" or [15, 20]", *value);
    return grid;
}

std::optional<PixelSize> Section::size(const char* key) const {
    const Json* value = find(key);
    if (!value) return {};
    if (!value->is_array()) {
        const int side = whole_of(key, *value, 1, kMaxSide);
        return PixelSize{side, side};
    }
    const bool may_have_channels = key == std::string_view("input_size");  // timm's
    if (value->size() < 2 || value->size() > (may_have_channels ? 3U : 2U))
        refuse(key, may_have_channels ? "a side or a size" : "a side or [height, width]", *value);
    const std::size_t last = value->size() - 1;
    return PixelSize{whole_of(key, (*value)[last - 1], 1, kMaxSide),
                     whole_of(key, (*value)[last], 1, kMaxSide)};
}

int Section::whole_of(const char* key, const Json& value, int least, int most) const {
    const bool is_whole =
        value.is_number_integer() ||
        (value.is_number_float() && value.get<double>() == std::floor(value.get<double>()));
    const double number = is_whole ? value.get<double>() : -1;
    if (!is_whole || number < least || number > most)
        refuse(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most),
               value);
    return static_cast<int>(number);
}

void Section::refuse(const char* key, const std::string& expected, const Json& found) const {
    throw CheckpointError(file_ + ": \"" + key + "\": expected " + expected + ", found " +
                          excerpt(found) + ".");
}

}  // namespace headlight
