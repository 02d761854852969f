#include "cli/norms.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "analysis/number_table.h"
#include "cli/errors.h"
#include "cli/npz_arrays.h"
#include "encoder/runner.h"

namespace headlight::cli {

namespace {

constexpr TableColumn kColumns[] = {{"image", "", "the image's file"},
                                    {"layer", "", "after which layer, from 1; 0: before the first"},
                                    {"token", "", "from 0"},
                                    {"kind", "", "class, distillation, register or patch"},
                                    {"row", "", "of a patch, from 1; missing for other tokens"},
                                    {"column", "", "of a patch, from 1; missing for other tokens"},
                                    {"norm", "", "length of the token in the residual stream"}};

std::string_view word_of(TokenKind kind) {
    switch (kind) {
        case TokenKind::class_token:
            return "class";
        case TokenKind::distillation_token:
            return "distillation";
        case TokenKind::register_token:
            return "register";
        case TokenKind::patch:
            break;
    }
    return "patch";
}

// The tokens after a layer.
struct LayerNorms {
    TokenLayout layout;
    PatchGrid grid;
    std::vector<double> norms;
};

LayerNorms norms_of(const MatrixView& tokens, const TokenLayout& layout, const PatchGrid& grid) {
    LayerNorms made{layout, grid, {}};
    for (Index token = 0; token < tokens.rows; ++token)
        made.norms.push_back(tokens.eigen().row(token).cast<double>().norm());
    return made;
}

// One entry for each row of the table.
struct NormsTable {
    std::vector<std::string> image, kind;
    std::vector<std::int32_t> layer, token, row, column;  // row, column: −1 if it is no patch
    std::vector<double> norm;

    void add(const std::string& of_image, int after, const LayerNorms& tokens) {
        for (std::size_t i = 0; i < tokens.norms.size(); ++i) {
            const auto patch = static_cast<int>(static_cast<Index>(i) - tokens.layout.prefix());
            image.push_back(of_image);
            layer.push_back(after);
            token.push_back(static_cast<std::int32_t>(i));
            kind.emplace_back(word_of(tokens.layout.kind_of(static_cast<Index>(i))));
            row.push_back(patch < 0 ? -1 : patch / tokens.grid.cols + 1);
            column.push_back(patch < 0 ? -1 : patch % tokens.grid.cols + 1);
            norm.push_back(tokens.norms[i]);
        }
    }
    [[nodiscard]] bool is_finite() const {
        return std::ranges::all_of(norm, [](double number) { return std::isfinite(number); });
    }
    [[nodiscard]] std::string csv() const {
        std::string text = head_of(kColumns);
        for (std::size_t i = 0; i < image.size(); ++i) {
            append_field(text, image[i], ',');
            text += "," + std::to_string(layer[i]) + "," + std::to_string(token[i]) + "," + kind[i];
            for (const auto* place : {&row, &column})
                text += "," + ((*place)[i] < 0 ? "" : std::to_string((*place)[i]));
            text += ',';
            append_field(text, norm[i]);
            text += '\n';
        }
        return text;
    }
    [[nodiscard]] std::string npz() const {
        const std::vector<std::int64_t> count{static_cast<std::int64_t>(image.size())};
        return zip_text({npz_texts("image", count, image),
                         npz_array<std::int32_t>("layer", count, layer),
                         npz_array<std::int32_t>("token", count, token),
                         npz_texts("kind", count, kind), npz_array<std::int32_t>("row", count, row),
                         npz_array<std::int32_t>("column", count, column),
                         npz_array<double>("norm", count, norm)});
    }
};

// From the input of the first layer on, without T2T's token transformers.
std::vector<LayerNorms> norms_of_layers(Beginning beginning, const StopFlag& stop,
                                        const std::function<void(const std::string&)>& progress) {
    std::vector<LayerNorms> layers(1);
    int first = 0;
    const auto take = [&](const Trace& layer) {
        progress(layer.model_layer().name);
        first = layer.model->token_transformers();
        if (layer.layer < first) return;
        if (layer.layer == first) layers.front() = {layer.layout, layer.grid, {}};
        layers.push_back(norms_of(layer.view(Tensor::output), layer.layout, layer.grid));
    };
    const Trace done = Runner::run(std::move(beginning), take, stop);
    LayerNorms& input = layers.front();
    input =
        norms_of(done.stream.at(static_cast<std::size_t>(first))->view(), input.layout, input.grid);
    return layers;
}

}  // namespace

void run_norms(const TableOptions& options, const Audience& audience) {
    TableCommand command(options, audience);
    if (command.model().is_maps())
        throw WorkError(command.model().file +
                        ": norms of tokens need a model, found attention maps alone.");
    NormsTable table;
    Json images = Json::array();
    command.for_each_image([&](const std::string& image, const std::string& where,
                               Beginning beginning) {
        const std::vector<LayerNorms> layers =
            norms_of_layers(std::move(beginning), audience.stop,
                            [&](const std::string& layer) { audience.progress(where + layer); });
        for (std::size_t after = 0; after < layers.size(); ++after)
            table.add(image, static_cast<int>(after), layers[after]);
        images.push_back({{"file", image}});
    });
    command.finish(
        table, {{"rows", table.image.size()}, {"columns", json_of(kColumns)}, {"images", images}});
}

}  // namespace headlight::cli
