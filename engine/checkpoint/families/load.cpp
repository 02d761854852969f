#include "families/load.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <iterator>
#include <string_view>
#include <utility>

#include "families/additions.h"
#include "families/encoders.h"
#include "families/families.h"
#include "families/foreign.h"
#include "families/quantized.h"
#include "families/reparametrized.h"
#include "families/shuffled.h"
#include "files/error.h"
#include "files/open_checkpoint.h"
#include "files/recognize.h"
#include "files/safetensors.h"
#include "files/shards.h"
#include "files/tensor_file.h"
#include "files/tensor_reader.h"
#include "files/wrappers.h"
#include "model/builder.h"
#include "model/decisions.h"
#include "model/size_claims.h"

namespace headlight {

namespace {

constexpr const char* kProcessorConfig = "preprocessor_config.json";
constexpr const char* kAdapterConfig = "adapter_config.json";

std::vector<ModelConfig> configs_beside(const std::string& path, const FileReader& read) {
    std::vector<ModelConfig> configs;
    for (const char* name :
         {"config.json", "open_clip_config.json", kProcessorConfig, kAdapterConfig}) {
        FileBytes content;
        try {
            content = read(beside(path, name)).bytes();
        } catch (const FileMissing&) {
            continue;
        }
        const bool of_adapter = name == std::string_view(kAdapterConfig);
        configs.push_back(of_adapter ? parse_adapter_config(content.bytes(), beside(path, name))
                                     : parse_config(content.bytes(), beside(path, name)));
        configs.back().name = name;
    }
    return configs;
}

// A single size in --config is also the input size.
ModelConfig given_config(ModelConfig given) {
    if (!given.frame) given.frame = given.native_size;
    return given;
}

constexpr const char* kChosen = "your choice";

ModelConfig chosen(const ModelOptions& options) {
    ModelConfig config;
    config.name = kChosen;
    config.family = options.family;
    config.num_heads = options.num_heads;
    config.layer_norm_eps = options.layer_norm_eps;
    config.qk_scale = options.qk_scale;
    config.activation = config.gate = options.activation;
    config.resampling = options.resampling;
    config.norm_first = options.norm_first;
    config.grid = options.layout.grid;
    config.tokens_before = options.layout.before;
    config.sample = options.sample;
    return config;
}

bool says_layout(const ModelConfig& config) { return config.grid || config.tokens_before; }

// The layout of tokens recorded in a file by `headlight trace`. Any other source overrides it
// completely, because parts of two layouts might contradict each other.
std::optional<ModelConfig> layout_in(const std::string& path, const FileReader& read) {
    const File file = read(path);
    const auto beginning = file.part(0, std::min<std::uint64_t>(file.size(), kBytesToRecognize));
    if (recognize(beginning.bytes().bytes()) != FileFormat::safetensors) return {};
    const Metadata metadata = safetensors_content(file, path).metadata;
    const auto grid = metadata.find("grid"), before = metadata.find("tokens_before");
    if (grid == metadata.end() || before == metadata.end()) return {};
    ModelConfig config;
    config.name = "the trace's own metadata";
    config.grid = parse_grid(grid->second);
    const std::string& digits = before->second;
    int number = -1;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (number >= 0) config.tokens_before = number;
    return config;
}

// Half of a layout determines the other, because the number of tokens is known.
GivenLayout completed(GivenLayout layout, Index tokens) {
    if (layout.grid && !layout.before)
        layout.before = static_cast<int>(tokens - Index{layout.grid->rows} * layout.grid->cols);
    return layout;
}

std::string words_of(const GivenLayout& layout) {
    if (layout.grid) return MapLayout{*layout.grid, *layout.before, "", 0}.words();
    return std::to_string(*layout.before) + (*layout.before == 1 ? " token" : " tokens") +
           " before the patches";
}

// A trace records the layout of its tokens. If another layout was requested, it is used, with a
// warning.
void say_other_layout(const ModelConfig& traced, Model& model) {
    const Index tokens = model.maps.front()->view().cols;
    const GivenLayout own = completed({traced.grid, traced.tokens_before}, tokens),
                      said = completed(model.map_layout, tokens);
    const bool contradicts = (said.grid && own.grid && *said.grid != *own.grid) ||
                             (said.before && own.before && *said.before != *own.before);
    if (!contradicts) return;
    model.warnings.push_back(model.file + ": its own metadata says " + words_of(own) + ", but " +
                             model.map_layout_origin + " says " + words_of(said) +
                             ". Headlight uses " + model.map_layout_origin + ".");
}

std::string describe_tensors(const TensorReader& file) {
    const std::vector<std::string> names = file.names();
    if (names.empty()) return "it has no tensors";
    const std::string& first = names.front();
    const std::string count =
        names.size() == 1 ? "one tensor, " : std::to_string(names.size()) + " tensors such as ";
    return "it has " + count + in_quotes(first) + " (" + file.type(first) + " " +
           shape_text(file.shape(first)) + "), which Headlight does not recognize";
}

// known: other models with such names.
[[noreturn]] void refuse_model(const TensorReader& file, const std::optional<std::string>& known) {
    const std::string found =
        known ? "its tensors have the names of " + *known + ", which Headlight does not read"
              : describe_tensors(file);
    throw CheckpointError(file.file_name() + ": " + found +
                          ". Headlight reads vision transformers with the tensor names of " +
                          names_of_models() +
                          ", single attention or transformer layers, and attention maps [N, N] to "
                          "[layers, heads, N, N].");
}

Model read_model(const TensorReader& file, const Decisions& decisions) {
    if (const auto relative = relative_named(file)) refuse_model(file, relative);
    for (auto family = kFamilies.rbegin(); family != kFamilies.rend(); ++family)
        if (std::optional<Model> model = family->read(file, decisions)) return std::move(*model);
    refuse_model(file, stranger_named(file));
}

void say_wrappers(Model& model, const Unwrapped& file) {
    if (file.wrappers.empty()) return;
    std::string names;
    for (const std::string& name : file.wrappers) names += (names.empty() ? "" : ", ") + name;
    model.facts.push_back({"removed from the names", names,
                           "wrappers added by training code, which compute nothing"});
    std::vector<std::string> unused = model.unused_tensors;
    for (std::string& name : unused)
        if (const auto own = file.own_names.find(name); own != file.own_names.end())
            name = own->second;
    set_unused(model, std::move(unused));
}

// Refuses a setting that other families would silently ignore.
void expect_use_of_order(const Model& model, const std::vector<ModelConfig>& configs) {
    for (const ModelConfig& config : configs)
        if (config.norm_first && !model.norms_may_follow)
            Source(model.file)
                .refuse(
                    "norm_first only for torch.nn.TransformerEncoder, whose tensors do not show it",
                    "norm_first for " + model.title);
}

// Refuses a setting of the user for this file that another family would silently ignore.
void expect_use_of_layout(const Model& model, const ModelConfig& chosen) {
    for (const auto& [there, key] : {std::pair{chosen.grid.has_value(), "grid"},
                                     {chosen.tokens_before.has_value(), "tokens_before"},
                                     {chosen.sample.has_value(), "sample"}})
        if (there && !model.is_maps())
            throw CheckpointError(
                model.file + ": " + in_quotes(std::string(key)) +
                " applies only to attention maps, but this file contains another model (" +
                model.title + "). Leave it out.");
}

// Refuses numbers of heads per stage for families without stages.
void expect_use_of_stages(const Model& model, const std::vector<ModelConfig>& configs) {
    if (!model.layers.empty() && model.layers.back().window.exists()) return;
    for (const ModelConfig& config : configs)
        if (config.stage_heads)
            throw CheckpointError(config.name + ": \"num_heads\": expected one whole number for " +
                                  model.title + ", found a list of " +
                                  std::to_string(config.stage_heads->size()) + ".");
}

// Refuses arguments that change a model's computation in ways that its name and tensors do not
// show.
void expect_no_other_arguments(const Model& model, const std::vector<ModelConfig>& configs) {
    for (const ModelConfig& config : configs)
        if (!config.other_arguments.empty())
            throw CheckpointError(
                config.name + ": model arguments: expected none that change what " + model.title +
                " computes, found " + in_quotes(config.other_arguments.front()) +
                ", which Headlight does not read.");
}

// Settings that the model's family does not use: "rope_theta" for a model without rotary positions.
std::vector<std::string> unused_settings(const ModelConfig& config, const Decisions& decisions) {
    std::vector<std::string> unused;
    const auto check = [&](const char* key, auto... fields) {
        const bool is_said = ((config.*fields).has_value() || ...);
        if (is_said && !(decisions.is_asked(fields) || ...)) unused.emplace_back(key);
    };
    check("family", &ModelConfig::family);
    check("num_heads", &ModelConfig::num_heads, &ModelConfig::stage_heads);
    check("layer_norm_eps", &ModelConfig::layer_norm_eps);
    check("qk_scale", &ModelConfig::qk_scale);
    check("activation", &ModelConfig::activation, &ModelConfig::gate);
    check("head_activation", &ModelConfig::head_activation);
    check("resampling", &ModelConfig::resampling);
    check("ref_feat_shape", &ModelConfig::rotary_reference);
    check("rope_theta", &ModelConfig::rotary_base);
    check("mean", &ModelConfig::mean);
    check("std", &ModelConfig::std);
    check("alpha", &ModelConfig::alpha);
    check("image_size", &ModelConfig::native_size, &ModelConfig::frame);
    check("global_pool", &ModelConfig::pooling);
    check("depths", &ModelConfig::depths);
    check("window_size", &ModelConfig::window_sizes);
    check("grid", &ModelConfig::grid);
    check("tokens_before", &ModelConfig::tokens_before);
    check("sample", &ModelConfig::sample);
    return unused;
}

void note_unused(Model& model, const Decisions& decisions) {
    for (const ModelConfig& config : decisions.rising()) {
        if (config.name == kChosen) continue;  // the window keeps choices from model to model
        std::string keys;
        for (const std::string& key : unused_settings(config, decisions)) {
            // timm only uses it for models with rotary positions, so this model is not supported.
            if (key == "ref_feat_shape")
                throw CheckpointError(config.name + ": " + in_quotes(key) + ": " + model.title +
                                      " does not use it. Leave it out.");
            keys += (keys.empty() ? "" : ", ") + key;
        }
        if (keys.empty()) continue;
        // In the user's own file, every setting is intended.
        if (config.is_ours)
            model.facts.push_back({"note", model.title + " does not use " + keys, config.name});
        else
            model.facts.push_back({"settings without effect", keys, config.name});
    }
}

// The inputs of reading a model.
struct Sources {
    const TensorFile& file;
    std::vector<ModelConfig> beside;   // configs next to the file
    std::optional<ModelConfig> given;  // --config
    ModelConfig chosen;
    std::optional<std::string> part;
    std::string dictionary;  // path of the dictionary with the tensors, if the file has several;
                             // otherwise empty
    std::string path;
    std::vector<std::string> changed;  // tensors that an adapter next to the file added or changed
};

// Adds a config, preceded by the defaults of its program.
void add_source(std::vector<ModelConfig>& all, const ModelConfig& config) {
    if (config.usual) {
        ModelConfig usual;
        usual.name =
            config.usual->whose + "'s default, because " + config.name + " does not set it";
        usual.mean = config.usual->mean;
        usual.std = config.usual->std;
        usual.interpolation = config.usual->interpolation;
        usual.crop_fraction = config.usual->crop_fraction;
        usual.pixel_scale = config.pixel_scale;
        usual.pixel_offset = config.pixel_offset;
        all.push_back(std::move(usual));
    }
    all.push_back(config);
}

std::vector<ModelConfig> rising(const Sources& sources) {
    std::vector<ModelConfig> all;
    for (const ModelConfig& config : sources.beside) add_source(all, config);
    if (sources.given) add_source(all, *sources.given);
    all.push_back(sources.chosen);
    return all;
}

// Refuses additions that were not merged. Those outside a requested part may stay and are
// mentioned.
void expect_no_additions(const TensorReader& reader, const TensorFile& file,
                         const EncoderChoice& choice, const Sources& sources,
                         std::vector<std::string>& warnings) {
    const std::string& prefix = choice.prefixes[choice.chosen];
    for (const auto& [tensor, kind] : additions_in(file)) {
        if (reader.is_hidden(tensor)) continue;
        const bool inside = tensor.starts_with(prefix) && !prefix.empty();
        if (sources.part && !inside && !prefix.empty()) {
            warnings.push_back(file.name() + ": " + kind + " (" + in_quotes(tensor) +
                               ") is outside the part that you chose, so Headlight left it out.");
            return;
        }
        Source(file.name())
            .refuse(tensor, "only adapter weights that Headlight can merge",
                    "weights of kind " + kind +
                        (inside || prefix.empty() ? ". Merge them into the model first"
                                                  : ". Merge them into the model first, or open it "
                                                    "without them with --part " +
                                                        choice.names[choice.chosen]));
    }
}

// Refuses an adapter's file without its model.
void expect_model(const TensorFile& file, const std::vector<ModelConfig>& configs) {
    const auto additions = additions_in(file);
    const auto adapter = std::ranges::find_if(
        configs, [](const ModelConfig& config) { return config.lora.is_adapter; });
    const bool is_said = adapter != configs.end();
    const auto is_merged_kind = [](const Addition& addition) {
        return addition.kind != "prompt" && addition.kind != "adapter";
    };
    if (additions.empty() || !(is_said || std::ranges::any_of(additions, is_merged_kind))) return;
    const std::string base =
        is_said && !adapter->lora.base.empty() ? in_quotes(adapter->lora.base) : "another model";
    throw CheckpointError(file.name() + ": expected a model, found only an adapter (" +
                          additions.front().kind + ", " + in_quotes(additions.front().tensor) +
                          "), which changes the weights of " + base +
                          ". Put it into the folder of that model as adapter_model.safetensors, "
                          "together with its adapter_config.json. Then open the model.");
}

// Refuses a choice of encoder that the adapter did not change; its numbers would show no effect.
void expect_adapter_in(const TensorReader& reader, const EncoderChoice& choice,
                       const Sources& sources) {
    const bool is_elsewhere = choice.names.size() > 1 && !sources.changed.empty() &&
                              std::ranges::all_of(sources.changed, [&](const std::string& name) {
                                  return reader.is_hidden(name);
                              });
    if (is_elsewhere)
        Source(sources.file.name())
            .refuse("an adapter_model.safetensors for " + in_quotes(choice.names[choice.chosen]) +
                        ", the part to be opened",
                    "one that changes " + in_quotes(sources.changed.front()) +
                        ". Choose that part with --part");
}

void put_behind_family(Model& model, const std::vector<ModelFact>& facts) {
    model.facts.insert(model.facts.begin() + std::min<std::ptrdiff_t>(1, std::ssize(model.facts)),
                       facts.begin(), facts.end());
}

void warn_of_choice(Model& model, std::size_t count, const std::string& what) {
    model.warnings.push_back(
        model.file + ": it has " + std::to_string(count) + " " + what + ", and Headlight opened " +
        in_quotes(model.encoder) +
        ", the first by name. Choose another with --part; headlight info lists them.");
}

// `dictionary`: as in Sources; its name leads to the encoders inside.
void say_encoders(const EncoderChoice& choice, const std::string& dictionary, Model& model) {
    if (choice.names.size() < 2) return;
    for (const std::string& name : choice.names)
        model.encoders.push_back(dictionary.empty() ? name : dictionary + "." + name);
    model.encoder = model.encoders[choice.chosen];
    std::vector<ModelFact> facts{{"part of the file", model.encoder,
                                  "of " + std::to_string(choice.names.size()) + ": " +
                                      choice.reason + "; set part to change it"}};
    for (const std::string& name : model.encoders)
        if (name != model.encoder) facts.push_back({"other part", name, "--part " + name});
    put_behind_family(model, facts);
    if (choice.is_arbitrary) warn_of_choice(model, choice.names.size(), "encoders");
}

// Records the dictionaries of weights in a PyTorch file, which contain the encoders.
void say_dictionaries(const FileParts& parts, Model& model) {
    const std::size_t count = parts.all.size();
    if (count == 0 || (count == 1 && parts.all[0].name == ".")) return;
    const std::string& chosen = parts.all[parts.chosen].name;
    const std::string of = count > 1 ? "of " + std::to_string(count) + ": " : "";
    const bool has_encoders = !model.encoders.empty();
    std::vector<ModelFact> facts{
        {has_encoders ? "dictionary of the file" : "part of the file", chosen,
         of + parts.reason + (count > 1 ? "; set part to change it" : "")}};
    for (const FileParts::Part& part : parts.all)
        if (part.name != chosen)
            facts.push_back({"other part", part.name, part.look + ": --part " + part.name});
    put_behind_family(model, facts);
    if (count < 2) return;
    if (!has_encoders) model.encoders.push_back(model.encoder = chosen);
    const std::vector<std::string> open = std::exchange(model.encoders, {});
    for (const FileParts::Part& part : parts.all)
        if (part.name == chosen)
            model.encoders.insert(model.encoders.end(), open.begin(), open.end());
        else
            model.encoders.push_back(part.name);
    if (parts.is_arbitrary) warn_of_choice(model, count, "dictionaries of weights");
}

Model read_with(const std::vector<ModelConfig>& configs, const Sources& sources) {
    TensorReader reader(sources.file);
    const EncoderChoice choice = choose_encoder(reader, sources.part);
    show_chosen(reader, choice);
    std::vector<std::string> warnings;
    if (choice.prefixes.empty()) expect_model(sources.file, configs);
    expect_adapter_in(reader, choice, sources);
    if (!choice.prefixes.empty()) {
        expect_not_quantized(reader.at(choice.prefixes[choice.chosen]));
        expect_no_additions(reader, sources.file, choice, sources, warnings);
        expect_plain_weights(reader.at(choice.prefixes[choice.chosen]));
    }
    const Decisions decisions(configs);
    Model model = read_model(reader, decisions);
    expect_use_of_order(model, configs);
    expect_use_of_stages(model, configs);
    expect_use_of_layout(model, sources.chosen);
    expect_no_other_arguments(model, configs);
    note_unused(model, decisions);
    model.warnings.insert(model.warnings.end(), warnings.begin(), warnings.end());
    say_encoders(choice, sources.dictionary, model);
    return model;
}

// A model, and the result of reading it with all configs.
struct Fitting {
    Model model;
    std::exception_ptr trouble;  // the exception when reading with all configs, if any
};

// Sizes come from the tensors, whichever configs are used. So if reading with configs fails, it is
// retried without them.
Fitting read_somehow(const Sources& sources) {
    const bool claims = std::ranges::any_of(rising(sources), [](const auto& config) {
        return !config.sizes.empty() || !config.arguments.empty();
    });
    try {
        return {read_with(rising(sources), sources), nullptr};
    } catch (const CheckpointError&) {
        if (!claims) throw;
        const std::exception_ptr trouble = std::current_exception();
        try {
            return {read_with({sources.chosen}, sources), trouble};
        } catch (const CheckpointError&) {
            std::rethrow_exception(trouble);
        }
    }
}

// A config with only Headlight's key for heads is a choice of the user, not another model's config.
bool only_chooses_heads(const ModelConfig& config) {
    return std::ranges::all_of(config.sizes,
                               [](const SizeClaim& claim) { return claim.key == "num_heads"; });
}

// The difference from the tensors, if any.
std::optional<std::string> contradiction_in(const ModelConfig& config, const Model& model) {
    const auto sizes =
        only_chooses_heads(config) ? std::nullopt : contradiction(config.sizes, model);
    const auto arguments = contradiction(config.arguments, model, sizes.value_or(""));
    if (!sizes || !arguments) return sizes ? sizes : arguments;
    return *sizes + "; " + *arguments;
}

// --config is meant for this model, so it must fit.
void expect_fitting(const ModelConfig& given, const Fitting& read) {
    if (only_chooses_heads(given) && contradiction(given.sizes, read.model) && read.trouble)
        std::rethrow_exception(read.trouble);
    auto text = contradiction_in(given, read.model);
    if (!text) text = contradiction(given.sizes, read.model);
    if (!text) return;
    throw CheckpointError(given.name + ": expected the config of " + read.model.file +
                          ", found that of another model: " + *text + ".");
}

bool is_in_shards(const std::string& path) {
    return path.ends_with(".json") || index_of_shard(path).has_value();
}

// Moves configs of another model out of the sources and records which. Other configs next to such a
// config.json belong to it.
std::vector<ModelFact> leave_aside(Sources& sources, const Model& model,
                                   std::vector<std::string>& warnings) {
    std::vector<ModelFact> facts;
    std::vector<ModelConfig> left;
    for (ModelConfig& config : sources.beside) {
        const auto text = contradiction_in(config, model);
        if (!text && (facts.empty() || config.name != kProcessorConfig)) {
            left.push_back(std::move(config));
            continue;
        }
        if (!text) {
            facts.push_back({"config not used", config.name, "it came with " + facts[0].value});
            continue;
        }
        const bool missing = claims_more_layers(config.sizes, model);
        if (missing && is_in_shards(sources.path))
            Source(sources.path)
                .refuse("as many layers as " + config.name + " says", "fewer: " + *text);
        facts.push_back({"config not used", config.name, *text});
        warnings.push_back(
            model.file + ": " + config.name +
            " describes another model, so Headlight ignored it: " + *text + "." +
            (missing
                 ? " If it does belong to this file, layers are missing: download the file again."
                 : ""));
    }
    sources.beside = std::move(left);
    return facts;
}

// The model with the configs that fit its tensors.
Model read_fitting(Sources& sources) {
    Fitting read = read_somehow(sources);
    if (sources.given) expect_fitting(*sources.given, read);
    std::vector<std::string> warnings;
    const std::vector<ModelFact> facts = leave_aside(sources, read.model, warnings);
    if (facts.empty()) {
        if (read.trouble) std::rethrow_exception(read.trouble);
        return std::move(read.model);
    }
    Model model = read_with(rising(sources), sources);
    model.facts.insert(model.facts.end(), facts.begin(), facts.end());
    model.warnings.insert(model.warnings.end(), warnings.begin(), warnings.end());
    return model;
}

}  // namespace

std::vector<KnownModels> known_models() {
    std::vector<KnownModels> known;
    for (const bool whole : {true, false})
        for (const Family& family : kFamilies) {
            if (family.whole != whole) continue;
            const auto row = std::ranges::find(known, family.whose, &KnownModels::whose);
            if (row == known.end())
                known.push_back({std::string(family.whose), std::string(family.models), whole});
            else
                row->models += ", " + std::string(family.models);
        }
    return known;
}

std::string names_of_models() {
    std::vector<std::string_view> names;
    for (const Family& family : kFamilies)
        for (std::string_view rest = family.whole ? family.whose : ""; !rest.empty();) {
            const std::string_view name = rest.substr(0, rest.find(", "));
            rest.remove_prefix(std::min(name.size() + 2, rest.size()));
            if (std::ranges::count(names, name) == 0) names.push_back(name);
        }
    return alternatives(names);
}

std::shared_ptr<const Model> load_model(const std::string& path, const FileReader& read,
                                        const ModelOptions& options,
                                        const std::optional<ModelConfig>& given,
                                        const StopFlag& stop) {
    std::vector<ModelConfig> beside = configs_beside(path, read);
    std::optional<ModelConfig> above;
    if (given) above = given_config(*given);
    const OpenedCheckpoint opened = open_checkpoint(path, read, options.part, stop);
    Unwrapped unwrapped = without_wrappers(opened.file);
    std::vector<ModelConfig> configs = beside;
    if (above) configs.push_back(*above);
    PlainWeights plain = with_plain_weights(unwrapped.file, stop);
    Merged merged = merge_additions(plain.file, read, Decisions(configs), opened.inside, stop);
    if (options.shuffled) merged.file = with_shuffled_weights(merged.file, *options.shuffled, stop);
    configs.push_back(chosen(options));
    const std::optional<ModelConfig> traced =
        holds_trace(TensorReader(merged.file)) ? layout_in(path, read) : std::nullopt;
    if (traced && std::ranges::none_of(configs, says_layout))
        beside.insert(beside.begin(), *traced);
    const FileParts& parts = opened.parts;
    Sources sources{merged.file,
                    std::move(beside),
                    std::move(above),
                    chosen(options),
                    opened.inside,
                    parts.all.size() > 1 ? parts.all[parts.chosen].name : "",
                    path,
                    merged.changed};
    auto model = std::make_shared<Model>(read_fitting(sources));
    say_dictionaries(parts, *model);
    for (const std::vector<ModelFact>& facts : {plain.facts, merged.facts})
        model->facts.insert(model->facts.end(), facts.begin(), facts.end());
    model->warnings.insert(model->warnings.end(), merged.warnings.begin(), merged.warnings.end());
    if (traced && model->is_maps()) say_other_layout(*traced, *model);
    say_wrappers(*model, unwrapped);
    return model;
}

}  // namespace headlight
