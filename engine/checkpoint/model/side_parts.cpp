#include "model/side_parts.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>

#include "model/buffers.h"
#include "model/name_words.h"

namespace headlight {

namespace {

constexpr auto kOfHeads = std::to_array<std::string_view>(
    {"head",        "heads",         "headers",        "fc",         "classifier",
     "classifiers", "projector",     "projectors",     "projection", "predictor",
     "predictors",  "prototypes",    "logits",         "decoder",    "decode",
     "aux",         "auxiliary",     "probe",          "regressor",  "segmenter",
     "detector",    "discriminator", "classification", "neck",       "fpn",
     "dino",        "ibot"});
constexpr auto kWholeNames = std::to_array<std::string_view>(
    {"last_layer", "final_layer", "output_layer", "out", "output", "final", "cls"});
constexpr auto kOfSelfSupervision =
    std::to_array<std::string_view>({"projector", "projectors", "projection", "predictor",
                                     "predictors", "prototypes", "decoder", "dino", "ibot"});
// Words for the parts of an encoder, from its input on.
constexpr auto kOfEncoders = std::to_array<std::string_view>(
    {"norm",        "norms",      "layernorm",  "ln",       "bn",        "rms",        "embed",
     "embeds",      "embedding",  "embeddings", "embedder", "emb",       "pos",        "position",
     "positions",   "positional", "token",      "tokens",   "tokenizer", "patch",      "patches",
     "block",       "blocks",     "layer",      "layers",   "stage",     "stages",     "encoder",
     "transformer", "trunk",      "backbone",   "attn",     "attention", "rope",       "rotary",
     "rel",         "relative",   "bias",       "gate",     "gates",     "gating",     "scale",
     "gamma",       "ls",         "prompt",     "prompts",  "vpt",       "adapter",    "adapters",
     "lora",        "ssf",        "stem",       "conv",     "input",     "in",         "pre",
     "register",    "registers",  "memory",     "side",     "film",      "modulation", "condition",
     "time",        "temporal",   "mixer",      "router",   "expert",    "experts",    "pool",
     "pooler",      "cls"});
// Words for modules unrelated to the encoder: another tower, its text, training.
constexpr auto kOfOthers = std::to_array<std::string_view>(
    {"text", "txt", "language", "lm", "llm", "audio", "optimizer", "scheduler", "resblocks"});

bool any_of(const std::vector<std::string>& words, std::span<const std::string_view> of) {
    return std::ranges::any_of(words, [&](const auto& word) { return is_any(word, of); });
}

// The long word would give clang-format one column for the table.
bool is_of_encoder(const std::vector<std::string>& words) {
    return any_of(words, kOfEncoders) ||
           std::ranges::find(words, "parametrizations") != words.end();
}

std::string last_component(const std::string& root) {
    return root.substr(root.find_last_of('.') + 1);
}

// "net." and "fc1" for "net.fc1.weight" and a model "net.vit."; nothing for a single parameter.
std::string root_of(const std::string& name, const std::string& prefix) {
    for (const std::string& level : enclosing_prefixes(prefix)) {
        if (!name.starts_with(level)) continue;
        const std::size_t dot = name.find('.', level.size());
        return dot == std::string::npos ? "" : name.substr(0, dot);
    }
    return "";
}

// Numbers of outputs and inputs of a weight, also of a convolution.
struct Extents {
    Index outputs = 0, inputs = 0;
};
std::vector<Extents> matrices_of(const TensorReader& file, const SidePart& part) {
    std::vector<Extents> matrices;
    for (const std::string& name : part.names)
        if (const TensorShape& shape = file.shape(name); shape.size() >= 2)
            matrices.push_back({static_cast<Index>(shape[0]), static_cast<Index>(shape[1])});
    return matrices;
}

// An embedding table has the shape of a linear layer, but no bias.
bool reads_tokens_only(const TensorReader& file, const SidePart& part, Index width) {
    const auto is_read = [&](const std::string& name) {
        constexpr std::string_view kWeight = "weight";
        if (!name.ends_with("." + std::string(kWeight))) return false;
        const TensorShape& shape = file.shape(name);
        const std::string bias = name.substr(0, name.size() - kWeight.size()) + "bias";
        return shape.size() == 2 && shape[1] == width && file.has_shape(bias, {shape[0]});
    };
    const std::vector<Extents> matrices = matrices_of(file, part);
    return std::ranges::any_of(part.names, is_read) &&
           std::ranges::none_of(matrices, [&](const auto& m) { return m.outputs == width; });
}

bool is_side_part(const TensorReader& file, const SidePart& part, Index width) {
    const std::string name = last_component(part.root);
    const std::vector<std::string> words = words_of(name);
    if (words.empty() || any_of(words, kOfOthers)) return false;
    if (is_any(name, kWholeNames)) return true;
    if (is_any(words.back(), kOfHeads)) return true;
    if (is_of_encoder(words)) return false;
    return any_of(words, kOfHeads) || reads_tokens_only(file, part, width);
}

}  // namespace

bool names_encoder_part(const std::string& component) {
    const std::vector<std::string> words = words_of(component);
    return is_of_encoder(words) && !is_any(words.back(), kOfHeads);
}

std::vector<SidePart> side_parts(const TensorReader& at, const std::vector<std::string>& names,
                                 Index width) {
    const TensorReader file = at.from_root();
    std::map<std::string, std::vector<std::string>> modules;
    for (const std::string& name : names) {
        if (at.is_hidden(name)) continue;
        const std::string root = root_of(name, at.prefix());
        if (!root.empty() && !at.prefix().starts_with(root + ".")) modules[root].push_back(name);
    }
    const std::vector<std::string> unused = at.unused();
    const auto is_read = [&](const std::string& root) {  // partly read: belongs to the encoder
        const std::string begin = root + ".";
        return std::ranges::count_if(unused, [&](const auto& name) {
                   return name.starts_with(begin);
               }) != std::ssize(file.at(begin).names());
    };
    std::vector<SidePart> parts;
    for (auto& [root, members] : modules) {
        SidePart part{root, std::move(members)};
        if (!is_read(root) && is_side_part(file, part, width)) parts.push_back(std::move(part));
    }
    return parts;
}

bool is_of_self_supervision(const SidePart& part) {
    // DINO's last layer stores its weight in parts.
    return any_of(words_of(last_component(part.root)), kOfSelfSupervision) ||
           std::ranges::any_of(part.names,
                               [](const auto& name) { return name.ends_with(".weight_g"); });
}

bool may_be_chained(const TensorReader& file, const SidePart& part, Index inputs, Index outputs) {
    const std::vector<Extents> matrices = matrices_of(file, part);
    // Norms and scales alone fit any rows of their width.
    if (matrices.empty()) return true;
    // A layer whose output no other layer takes gives the part's output; likewise for its input.
    bool gives = false, reads = false, fits = false;
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        bool is_read = false, is_given = false;
        for (std::size_t j = 0; j < matrices.size(); ++j) {
            is_read = is_read || (j != i && matrices[j].inputs == matrices[i].outputs);
            is_given = is_given || (j != i && matrices[j].outputs == matrices[i].inputs);
        }
        gives = gives || !is_read;
        reads = reads || !is_given;
        fits = fits || (!is_read && matrices[i].outputs == inputs) ||
               (!is_given && matrices[i].inputs == outputs);
    }
    return !gives || !reads || fits;
}

std::string text_of(const std::vector<SidePart>& parts) {
    constexpr std::size_t kMost = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMost, parts.size()); ++i)
        text += (i == 0 ? "" : ", ") + parts[i].root + " (" +
                std::to_string(parts[i].names.size()) +
                (parts[i].names.size() == 1 ? " tensor)" : " tensors)");
    if (parts.size() > kMost) text += " and " + std::to_string(parts.size() - kMost) + " more";
    return text;
}

}  // namespace headlight
