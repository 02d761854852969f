#include "cli/info.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string_view>
#include <vector>

#include "cli/errors.h"
#include "cli/files.h"
#include "cli/model_file.h"
#include "image/image.h"
#include "model/map_facts.h"

namespace headlight::cli {

namespace {

void add_layout(const Model& model, const InfoOptions& options, std::vector<ModelFact>& lines) {
    if (!model.is_maps() && !options.image.empty())
        throw UsageError("--image: expected only with attention maps alone, found " + model.title +
                         ".");
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

// Characters, as the columns count them; names are UTF-8.
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

}  // namespace

void run_info(const InfoOptions& options, std::ostream& out, std::ostream& warnings) {
    const auto model = open_model({options.model, options.config, options.part, options.layout});
    std::vector<ModelFact> lines = model->facts;
    add_layout(*model, options, lines);
    add_parameters(*model, lines);
    for (const std::string& name : model->unused_tensors)
        lines.push_back({"unused", name, "not part of the model"});
    print(lines, out);
    print_warnings(*model, warnings);
    if (!out.flush()) throw WorkError("Standard output: expected to be writable, found that not.");
}

}  // namespace headlight::cli
