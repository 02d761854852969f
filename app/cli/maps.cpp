#include "cli/maps.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "analysis/error.h"
#include "cli/attention_option.h"
#include "cli/bare_layer.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/model_file.h"
#include "cli/whole_model.h"
#include "patches/token_words.h"
#include "program/values.h"

namespace headlight::cli {

namespace {

// A token that --query names.
Index token_of(const std::string& word, const TokenLayout& layout) {
    if (const auto token = token_of_word(layout, word)) return *token;
    if (word == "class")
        throw UsageError(
            "--query: expected the number of a patch, found \"class\": this model "
            "has no class token.");
    throw UsageError("--query: expected class, register0 or the number of a patch from 0 to " +
                     std::to_string(layout.patches - 1) + ", found " + in_quotes(word) + ".");
}

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
    source.model = open_model(options.model, options.config, stop);
    if (source.model->is_maps())
        throw WorkError(options.model +
                        ": expected a model or a layer, found attention maps alone, which need no "
                        "computing.");
    source.image = options.image;
    source.asked = parse_attention(options.attention, Scope::image, *source.model);
    // Read once more with what its file cannot say.
    if (source.asked.model != ModelOptions{})
        source.model = open_model(options.model, options.config, stop, source.asked.model);
    return source;
}

Beginning beginning_of(const Source& source) {
    return source.model->is_bare_layer() ? begin_bare_layers(source) : begin_whole_model(source);
}

}  // namespace

std::vector<TokenMaps> read_maps(const MapsOptions& options,
                                 const std::function<void(const std::string&)>& progress,
                                 const StopFlag& stop) {
    if (options.reading != "from" && options.reading != "by")
        throw UsageError("--reading: expected from or by, found \"" + options.reading + "\".");
    const Source source = read_source(options, stop);
    const TokenMapsQuestion question{
        [&](const TokenLayout& layout) { return tokens_of(options.query, layout); },
        options.reading == "by", progress};
    try {
        auto [front, change] = beginning_of(source);
        return token_maps(std::move(front), change, question, stop);
    } catch (const AnalysisError& error) {
        throw WorkError(options.model + ": " + error.what());
    }
}

void write_maps(const std::vector<TokenMaps>& maps, const std::string& out) {
    const TokenMaps& first = maps.front();
    std::vector<std::int64_t> shape{static_cast<std::int64_t>(first.layers.size()), first.heads,
                                    first.grid.rows, first.grid.cols};
    if (maps.size() > 1) shape.insert(shape.begin(), static_cast<std::int64_t>(maps.size()));
    const auto file = begin_npy(out, "<f4", shape);
    for (const TokenMaps& of_one : maps) file->write(std::as_bytes(std::span(of_one.numbers)));
    file->finish();
}

}  // namespace headlight::cli
