#include "cli/class_maps.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "analysis/error.h"
#include "cli/audience.h"
#include "cli/class_option.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/images.h"
#include "cli/json.h"
#include "cli/layers_option.h"
#include "cli/npz_arrays.h"
#include "disk/files.h"
#include "encoder/lens.h"
#include "encoder/run_scene.h"
#include "files/safetensors.h"
#include "program/number_ranges.h"
#include "program/values.h"

namespace headlight::cli {

namespace {

// The selected layers, as indices from 0 without T2T's token transformers.
std::vector<int> layers_of(const ClassMapsOptions& options, const Model& model) {
    const int count = static_cast<int>(model.layers.size()) - model.token_transformers();
    const int start = options.start_layer.value_or(0);
    LayersOption layers(options.layers.value_or("all"));
    layers.expect_within(count, model.file);
    std::vector<int> chosen;
    for (int layer = start; layer < count; ++layer)
        if (layers.all() || layers.has(layer)) chosen.push_back(layer);
    if (chosen.empty())
        throw UsageError(
            "--start-layer: expected a number that leaves at least one of the chosen layers, "
            "found " +
            std::to_string(start) + ", which leaves none.");
    return chosen;
}

std::vector<int> heads_of(const ClassMapsOptions& options, const ClassMapQuestion& question,
                          const Model& model) {
    return or_usage_error([&] {
        return heads_to_read(question, NumberRanges("--heads", options.heads.value_or("all")),
                             model);
    });
}

// Rejects settings of other methods, which would otherwise be ignored silently.
void check_method(const ClassMapsOptions& options, MapMethod method) {
    using enum MapMethod;
    const auto expect = [&](bool given, const char* option, bool followed) {
        if (given && !followed)
            throw UsageError(std::string(option) + " has no effect with --method " +
                             options.method + ". Leave it out.");
    };
    expect(options.of_class.has_value(), "--class", asks_for_class(method));
    expect(options.layers.has_value(), "--layers", reads_layers(method));
    expect(options.heads.has_value(), "--heads", reads_attention(method));
    expect(options.start_layer.has_value(), "--start-layer", starts_at_a_layer(method));
    expect(options.discard_ratio.has_value(), "--discard-ratio", method == gradient_rollout);
    expect(options.steps.has_value(), "--steps", method == integrated_gradients);
}

ClassMapQuestion question_of(const ClassMapsOptions& options, const Model& model) {
    ClassMapQuestion question;
    question.method = *value_named<MapMethod>(options.method);
    check_method(options, question.method);
    question.of_class = class_of(model, options.of_class);
    question.layers = layers_of(options, model);
    question.heads = heads_of(options, question, model);
    question.discard_ratio = options.discard_ratio.value_or(question.discard_ratio);
    question.steps = options.steps.value_or(question.steps);
    return question;
}

std::vector<int> from_one(std::vector<int> indices) {
    for (int& index : indices) ++index;
    return indices;
}

std::string in_words(const PatchGrid& grid) {
    return std::to_string(grid.rows) + " × " + std::to_string(grid.cols);
}

// The results of all images.
struct ClassMapsFound {
    PatchGrid grid;
    std::vector<float> numbers;
    std::vector<std::string> images;
    std::vector<std::optional<Prediction>> about;
    std::vector<bool> zero;  // everywhere
    bool several = false;

    [[nodiscard]] std::vector<std::int64_t> shape() const {
        std::vector<std::int64_t> shape{grid.rows, grid.cols};
        if (several) shape.insert(shape.begin(), static_cast<std::int64_t>(images.size()));
        return shape;
    }
    void add(const std::string& image, const ClassMap& map) {
        if (images.empty()) grid = map.grid;
        if (map.grid.rows != grid.rows || map.grid.cols != grid.cols)
            throw WorkError(image + ": expected a map of " + in_words(grid) + " patches, as for " +
                            images.front() + ", found " + in_words(map.grid) + ".");
        images.push_back(image);
        about.push_back(map.about);
        zero.push_back(map.is_zero());
        numbers.insert(numbers.end(), map.cells.data(), map.cells.data() + map.cells.size());
    }
};

Json settings_of_map(const ClassMapsOptions& options, const ClassMapQuestion& question) {
    using enum MapMethod;
    Json json{{"method", options.method}};
    if (reads_layers(question.method)) {
        const bool last_alone = !starts_at_a_layer(question.method);
        json["layers"] =
            from_one(last_alone ? std::vector<int>{question.layers.back()} : question.layers);
    }
    if (!question.heads.empty()) json["heads"] = from_one(question.heads);
    if (question.method == gradient_rollout) json["discard_ratio"] = question.discard_ratio;
    if (question.method == integrated_gradients) json["steps"] = question.steps;
    if (options.random_weights) json["random_weights"] = *options.random_weights;
    return json;
}

Json provenance(const SourceOptions& from, const ClassMapsOptions& options,
                const ClassMapQuestion& question, const Model& model, const ClassMapsFound& found) {
    Json json = settings_of_map(options, question);
    json["made_by"] = "Headlight " HEADLIGHT_VERSION;
    json.update(json_of(from));
    if (asks_for_class(question.method))
        json["gradient_of"] = has_classes(model) ? "logit" : "sum of the pooled output";
    json["shape"] = found.shape();
    for (std::size_t i = 0; i < found.images.size(); ++i) {
        Json image{{"file", found.images[i]}, {"zero", static_cast<bool>(found.zero[i])}};
        if (const auto& about = found.about[i]; about && asks_for_class(question.method)) {
            image.update(json_of(*about, model));
            image["logit"] = about->logit;
        }
        json["images"].push_back(std::move(image));
    }
    return json;
}

// A map of zeros looks like a map that is missing.
void say_zero(const ClassMapsFound& found, const std::string& method, bool less,
              std::ostream& warnings) {
    for (std::size_t i = 0; i < found.images.size(); ++i)
        if (found.zero[i])
            warnings << "headlight: "
                     << one_line(found.images[i] + ": " + method +
                                 (less ? " is the same before and after."
                                       : " is zero everywhere. Try another method or class."))
                     << '\n';
}

// Computes what is subtracted.
class MapsBefore {
  public:
    MapsBefore(const ClassMapsBefore& before, const std::string& first_image,
               const Audience& audience)
        : before_(before), audience_(audience) {
        SourceOptions first = before.source;
        if (first.image.empty()) first.image = first_image;
        source_ = with_before_attention(
            before.has_attention, [&] { return read_source(first, std::cerr, audience.stop); });
    }

    // Throws UsageError or WorkError for options that do not fit the model.
    [[nodiscard]] ClassMapQuestion question(const ClassMapsOptions& options) const {
        ClassMapsOptions own = options;
        own.of_class.reset();  // the class of the map after
        return question_of(own, *source_.model);
    }
    [[nodiscard]] const Model& model() const { return *source_.model; }

    struct Found {
        ClassMap map;
        std::shared_ptr<const Image> image;
    };
    // For the class of the map after.
    Found like(const ClassMap& after, ClassMapQuestion asked, const std::string& image,
               const std::string& where) {
        source_.image = before_.source.image.empty() ? image : before_.source.image;
        if (after.about && asks_for_class(asked.method)) asked.of_class = after.about->index;
        auto [front, change] = beginning_of(source_);
        const auto picture = front.image;
        ClassMap map = class_map(
            std::move(front), change, asked, audience_.stop,
            [&](const std::string& what) { audience_.progress(where + "before, " + what); });
        if (map.grid.rows != after.grid.rows || map.grid.cols != after.grid.cols)
            throw WorkError(image + ": expected maps of equal size, found one of " +
                            in_words(after.grid) + " patches after, and " + in_words(map.grid) +
                            " before.");
        return {std::move(map), picture};
    }

  private:
    const ClassMapsBefore& before_;
    const Audience& audience_;
    Source source_;
};

constexpr std::string_view kNpz = ".npz", kTensors = ".safetensors", kCsv = ".csv";

void write_npy(const ClassMapsFound& found, const std::string& out) {
    const auto file = begin_npy(out, "<f4", found.shape());
    file->write(std::as_bytes(std::span(found.numbers)));
    std::string names;
    for (const std::string& image : found.images) names += image + '\n';
    if (found.several) write_file(list_beside(out), names);
    file->finish();
}

void write_npz(const ClassMapsFound& found, const Json& made_by, const std::string& out) {
    std::vector<std::int32_t> classes;
    std::vector<double> probabilities;
    for (const auto& about : found.about) {
        classes.push_back(about ? static_cast<std::int32_t>(about->index) : -1);
        probabilities.push_back(about ? about->probability : std::nan(""));
    }
    const std::vector<std::int64_t> count{static_cast<std::int64_t>(found.images.size())};
    const std::string text = printed(made_by);
    write_file(out, zip_text({npz_array<float>("map", found.shape(), found.numbers),
                              npz_texts("image", count, found.images),
                              npz_array<std::int32_t>("class", count, classes),
                              npz_array<double>("probability", count, probabilities),
                              npz_texts("provenance", {}, std::span(&text, 1))}));
}

MatrixView one_map(const ClassMapsFound& found) {
    return {found.numbers.data(), found.grid.rows, found.grid.cols, found.grid.cols};
}

// Metadata values are strings.
void write_tensors(const ClassMapsFound& found, const Json& made_by, const std::string& out) {
    std::map<std::string, std::string> facts;
    for (const auto& [key, value] : made_by.items())
        facts[key] = value.is_string() ? value.get<std::string>()
                                       : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    SafetensorsWriter file(out, SafetensorsWriter::room_for("map", 2), facts);
    file.write({"map", found.shape(), {one_map(found)}});
    file.finish();
}

// Checks the output options before anything is computed.
void expect_output(const std::string& out, const SourceOptions& from,
                   const std::vector<std::string>& images, bool several) {
    const std::string list = several && !out.ends_with(kNpz) ? list_beside(out) : "";
    expect_own_output(out, from);
    for (const std::string& image : images) {
        expect_another_file(out, "--image", image);
        if (!list.empty()) expect_another_file(list, "--image", image);
    }
}

}  // namespace

std::vector<std::string> map_methods() {
    std::vector<std::string> names{"attention"};
    names.insert(names.end(), names_of<MapMethod>().begin(), names_of<MapMethod>().end());
    return names;
}

std::string map_methods_help() {
    std::string text =
        "With --method, the file has one map for the whole model, not normalized. The map belongs "
        "to the class token or, in models that pool their patches, to the mean of the patches. The "
        "gradient is that of the class's logit or, in a model without classes, of the sum of the "
        "pooled output.";
    for (const MapMethodInfo& method : all_map_methods())
        text += "\n  " + std::string(name_of(method.id)) + ": " + std::string(method.help);
    return text;
}

void refuse_without_method(const ClassMapsOptions& options) {
    const auto refuse = [](bool given, const std::string& option) {
        if (given) throw UsageError(option + " can be used only with --method.");
    };
    refuse(options.of_class.has_value(), "--class");
    refuse(options.start_layer.has_value(), "--start-layer");
    refuse(options.discard_ratio.has_value(), "--discard-ratio");
    refuse(options.steps.has_value(), "--steps");
    refuse(options.random_weights.has_value(), "--random-weights");
    refuse(options.json, "--json");
}

ClassMapSets read_class_maps(const SourceOptions& from, const std::string& methods,
                             const ClassMapsOptions& options,
                             const std::optional<ClassMapsBefore>& before,
                             const Audience& audience) {
    const std::vector<MapMethod> chosen =
        or_usage_error([&] { return map_methods_named("--method", methods); });
    SourceOptions after = from;
    after.random_weights = options.random_weights;
    const Source source = read_source(after, std::cerr, audience.stop);
    std::optional<MapsBefore> maps_before;
    if (before) maps_before.emplace(*before, from.image, audience);
    ClassMapSets found;
    if (before) found.before.emplace();
    const bool asks = std::ranges::any_of(chosen, asks_for_class);
    for (const MapMethod method : chosen) {
        ClassMapsOptions one = options;
        one.method = name_of(method);
        if (asks && !asks_for_class(method)) one.of_class.reset();  // the class of the others
        auto [front, change] = beginning_of(source);
        const auto image = front.image;
        const ClassMap map = class_map(
            std::move(front), change, question_of(one, *source.model), audience.stop,
            [&](const std::string& what) { audience.progress(one.method + ", " + what); });
        found.now.add(method, map, image, *source.model);
        if (!maps_before) continue;
        const MapsBefore::Found other =
            maps_before->like(map, maps_before->question(one), from.image, one.method + ", ");
        found.before->add(method, other.map, other.image, maps_before->model());
    }
    return found;
}

void write_class_maps(const SourceOptions& from, const std::vector<std::string>& images,
                      const ClassMapsOptions& options, const std::optional<ClassMapsBefore>& before,
                      const std::string& out, const Audience& audience) {
    const std::vector<std::string> all = all_images(images);
    ClassMapsFound found;
    found.several = images.size() > 1 || is_folder(images.front());
    expect_output(out, from, all, found.several);
    if (before) expect_own_output(out, before->source);
    SourceOptions first = from;
    first.image = all.front();
    first.random_weights = options.random_weights;
    Source source = read_source(first, std::cerr, audience.stop);
    const ClassMapQuestion question = question_of(options, *source.model);
    std::optional<MapsBefore> maps_before;
    ClassMapQuestion question_before;
    if (before) {
        maps_before.emplace(*before, all.front(), audience);
        question_before = maps_before->question(options);
    }
    UnreadImages unread(std::cerr, all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        source.image = all[i];
        const std::string where = found.several ? nth_image(i, all.size()) + ", " : "";
        try {
            std::optional<Beginning> beginning = unread.begin(source);
            if (!beginning) continue;
            auto& [front, change] = *beginning;
            ClassMap map =
                class_map(std::move(front), change, question, audience.stop,
                          [&](const std::string& what) { audience.progress(where + what); });
            if (maps_before)  // after − before
                map.cells -= maps_before->like(map, question_before, all[i], where).map.cells;
            found.add(all[i], map);
        } catch (const AnalysisError& error) {
            throw WorkError(from.model + ": " + error.what());
        }
    }
    audience.progress("");
    say_not_finite(found.numbers, from.model, std::cerr);
    say_zero(found, options.method, before.has_value(), std::cerr);
    unread.expect_some();
    Json made_by = provenance(from, options, question, *source.model, found);
    if (before) {
        made_by["shows"] = "after − before";
        made_by["before"] = json_of(before->source);
        if (!before->source.image.empty()) made_by["before"]["image"] = before->source.image;
    }
    if (!unread.all().empty()) made_by["failed"] = json_of(unread);
    if (out.ends_with(kNpz))
        write_npz(found, made_by, out);
    else if (out.ends_with(kTensors))
        write_tensors(found, made_by, out);
    else if (out.ends_with(kCsv))
        write_file(out, map_text(one_map(found)));
    else
        write_npy(found, out);
    if (options.json) audience.out << printed(made_by) << '\n';
    unread.say();
}

}  // namespace headlight::cli
