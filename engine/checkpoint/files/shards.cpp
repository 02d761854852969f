#include "files/shards.h"

#include <algorithm>
#include <string_view>

#include "files/error.h"
#include "files/stored_tensor.h"
#include "json/bounded_json.h"

namespace headlight {

namespace {

using Json = nlohmann::json;

// The metadata may have any structure.
const JsonBounds kIndexBounds{.levels = 8, .entries = kMaxTensors, .what = "tensors"};

Json parse_index(std::span<const std::byte> json, const Source& source, const StopFlag& stop) {
    try {
        return parse_json(json, kIndexBounds, [&] { throw_if_stopped(stop); });
    } catch (const JsonError& error) {
        source.refuse("a checkpoint or its index in " + error.expected(),
                      error.byte() > 0 ? "damaged JSON" : error.found());
    }
}

// An index may come from an untrusted source, so it must not refer to other folders.
bool is_plain_name(const std::string& file) {
    const bool plain = std::ranges::all_of(file, [](char c) {
        return static_cast<unsigned char>(c) >= ' ' && c != '/' && c != '\\' && c != ':';
    });
    return plain && !file.empty() && file != "." && file != "..";
}

constexpr std::size_t kDigits = 5, kTotalAt = 10;

// "-00001-of-00003.safetensors" or "….bin"; empty for other names.
std::string ending_of_shard(const std::string& path) {
    for (const std::string_view pattern : {"-00000-of-00000.safetensors", "-00000-of-00000.bin"}) {
        if (path.size() <= pattern.size()) continue;
        std::string ending = path.substr(path.size() - pattern.size());
        const bool same = std::ranges::equal(ending, pattern, [](char c, char wanted) {
            return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
        });
        if (same) return ending;
    }
    return {};
}

// The tensors of a shard that the index does not list would be lost silently.
void expect_all_shards(const ShardIndex& shards, const Source& source) {
    const std::string& any = shards.tensors.begin()->first;
    const std::string ending = ending_of_shard(any);
    if (ending.empty()) return;
    const int total = std::stoi(ending.substr(kTotalAt, kDigits));
    if (total == static_cast<int>(shards.tensors.size())) return;
    source.refuse("an index of all " + std::to_string(total) + " shards, as " + in_quotes(any) +
                      " says there are",
                  std::to_string(shards.tensors.size()));
}

}  // namespace

ShardIndex parse_shard_index(std::span<const std::byte> json, const std::string& name,
                             const StopFlag& stop) {
    const Source source(name);
    const Json index = parse_index(json, source, stop);
    const auto map = index.is_object() ? index.find("weight_map") : index.end();
    if (map == index.end() || !map->is_object())
        source.refuse("a checkpoint or its index with a weight_map", "JSON without one");

    ShardIndex shards;
    for (const auto& [tensor, file] : map->items()) {
        if (!file.is_string()) source.refuse(tensor, "the name of its file", file.type_name());
        const auto& text = file.get_ref<const std::string&>();
        if (!is_plain_name(text))
            source.refuse(tensor, "a file in the folder of the index", in_quotes(text));
        shards.tensors[text].insert(tensor);
    }
    if (shards.tensors.empty()) source.refuse("an index of tensors", "an empty one");
    if (const auto metadata = index.find("metadata"); metadata != index.end())
        for (const auto& [key, value] : metadata->items())
            if (value.is_string()) shards.metadata[key] = value.get<std::string>();
    expect_all_shards(shards, source);
    return shards;
}

std::optional<std::string> index_of_shard(const std::string& path) {
    const std::string ending = ending_of_shard(path);
    if (ending.empty() || ending.substr(kTotalAt, kDigits) == "00001") return {};
    const std::string type = ending.substr(ending.find('.'));
    return path.substr(0, path.size() - ending.size()) + type + ".index.json";
}

}  // namespace headlight
