#include "cli/model_file.h"

#include <filesystem>
#include <optional>
#include <ostream>
#include <system_error>

#include "cli/errors.h"
#include "cli/files.h"
#include "disk/names.h"
#include "families/load.h"

namespace headlight::cli {

std::shared_ptr<const Model> open_model(const ModelFile& file, const StopFlag& stop,
                                        ModelOptions options) {
    std::optional<ModelConfig> given;
    if (!file.config.empty())
        given = parse_given_config(read_file(file.config).bytes(stop), file.config);
    if (!file.part.empty()) options.part = file.part;
    options.layout = {parse_grid(file.layout.grid), file.layout.tokens_before};
    options.sample = file.layout.sample;
    const auto inside = checkpoint_in(file.path);
    std::error_code unknown;
    if (!inside && std::filesystem::is_directory(file.path, unknown))
        throw WorkError(why_no_checkpoint_in(file.path));
    return load_model(inside.value_or(file.path), read_file, options, given, stop);
}

void print_warnings(const Model& model, std::ostream& out) {
    for (const std::string& sentence : model.warnings)
        out << "headlight: " << one_line(sentence) << '\n';
}

void say_notes(const Model& model, std::ostream& warnings) {
    for (const ModelFact& fact : model.facts)
        if (fact.what == "head left aside" || fact.what == "left aside")
            warnings << "headlight: " << fact.what << ": " << one_line(fact.value) << ": "
                     << one_line(fact.origin) << ".\n";
    for (const ModelFact& fact : model.facts)
        if (fact.what == "note" || fact.what == "settings not read")
            warnings << "headlight: " << one_line(fact.origin) << ": "
                     << (fact.what == "note" ? "" : fact.what + ": ") << one_line(fact.value)
                     << ".\n";
}

}  // namespace headlight::cli
