#include "cli/maps.h"

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
#include "program/values.h"

namespace headlight::cli {

namespace {

// The token that --query names.
Index token_of(const std::string& query, const TokenLayout& layout) {
    if (query == "class") {
        if (layout.class_tokens == 0)
            throw UsageError(
                "--query: expected the number of a patch, found \"class\": this model "
                "has no class token.");
        return 0;
    }
    try {
        return layout.prefix() +
               parse_integer("--query", query, 0, static_cast<int>(layout.patches) - 1);
    } catch (const std::exception& error) {
        throw UsageError(error.what());
    }
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

TokenMaps read_maps(const MapsOptions& options,
                    const std::function<void(const std::string&)>& progress, const StopFlag& stop) {
    if (options.reading != "from" && options.reading != "by")
        throw UsageError("--reading: expected from or by, found \"" + options.reading + "\".");
    const Source source = read_source(options, stop);
    const TokenMapsQuestion question{
        [&](const TokenLayout& layout) { return token_of(options.query, layout); },
        options.reading == "by", progress};
    try {
        auto [front, change] = beginning_of(source);
        return token_maps(std::move(front), change, question, stop);
    } catch (const AnalysisError& error) {
        throw WorkError(options.model + ": " + error.what());
    }
}

void write_maps(const TokenMaps& maps, const std::string& out) {
    const auto file = begin_npy(out, "<f4",
                                {static_cast<std::int64_t>(maps.layers.size()), maps.heads,
                                 maps.grid.rows, maps.grid.cols});
    file->write(std::as_bytes(std::span(maps.numbers)));
    file->finish();
}

}  // namespace headlight::cli
