#include "checkpoint/shards.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

#include "checkpoint/error.h"

namespace headlight {

namespace {

using Json = nlohmann::json;

// Refuses what a JSON parser would let pass: deep nesting, before it takes memory, and a second
// entry of a name, which would silently replace the first.
class IndexGuard {
  public:
    explicit IndexGuard(const Source& source) : source_(source) {}

    bool operator()(int depth, Json::parse_event_t event, const Json& value) {
        constexpr int kDeepest = 8;  // the metadata is anybody's
        if (depth > kDeepest) source_.refuse("an index of few levels", "a deep one");
        if (event == Json::parse_event_t::key && depth == 1) names_.clear();
        if (event == Json::parse_event_t::key && depth == 2) {
            const auto& name = value.get_ref<const std::string&>();
            if (!names_.insert(name).second)
                source_.refuse("every tensor once", in_quotes(name) + " twice");
        }
        return true;
    }

  private:
    const Source& source_;
    std::set<std::string> names_;
};

// An index comes with the checkpoint, and may come from anybody: it must not lead anywhere else.
bool is_plain_name(const std::string& file) {
    const bool plain = std::ranges::all_of(file, [](char c) {
        return static_cast<unsigned char>(c) >= ' ' && c != '/' && c != '\\' && c != ':';
    });
    return plain && !file.empty() && file != "." && file != "..";
}

}  // namespace

ShardIndex parse_shard_index(std::span<const std::byte> json, const std::string& name) {
    const Source source(name);
    const char* first = reinterpret_cast<const char*>(json.data());
    IndexGuard guard(source);
    const Json index = Json::parse(first, first + json.size(), std::ref(guard), false);
    if (index.is_discarded()) source.refuse("a checkpoint or its index in JSON", "damaged JSON");
    const auto map = index.is_object() ? index.find("weight_map") : index.end();
    if (map == index.end() || !map->is_object())
        source.refuse("a checkpoint or its index with a weight_map", "JSON without one");

    ShardIndex shards;
    for (const auto& [tensor, file] : map->items()) {
        if (!file.is_string()) source.refuse(tensor, "the name of its file", file.type_name());
        const auto& text = file.get_ref<const std::string&>();
        if (!is_plain_name(text)) source.refuse(tensor, "a file beside the index", in_quotes(text));
        shards.tensors[text].insert(tensor);
    }
    if (shards.tensors.empty()) source.refuse("an index of tensors", "an empty one");
    return shards;
}

std::optional<std::string> index_of_shard(const std::string& path) {
    constexpr std::string_view kPattern = "-00000-of-00000.safetensors";
    if (path.size() <= kPattern.size()) return {};
    const std::string_view ending = std::string_view(path).substr(path.size() - kPattern.size());
    const bool same = std::ranges::equal(ending, kPattern, [](char c, char pattern) {
        return pattern == '0' ? c >= '0' && c <= '9' : c == pattern;
    });
    if (!same || ending.substr(10, 5) == "00001") return {};
    return path.substr(0, path.size() - kPattern.size()) + ".safetensors.index.json";
}

std::string beside(const std::string& path, const std::string& file) {
    return path.substr(0, path.find_last_of('/') + 1) + file;
}

}  // namespace headlight
