#include "cli/maps.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "analysis/error.h"
#include "cli/attention_option.h"
#include "cli/audience.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/images.h"
#include "cli/layers_option.h"
#include "cli/maps_files.h"
#include "cli/model_file.h"
#include "cli/query_option.h"
#include "cli/source.h"
#include "disk/files.h"
#include "disk/names.h"
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

void say_what_was_read(const Source& source) {
    print_warnings(*source.model, std::cerr);
    say_notes(*source.model, std::cerr);
}

using Progress = std::function<void(const std::string&)>;

// Throws UsageError for invalid options of any model.
void expect_choices(const MapsOptions& options) {
    (void)ranges_of("--layers", options.layers);
    (void)ranges_of("--heads", options.heads);
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

// Keeps the chosen layers and heads.
void choose(TokenMaps& maps, const MapsOptions& options) {
    const NumberRanges layers = ranges_of("--layers", options.layers),
                       heads = ranges_of("--heads", options.heads);
    if (layers.all() && heads.all()) return;
    try {
        maps = chosen_maps(maps, layers.of(static_cast<int>(maps.layers.size()), "layers"),
                           heads.of(static_cast<int>(maps.heads), "heads"));
    } catch (const ValueError& error) {
        throw UsageError(error.what());
    }
}

// `said`: a line about what was chosen for these maps.
std::vector<TokenMaps> maps_of(Beginning beginning, const MapsOptions& options,
                               const Tokens& tokens, const Progress& progress, const StopFlag& stop,
                               std::ostream& said) {
    const TokenMapsQuestion question{tokens, options.reading == "by", progress};
    auto& [front, change] = beginning;
    try {
        say_layout(front, said);
        std::vector<TokenMaps> maps = token_maps(std::move(front), change, question, stop);
        for (TokenMaps& of_one : maps) choose(of_one, options);
        for (const TokenMaps& of_one : maps)
            if (say_not_finite(of_one.numbers, options.model, said)) break;
        return maps;
    } catch (const AnalysisError& error) {
        throw WorkError(options.model + ": " + error.what());
    }
}

// With a batch of maps, each image has its own sample.
MapsOptions of_sample(MapsOptions options, std::size_t image) {
    options.layout.sample = static_cast<int>(image) + 1;
    return options;
}

// Prints a line only once, even if many pictures cause it.
void say_once(const std::string& line, std::set<std::string>& said) {
    if (said.insert(line).second) std::cerr << line;
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
    expect_choices(options);
    const auto before = options_before(options);
    MapsOfBoth maps;
    {  // one model at a time
        const Source source = read_source(options, stop);
        say_what_was_read(source);
        maps.now = maps_of(beginning_of(source), options, tokens_asked(options), progress, stop,
                           std::cerr);
    }
    if (!before) return maps;
    const auto progress_before = [&](const std::string& what) { progress("before, " + what); };
    const Source source = with_before_attention(options.before.attention.has_value(),
                                                [&] { return read_source(*before, stop); });
    say_what_was_read(source);
    maps.before = maps_of(beginning_of(source), *before, tokens_like(maps.now), progress_before,
                          stop, std::cerr);
    return maps;
}

void write_maps_of_images(const MapsOptions& options, const std::vector<std::string>& images,
                          const std::string& out, const Progress& progress, const StopFlag& stop) {
    expect_choices(options);
    if (options.before.asked())
        throw UsageError("--before: expected one --image to subtract from, found several.");
    const std::vector<std::string> all = all_images(images);
    std::vector<std::string> written{out};
    if (!is_npz(out)) written.push_back(list_beside(out));
    expect_own_output(out, options);
    for (const std::string& image : all)
        for (const std::string& file : written) expect_another_file(file, "--image", image);
    Source source = read_source(options, stop);
    if (source.model->is_maps()) {
        expect_as_many_samples(*source.model, all.size());
        say_notes(*source.model, std::cerr);  // the choice of sample needs no message
    } else {
        say_what_was_read(source);
    }
    ImagesOfMaps found(options, out, all.size());
    UnreadImages unread(std::cerr, all.size());
    std::set<std::string> already_said;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string where = nth_image(i, all.size());
        if (source.model->is_maps()) source = read_source(of_sample(options, i), stop);
        source.image = all[i];
        std::optional<Beginning> beginning = unread.begin(source);
        if (!beginning) continue;
        std::ostringstream said;
        const std::vector<TokenMaps> maps = maps_of(
            std::move(*beginning), options, tokens_asked(options),
            [&](const std::string& what) { progress(where + ", " + what); }, stop, said);
        say_once(said.str(), already_said);
        found.add(all[i], maps);
    }
    progress("");
    unread.expect_some();
    found.finish(unread);
    unread.say();
}

void expect_own_output(const std::string& out, const MapsOptions& options) {
    for (const auto& of : {std::optional(options), options_before(options)}) {
        if (!of) continue;
        SourceOptions read = source_of_maps(*of);
        read.image = of->image;
        expect_own_output(out, read);
    }
}

}  // namespace headlight::cli
