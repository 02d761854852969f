#include "cli/source.h"

#include <filesystem>
#include <ostream>
#include <string_view>
#include <utility>

#include "cli/attention_option.h"
#include "cli/errors.h"
#include "cli/input.h"
#include "cli/model_file.h"

namespace headlight::cli {

namespace {

// A file of maps needs no other input; an image only helps to determine the patch layout.
void expect_one_input(const SourceOptions& options, const Model& model) {
    if (model.is_maps() && !options.input.empty())
        throw UsageError(
            "--input has no effect with " + model.file +
            ", which contains attention maps, so there is nothing to compute. Leave it out.");
    if (!model.is_maps() && options.image.empty() && options.input.empty())
        throw UsageError("Expected either --image or --input, found neither.");
}

// Tells the user how an array was interpreted, in case three samples of four tokens were meant.
void say_maps(const Source& source, std::ostream& warnings) {
    if (source.grid.count() == 0) return;
    const auto& shape = source.input.at("tokens").shape;
    warnings << source.input_path << ": read as " << shape[0] << " feature map"
             << (shape[0] == 1 ? "" : "s") << " of " << source.grid.rows << " × "
             << source.grid.cols << " cells with " << shape[2] << " numbers each.\n";
}

}  // namespace

// Overwriting an input file would lose it, whether or not the work succeeds.
void expect_another_file(const std::string& out, std::string_view option, const std::string& path) {
    std::error_code missing;
    if (!std::filesystem::equivalent(out, path, missing)) return;
    throw UsageError("--out: expected a file other than that of " + std::string(option) +
                     ", found " + out + ".");
}

void expect_own_output(const std::string& out, const SourceOptions& options) {
    expect_another_file(out, "--model", model_path(options.model));
    expect_another_file(out, "--image", options.image);
    expect_another_file(out, "--input", options.input);
    expect_another_file(out, "--config", options.config);
    expect_another_file(out, "--reference", options.reference);
}

Source read_source(const SourceOptions& options, std::ostream& warnings, const StopFlag& stop) {
    Source source;
    const ModelFile file{options.model, options.config, options.part, options.layout,
                         options.random_weights};
    source.model = open_model(file, stop);
    expect_one_input(options, *source.model);
    source.image = options.image;
    source.input_path = options.input;
    if (!options.input.empty()) {
        Input input = read_input(options.input);
        source.input = std::move(input.tensors);
        source.grid = input.grid;
    }
    const Scope scope = options.input.empty() ? Scope::image : scope_of(source.input);
    source.asked = parse_attention(options.attention, scope, *source.model);
    // Reads the model again with the settings that its file lacks.
    if (source.asked.model != ModelOptions{})
        source.model = open_model(file, stop, source.asked.model);
    print_warnings(*source.model, warnings);
    say_notes(*source.model, warnings);
    say_maps(source, warnings);
    return source;
}

}  // namespace headlight::cli
