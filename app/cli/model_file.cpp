#include "cli/model_file.h"

#include <optional>
#include <ostream>
#include <stdexcept>

#include "cli/errors.h"
#include "cli/files.h"
#include "disk/hub_cache.h"
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
    options.shuffled = file.shuffled;
    return load_model(model_path(file.path), read_file, options, given, stop);
}

std::string model_path(const std::string& name) {
    try {
        return find_model(name);
    } catch (const std::runtime_error& error) {
        throw WorkError(error.what());
    }
}

void print_warnings(const Model& model, std::ostream& out) {
    for (const std::string& sentence : model.warnings)
        out << "headlight: " << one_line(sentence) << '\n';
}

void say_notes(const Model& model, std::ostream& warnings) {
    for (const ModelFact& fact : model.facts)
        if (fact.what == "heads" && fact.origin.starts_with("a guess"))
            warnings << "headlight: " << one_line(model.file)
                     << ": the number of heads is a guess: " << one_line(fact.value)
                     << ". If it is wrong, set num_heads in a file for --config.\n";
    for (const ModelFact& fact : model.facts)
        if (fact.what == "head not used" || fact.what == "not used")
            warnings << "headlight: " << fact.what << ": " << one_line(fact.value) << ": "
                     << one_line(fact.origin) << ".\n";
    for (const ModelFact& fact : model.facts)
        if (fact.what == "note" || fact.what == "settings not read")
            warnings << "headlight: " << one_line(fact.origin) << ": "
                     << (fact.what == "note" ? "" : fact.what + ": ") << one_line(fact.value)
                     << ".\n";
}

}  // namespace headlight::cli
