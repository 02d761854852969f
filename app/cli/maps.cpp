#include "cli/maps.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include "analysis/error.h"
#include "cli/attention_option.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/images.h"
#include "cli/model_file.h"
#include "cli/not_finite.h"
#include "cli/query_option.h"
#include "cli/source.h"
#include "disk/files.h"
#include "disk/names.h"
#include "files/new_file.h"
#include "files/safetensors.h"
#include "patches/token_words.h"
#include "program/values.h"
#include "trace/same_place.h"

namespace headlight::cli {

namespace {

std::vector<Index> tokens_of(const std::string& query, const TokenLayout& layout) {
    std::vector<Index> tokens;
    for (const std::string& word : words_of_list(query)) {
        const Index token = token_of(word, layout);
        if (std::ranges::find(tokens, token) != tokens.end())
            throw UsageError("--query: expected each token once, found " + in_quotes(word) +
                             " twice.");
        tokens.push_back(token);
    }
    if (tokens.size() > kMostAsked)
        throw UsageError("--query: expected at most " + std::to_string(kMostAsked) +
                         " tokens, found " + std::to_string(tokens.size()) + ".");
    return tokens;
}

Source read_source(const MapsOptions& options, const StopFlag& stop) {
    Source source;
    const ModelFile file{options.model, options.config, options.part, options.layout};
    source.model = open_model(file, stop);
    source.image = options.image;
    source.asked = parse_attention(options.attention, Scope::image, *source.model);
    // Reads the model again with the settings that its file lacks.
    if (source.asked.model != ModelOptions{})
        source.model = open_model(file, stop, source.asked.model);
    return source;
}

// Errors in the settings name the option that they were given with.
Source read_before(const MapsOptions& options, const MapsOptions& before, const StopFlag& stop) {
    constexpr std::string_view kNow = "--attention", kBefore = "--before-attention";
    try {
        return read_source(before, stop);
    } catch (const UsageError& error) {
        std::string sentence = error.what();
        if (options.before.attention && sentence.starts_with(kNow))
            sentence.replace(0, kNow.size(), kBefore);
        throw UsageError(sentence);
    }
}

void say_what_was_read(const Source& source) {
    print_warnings(*source.model, std::cerr);
    say_notes(*source.model, std::cerr);
}

using Progress = std::function<void(const std::string&)>;

void expect_reading(const MapsOptions& options) {
    if (options.reading != "from" && options.reading != "by")
        throw UsageError("--reading: expected from or by, found \"" + options.reading + "\".");
}

using Tokens = std::function<std::vector<Index>(const TokenPlaces&)>;

Tokens tokens_asked(const MapsOptions& options) {
    return [&options](const TokenPlaces& places) {
        return tokens_of(query_or_usual(options.query, places), places.layout);
    };
}

// The tokens at the same positions.
Tokens tokens_like(const std::vector<TokenMaps>& maps) {
    return [&](const TokenPlaces& places) {
        std::vector<Index> tokens;
        for (const TokenMaps& one : maps)
            tokens.push_back(
                token_at_same_place(one.places(), places, static_cast<int>(one.token)));
        return tokens;
    };
}

// `said`: a line about what was chosen for these maps.
std::vector<TokenMaps> maps_of(const Source& source, const MapsOptions& options,
                               const Tokens& tokens, const Progress& progress,
                               const StopFlag& stop, std::ostream& said) {
    const TokenMapsQuestion question{tokens, options.reading == "by", progress};
    try {
        auto [front, change] = beginning_of(source);
        say_layout(front, said);
        std::vector<TokenMaps> maps = token_maps(std::move(front), change, question, stop);
        for (const TokenMaps& of_one : maps)
            if (say_not_finite(of_one.numbers, options.model, said)) break;
        return maps;
    } catch (const AnalysisError& error) {
        throw WorkError(options.model + ": " + error.what());
    }
}

// [layers, heads, rows, columns]; with several queries, these come first.
std::vector<std::int64_t> shape_of(const std::vector<TokenMaps>& maps) {
    const TokenMaps& first = maps.front();
    std::vector<std::int64_t> shape{static_cast<std::int64_t>(first.layers.size()), first.heads,
                                    first.grid.rows, first.grid.cols};
    if (maps.size() > 1) shape.insert(shape.begin(), static_cast<std::int64_t>(maps.size()));
    return shape;
}

// With a batch of maps, each image has its own sample.
MapsOptions of_sample(MapsOptions options, std::size_t image) {
    options.layout.sample = static_cast<int>(image) + 1;
    return options;
}

std::string words_of(const std::vector<std::int64_t>& shape) {
    std::string words;
    for (const std::int64_t size : shape)
        words += (words.empty() ? "" : ", ") + std::to_string(size);
    return "[" + words + "]";
}

// Prints a line only once, even if many pictures cause it.
void say_once(const std::string& line, std::set<std::string>& said) {
    if (said.insert(line).second) std::cerr << line;
}

// The maps to write, or their differences. Throws AnalysisError if there is no difference.
std::vector<TokenMaps> written_of(const MapsOfBoth& maps) {
    std::vector<TokenMaps> written = maps.now;
    for (std::size_t q = 0; q < maps.before.size(); ++q)
        written[q] = difference(maps.now[q], maps.before[q]);
    return written;
}

void add_settings(std::map<std::string, std::string>& facts, const MapsOptions& of,
                  const std::string& when) {
    if (!of.attention.empty()) facts["attention" + when] = of.attention;
    if (!of.config.empty()) facts["config" + when] = of.config;
    if (!of.part.empty()) facts["part" + when] = of.part;
}

}  // namespace

SourceOptions source_of_maps(const MapsOptions& maps) {
    SourceOptions source;
    source.model = maps.model;
    source.attention = maps.attention;
    source.config = maps.config;
    source.part = maps.part;
    source.layout = maps.layout;
    return source;
}

std::optional<MapsOptions> options_before(const MapsOptions& options) {
    if (!options.before.asked()) return std::nullopt;
    const auto& [image, model, attention, config, part] = options.before;
    MapsOptions before = options;
    before.before = {};
    before.image = image.value_or(options.image);
    before.model = model.value_or(options.model);
    before.attention = attention.value_or(options.attention);
    before.config = config.value_or(model ? "" : options.config);
    before.part = part.value_or(model ? "" : options.part);
    if (model) before.layout = {};
    return before;
}

MapsOfBoth read_maps(const MapsOptions& options, const Progress& progress, const StopFlag& stop) {
    expect_reading(options);
    const auto before = options_before(options);
    MapsOfBoth maps;
    {  // one model at a time
        const Source source = read_source(options, stop);
        say_what_was_read(source);
        maps.now = maps_of(source, options, tokens_asked(options), progress, stop, std::cerr);
    }
    if (!before) return maps;
    const auto progress_before = [&](const std::string& what) { progress("before, " + what); };
    const Source source = read_before(options, *before, stop);
    say_what_was_read(source);
    maps.before = maps_of(source, *before, tokens_like(maps.now), progress_before, stop, std::cerr);
    return maps;
}

void write_maps_of_images(const MapsOptions& options, const std::vector<std::string>& images,
                          const std::string& out, const Progress& progress, const StopFlag& stop) {
    expect_reading(options);
    if (options.before.asked())
        throw UsageError("--before: expected one --image to subtract from, found several.");
    const std::vector<std::string> all = all_images(images);
    const std::string list = list_beside(out);
    expect_own_output(out, options);
    for (const std::string& image : all)
        for (const std::string& written : {out, list})
            expect_another_file(written, "--image", image);
    Source source = read_source(options, stop);
    if (source.model->is_maps()) {
        expect_as_many_samples(*source.model, all.size());
        say_notes(*source.model, std::cerr);  // the choice of sample needs no message
    } else {
        say_what_was_read(source);
    }
    std::unique_ptr<NewFile> file;
    std::vector<std::int64_t> shape;
    std::string names;
    std::set<std::string> already_said;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string where =
            "image " + std::to_string(i + 1) + " of " + std::to_string(all.size());
        if (source.model->is_maps()) source = read_source(of_sample(options, i), stop);
        source.image = all[i];
        std::ostringstream said;
        const std::vector<TokenMaps> maps = maps_of(
            source, options, tokens_asked(options),
            [&](const std::string& what) { progress(where + ", " + what); }, stop, said);
        say_once(said.str(), already_said);
        if (!file) {
            shape = shape_of(maps);
            std::vector<std::int64_t> whole = shape;
            whole.insert(whole.begin(), static_cast<std::int64_t>(all.size()));
            file = begin_npy(out, "<f4", whole);
        }
        if (shape_of(maps) != shape)
            throw WorkError(all[i] + ": expected maps " + words_of(shape) + ", as for " +
                            all.front() + ", found " + words_of(shape_of(maps)) + ".");
        for (const TokenMaps& of_one : maps) file->write(std::as_bytes(std::span(of_one.numbers)));
        names += all[i] + '\n';
    }
    write_file(list, names);
    file->finish();
}

void expect_own_output(const std::string& out, const MapsOptions& options) {
    for (const auto& of : {std::optional(options), options_before(options)}) {
        if (!of) continue;
        SourceOptions read = source_of_maps(*of);
        read.image = of->image;
        expect_own_output(out, read);
    }
}

void write_maps(const MapsOfBoth& maps, const std::string& out) {
    const std::vector<TokenMaps> written = written_of(maps);
    const auto file = begin_npy(out, "<f4", shape_of(written));
    for (const TokenMaps& of_one : written) file->write(std::as_bytes(std::span(of_one.numbers)));
    file->finish();
}

namespace {

std::string query_of(const std::vector<TokenMaps>& maps) {
    std::string words;
    for (const TokenMaps& one : maps)
        words += (words.empty() ? "" : ",") + token_word(one.layout, one.token);
    return words;
}

}  // namespace

void write_maps_with_facts(const MapsOfBoth& both, const MapsOptions& options,
                           const std::string& out) {
    const std::vector<TokenMaps> maps = written_of(both);
    const TokenMaps& first = maps.front();
    std::string layers;
    for (const std::string& layer : first.layers) layers += (layers.empty() ? "" : ", ") + layer;
    std::map<std::string, std::string> facts{{"made by", "Headlight " HEADLIGHT_VERSION},
                                             {"model", options.model},
                                             {"image", options.image},
                                             {"layers", layers},
                                             {"query", query_of(maps)},
                                             {"reading", options.reading}};
    add_settings(facts, options, "");
    if (const auto before = options_before(options)) {
        facts["shows"] = "after − before";
        facts["model before"] = before->model;
        facts["image before"] = before->image;
        add_settings(facts, *before, " before");
    }
    const std::string name = "maps";
    const std::vector<std::int64_t> shape = shape_of(maps);
    SafetensorsWriter file(out, SafetensorsWriter::room_for(name, shape.size()), facts);
    TensorToWrite tensor{name, shape, {}};
    for (const TokenMaps& of_one : maps) {
        const auto count = static_cast<Index>(of_one.numbers.size());
        tensor.blocks.emplace_back(of_one.numbers.data(), 1, count, count);
    }
    file.write(tensor);
    file.finish();
}

}  // namespace headlight::cli
