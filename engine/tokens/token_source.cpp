#include "tokens/token_source.h"

#include <algorithm>
#include <array>
#include <limits>

#include "json/bounded_json.h"
#include "json/checked_json.h"

namespace headlight {

namespace {

using Json = nlohmann::ordered_json;
using Value = CheckedJson<TokenError>;
using Members = CheckedMembers<TokenError>;

constexpr std::int64_t kMostSeed = 999999;

// ---- writing

Json list_of(const std::vector<float>& numbers) {
    Json list = Json::array();
    for (const float number : numbers) list.push_back(json_number(number));
    return list;
}

Json json_of(const VectorSet& set) {
    Json json, words = Json::array(), vectors = Json::array();
    for (const NamedVector& vector : set.vectors) {
        words.push_back(vector.word);
        vectors.push_back(list_of(vector.at));
    }
    if (has_words(set)) json["words"] = words;
    json["vectors"] = vectors;
    return json;
}

Json json_of(const Signal& signal) {
    Json json{{"curve", name_of(signal.curve)}};
    if (signal.curve == Curve::drawn)
        json["drawn"] = list_of(signal.drawn);
    else
        json["samples"] = signal.samples;
    json["window"] = signal.window;
    json["noise"] = json_number(signal.noise);
    json["seed"] = signal.seed;
    return {{"signal", json}};
}

// How an array is interpreted: with a name, [B, N, D]; without one, feature maps or [B, N, D].
constexpr std::array<std::string_view, 4> kArrayWords{"tokens", "map", "batch", "value"};
enum { kTokens, kMap, kBatch, kValue };

Json json_of(const TokenFile& tokens) {
    const std::size_t as = tokens.is_cross() ? kValue
                           : tokens.named    ? kTokens
                           : tokens.batch    ? kBatch
                                             : kMap;
    Json file{{"name", tokens.file},
              {"shape", tokens.shape},
              {"as", kArrayWords.at(as)},
              {"sample", tokens.sample + 1}};
    if (tokens.is_cross()) file["query_shape"] = tokens.query_shape;
    return {{"file", file}};
}

// ---- reading: the parts; validate() checks whether they fit together

std::vector<Value> entries_of(const Value& list, const std::string& of, std::size_t most) {
    if (!list.json.is_array() || list.json.size() > most)
        list.refuse("a list of at most " + std::to_string(most) + " " + of);
    std::vector<Value> entries;
    for (std::size_t i = 0; i < list.json.size(); ++i)
        entries.push_back({list.json[i], list.place + " " + std::to_string(i + 1)});
    return entries;
}

std::vector<float> numbers_of(const Value& list, std::size_t most, float limit) {
    std::vector<float> numbers;
    for (const Value& entry : entries_of(list, "numbers", most))
        numbers.push_back(entry.number(-limit, limit));
    return numbers;
}

VectorSet vectors_of(const Value& whole) {
    const Members at(whole, {"vectors", "words"}, "vectors");
    VectorSet set;
    for (const Value& entry : entries_of(at["vectors"], "vectors", kMostVectors))
        set.vectors.push_back({"", numbers_of(entry, kMostNumbers, kMostCoordinate)});
    if (at.has("words")) {
        const std::vector<Value> words = entries_of(at["words"], "words", kMostVectors);
        if (words.size() != set.vectors.size())
            at["words"].refuse("as many words as vectors, " + std::to_string(set.vectors.size()));
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (!words[i].json.is_string()) words[i].refuse("a word");
            set.vectors[i].word = words[i].json.get<std::string>();
        }
    }
    validate(set);
    return set;
}

Curve curve_of(const Value& value) {
    if (value.json.is_string())
        if (const auto curve = value_named<Curve>(value.json.get_ref<const std::string&>()))
            return *curve;
    value.refuse(alternatives(names_of<Curve>()));
}

Signal signal_of(const Value& value) {
    const Members at(value, {"curve", "drawn", "samples", "window", "noise", "seed"}, "a signal");
    Signal signal;
    signal.curve = curve_of(at["curve"]);
    if (signal.curve == Curve::drawn)
        signal.drawn = numbers_of(at["drawn"], kMostSamples, kMostLevel);
    else
        signal.samples = static_cast<int>(at["samples"].integer(kLeastSamples, kMostSamples));
    signal.window = static_cast<int>(at["window"].integer(1, kMostWindow));
    signal.noise = at["noise"].number(0, kMostNoise);
    signal.seed = static_cast<std::uint64_t>(at["seed"].integer(0, kMostSeed));
    validate(signal);
    return signal;
}

TokenFile file_of(const Value& value) {
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    const Members at(value, {"name", "shape", "as", "sample", "query_shape"}, "tokens of a file");
    const bool across = at.has("query_shape");
    TokenFile tokens;
    const auto text = [](const Value& name, const char* what) -> const std::string& {
        if (!name.json.is_string()) name.refuse(what);
        return name.json.get_ref<const std::string&>();
    };
    tokens.file = text(at["name"], "the name of a file");
    for (const Value& extent : entries_of(at["shape"], "extents", 4))
        tokens.shape.push_back(extent.integer(1, kMost));
    const char* words = "tokens, map, batch or value";
    const auto as = std::ranges::find(kArrayWords, text(at["as"], words)) - kArrayWords.begin();
    if (as == std::ssize(kArrayWords)) at["as"].refuse(words);
    if (across != (as == kValue))
        value.refuse("\"query_shape\" if \"as\" is \"value\", and only then");
    tokens.named = as == kTokens || across;
    tokens.batch = as == kBatch;
    if (across)
        for (const Value& extent : entries_of(at["query_shape"], "extents", 4))
            tokens.query_shape.push_back(extent.integer(1, kMost));
    tokens.sample = static_cast<int>(at["sample"].integer(1, kMost) - 1);
    validate(tokens);
    return tokens;
}

}  // namespace

bool gives_queries(const TokenSource& source) {
    const auto* file = std::get_if<TokenFile>(&source);
    return file != nullptr && file->is_cross();
}

int token_width(const TokenSource& source) {
    if (const auto* file = std::get_if<TokenFile>(&source))
        return static_cast<int>((file->is_cross() ? file->queries() : file->array()).width);
    if (const auto* set = std::get_if<VectorSet>(&source)) return set->width();
    return std::get<Signal>(source).window;
}

std::string to_json(const TokenSource& source) {
    if (const auto* set = std::get_if<VectorSet>(&source))
        return json_of(*set).dump(-1, ' ', false, Json::error_handler_t::replace);
    if (const auto* signal = std::get_if<Signal>(&source)) return json_of(*signal).dump();
    if (const auto* file = std::get_if<TokenFile>(&source))
        return json_of(*file).dump(-1, ' ', false, Json::error_handler_t::replace);
    return "{}";
}

TokenSource tokens_from_json(std::span<const std::byte> text, const std::string& name) {
    Json json;
    try {
        json = parse_json<Json>(text, {.levels = 4, .entries = kMostSamples});
    } catch (const JsonError& error) {
        throw TokenError(name + ": expected tokens as " + error.expected() + ", found " +
                         error.found() + ".");
    }
    const Value whole{json, name};
    if (json.is_object() && json.contains("signal"))
        return signal_of(Members(whole, {"signal"}, "the tokens")["signal"]);
    if (json.is_object() && json.contains("file"))
        return file_of(Members(whole, {"file"}, "the tokens")["file"]);
    return vectors_of(whole);
}

}  // namespace headlight
