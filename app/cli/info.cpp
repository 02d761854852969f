#include "cli/info.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string_view>
#include <vector>

#include "cli/errors.h"
#include "cli/model_file.h"

namespace headlight::cli {

namespace {

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
    const auto model = open_model({options.model, options.config, options.part});
    std::vector<ModelFact> lines = model->facts;
    add_parameters(*model, lines);
    for (const std::string& name : model->unused_tensors)
        lines.push_back({"unused", name, "not part of the model"});
    print(lines, out);
    print_warnings(*model, warnings);
    if (!out.flush()) throw WorkError("Standard output: expected to be writable, found that not.");
}

}  // namespace headlight::cli
