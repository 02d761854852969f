#include "cli/maps.h"

#include <cstdint>
#include <span>

#include "analysis/error.h"
#include "cli/attention_option.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/front.h"
#include "cli/model_file.h"
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
    if (source.model->is_bare_layer() || source.model->is_maps())
        throw WorkError(options.model + ": expected a whole model, found " +
                        (source.model->is_maps() ? "attention maps alone." : "one layer alone."));
    source.image = options.image;
    source.asked = parse_attention(options.attention, Scope::image, *source.model);
    return source;
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
        return token_maps(trace_of_patches(source), counterfactual_of(source.asked, *source.model),
                          question, stop);
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
