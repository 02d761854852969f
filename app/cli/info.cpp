#include "cli/info.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string_view>
#include <vector>

#include "cli/errors.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/model_file.h"
#include "encoder/lens.h"
#include "image/image.h"
#include "model/map_facts.h"

namespace headlight::cli {

namespace {

void add_layout(const Model& model, const InfoOptions& options, std::vector<ModelFact>& lines) {
    if (!model.is_maps() && !options.image.empty())
        throw UsageError("--image can be used only with a file of attention maps, found " +
                         model.title + ".");
    if (!model.is_maps()) return;
    std::optional<PictureSize> picture;
    if (!options.image.empty()) {
        const Image image = decode_image(read_file(options.image).bytes(), options.image);
        picture = {image.height, image.width};
    }
    const std::vector<ModelFact> facts = map_facts(model, picture);
    lines.insert(lines.end(), facts.begin(), facts.end());
}

void add_parameters(const Model& model, std::vector<ModelFact>& lines) {
    std::int64_t all = 0;
    for (const ModelPart& part : model.parts) all += part.parameters;
    if (all == 0) return;
    lines.push_back({"parameters", fmt::format("{}", all), "in all"});
    if (model.parts.size() == 1) return;
    for (const ModelPart& part : model.parts)
        lines.push_back({"  " + part.name, fmt::format("{}", part.parameters), ""});
}

// Width in characters, for columns; names are UTF-8.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned>(c) & 0xC0U) != 0x80U;
    }));
}

void print(const std::vector<ModelFact>& lines, std::ostream& out) {
    std::size_t widest = 0;
    for (const ModelFact& line : lines) widest = std::max(widest, width_of(line.what));
    for (const auto& [what, value, origin] : lines) {
        std::string line = fmt::format("{:<{}}{:<16}  {}", one_line(what), widest + 2,
                                       one_line(value), one_line(origin));
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    }
}

// One number if all layers have the same, else one per layer.
template <class Of>
Json of_layers(const Model& model, const Of& of) {
    Json each = Json::array();
    for (std::size_t b = static_cast<std::size_t>(model.token_transformers());
         b < model.layers.size(); ++b)
        each.push_back(of(model.layers[b]));
    const bool same = std::ranges::all_of(each, [&](const Json& one) { return one == each[0]; });
    return !each.empty() && same ? each[0] : each;
}

// Sizes as numbers, for programs. A fact that does not exist for this kind of model is left out.
void add_sizes(const Model& model, Json& json) {
    json["layers"] = static_cast<int>(model.layers.size()) - model.token_transformers();
    if (model.token_transformers() > 0) json["token_transformers"] = model.token_transformers();
    if (model.heads_are_known)
        json["heads"] = of_layers(model, [](const Layer& layer) { return layer.attention.heads; });
    if (model.is_maps()) return;
    json["width"] = of_layers(model, [](const Layer& layer) { return layer.attention.channels; });
    if (model.is_bare_layer()) return;
    json["image_size"] = {model.preprocessing.height, model.preprocessing.width};
    if (model.patch_size > 0) json["patch_size"] = model.patch_size;
    json["class_token"] = model.prefix.class_token != nullptr;
    json["distillation_token"] = model.prefix.distillation_token != nullptr;
    json["registers"] = model.prefix.registers ? model.prefix.registers->view().rows : 0;
    json["classes"] = has_classes(model) ? model.classifier.weight->view().rows : 0;
    if (!model.class_names.empty()) json["class_names"] = model.class_names;
}

void print_json(const Model& model, const std::vector<ModelFact>& facts, std::ostream& out) {
    Json json{{"file", model.file},         {"family", model.family},
              {"title", model.title},       {"facts", Json::array()},
              {"warnings", model.warnings}, {"unused", model.unused_tensors}};
    add_sizes(model, json);
    for (const auto& [what, value, origin] : facts)
        json["facts"].push_back({{"name", what}, {"value", value}, {"origin", origin}});
    std::int64_t all = 0;
    json["parts"] = Json::array();
    for (const ModelPart& part : model.parts) {
        all += part.parameters;
        json["parts"].push_back({{"name", part.name}, {"parameters", part.parameters}});
    }
    json["parameters"] = all;
    out << printed(json) << '\n';
}

}  // namespace

void run_info(const InfoOptions& options, std::ostream& out, std::ostream& warnings) {
    const auto model = open_model({options.model, options.config, options.part, options.layout});
    std::vector<ModelFact> lines = model->facts;
    add_layout(*model, options, lines);
    if (options.json) {
        print_json(*model, lines, out);
    } else {
        add_parameters(*model, lines);
        for (const std::string& name : model->unused_tensors)
            lines.push_back({"unused", name, "not part of the model"});
        print(lines, out);
    }
    print_warnings(*model, warnings);
    if (!out.flush())
        throw WorkError(
            "Headlight could not write to standard output. Check the disk, or the program that "
            "receives the output.");
}

}  // namespace headlight::cli
