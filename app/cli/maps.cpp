#include "cli/maps.h"

#include <span>
#include <vector>

#include "cli/attention_option.h"
#include "cli/errors.h"
#include "cli/front.h"
#include "cli/model_file.h"
#include "encoder/run_encoder.h"
#include "files/new_file.h"
#include "files/npy.h"
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

// Layer after layer, all of the same shape.
class Maps {
  public:
    explicit Maps(const MapsOptions& options) : options_(options) {}

    void add(const Trace& layer) {
        const Index token = token_of(options_.query, layer.layout), n = layer.layout.count();
        const Index prefix = layer.layout.prefix();
        const std::vector<std::int64_t> each{layer.shape.heads, layer.grid.rows, layer.grid.cols};
        if (!shape_.empty() && each != shape_)
            throw WorkError(options_.model +
                            ": expected layers of one number of heads and patches, found others.");
        shape_ = each;
        ++layers_;
        for (Index h = 0; h < layer.shape.heads; ++h) {
            const MatrixView attention = layer.view(Tensor::attention, 0, h);
            for (Index j = prefix; j < n; ++j)
                numbers_.push_back(options_.reading == "by" ? attention(j, token)
                                                            : attention(token, j));
        }
    }

    void write() const {
        std::vector<std::int64_t> shape{layers_};
        shape.insert(shape.end(), shape_.begin(), shape_.end());
        NewFile file(options_.out);
        const std::string header = npy_header("<f4", shape);
        file.write(std::as_bytes(std::span(header)));
        file.write(std::as_bytes(std::span(numbers_)));
        file.finish();
    }

  private:
    const MapsOptions& options_;
    std::vector<std::int64_t> shape_;  // of a layer
    std::int64_t layers_ = 0;
    std::vector<float> numbers_;
};

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

void run_maps(const MapsOptions& options, const std::function<void(const std::string&)>& progress,
              const StopFlag& stop) {
    if (options.reading != "from" && options.reading != "by")
        throw UsageError("--reading: expected from or by, found \"" + options.reading + "\".");
    const Source source = read_source(options, stop);
    Maps maps(options);
    const auto take = [&](const Trace& layer) {
        if (layer.layer < source.model->token_transformers()) return;
        maps.add(layer);
        progress(source.model->layers[static_cast<std::size_t>(layer.layer)].name);
    };
    run_encoder(trace_of_patches(source), counterfactual_of(source.asked), take, stop);
    throw_if_stopped(stop);
    maps.write();
}

}  // namespace headlight::cli
