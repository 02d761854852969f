#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "files/error.h"
#include "model/builder.h"
#include "model/imagenet.h"

// What is said about a model once its tensors are taken: facts, preprocessing, parts, left-overs.
namespace headlight {

namespace {

const std::string kTensorNames = "tensor names", kShapes = "tensor shapes";

std::string text(const std::array<float, 3>& numbers) {
    return text_of(numbers[0]) + ", " + text_of(numbers[1]) + ", " + text_of(numbers[2]);
}

std::string by(int rows, int cols) { return std::to_string(rows) + " × " + std::to_string(cols); }

std::string interpolation_name(Interpolation interpolation) {
    switch (interpolation) {
        case Interpolation::bilinear:
            return "bilinear";
        case Interpolation::bicubic:
            return "bicubic";
        case Interpolation::lanczos:
            return "Lanczos";
        case Interpolation::nearest:
            return "nearest";
    }
    return "?";
}

std::string framing_text(const Preprocessing& image) {
    std::string how(words_of(image.framing));
    if (image.limit) how = "all of the picture, nearly in its own aspect";
    if (image.framing == Framing::crop && image.resize)
        how += " after the shorter side is resized to " + std::to_string(*image.resize);
    return how + ", " + interpolation_name(image.interpolation);
}

std::string pooling_text(Pooling pooling) {
    switch (pooling) {
        case Pooling::class_token:
            return "class token";
        case Pooling::class_and_distillation:
            return "class and distillation token, both heads' mean";
        case Pooling::class_and_patches:
            return "class token and mean of the patches, side by side";
        case Pooling::patches:
            return "mean of the patches";
        case Pooling::attention:
            return "attention of a learned query, and an MLP";
        case Pooling::none:
            return "none";
    }
    return "?";
}

std::int64_t count(const SharedResult& result) {
    return result ? result->view().rows * result->view().cols : 0;
}
std::int64_t count(const Linear& linear) { return count(linear.weight) + count(linear.bias); }
std::int64_t count(const Norm& norm) { return count(norm.gamma) + count(norm.beta); }

std::int64_t count(const AttentionPool& pool) {
    return count(pool.probe) + count(pool.query) + count(pool.key_value) + count(pool.projection) +
           count(pool.norm) + count(pool.mlp_in) + count(pool.mlp_out);
}

// Where keys and values read tokens of their own, zeros stand where neither reads the other's.
std::int64_t count_key_value(const Layer& layer) {
    const AttentionConfig& config = layer.attention;
    const std::int64_t all = count(layer.key_value);
    if (!config.key_token_dim) return all;
    const std::int64_t of_key = *config.key_token_dim,
                       of_value = config.value_token_width() - of_key;
    return all - config.channels * of_value - config.value_width() * of_key;
}

// Adds up the parts of layers [first, last), which share a name.
void add_layers(const Model& model, std::size_t first, std::size_t last, const std::string& name,
                std::vector<ModelPart>& parts, const std::string& of_stage = "") {
    std::int64_t norms = 0, attention = 0, scales = 0, mlp = 0;
    for (std::size_t l = first; l < last; ++l) {
        const Layer& layer = model.layers[l];
        norms += count(layer.norm1) + count(layer.norm2);
        attention += count(layer.qkv) + count_key_value(layer) + count(layer.features) +
                     count(layer.score.weight) + count(layer.score.vector) +
                     count(layer.query_norm) + count(layer.key_norm) +
                     count(layer.relative_bias.table) + count(layer.concat_norm) +
                     count(layer.projection);
        scales += count(layer.ls1) + count(layer.ls2);
        mlp += count(layer.mlp_in) + count(layer.mlp_norm) + count(layer.mlp_out);
    }
    const std::size_t count_of_layers = last - first;
    const std::string whose = std::to_string(count_of_layers) + " " + name +
                              (count_of_layers == 1 ? "" : "s") + of_stage + ": ";
    parts.push_back({whose + "norms", norms});
    parts.push_back({whose + "attention", attention});
    parts.push_back({whose + "LayerScale", scales});
    parts.push_back({whose + "MLP", mlp});
}

// Stage by stage, with the merging that leads into it.
void add_stages(const Model& model, std::vector<ModelPart>& parts) {
    int number = 1;
    for (const auto& [first, end] : model.stages()) {
        const std::string stage = "stage " + std::to_string(number++);
        const auto begin = static_cast<std::size_t>(first);
        const Merge& merge = model.layers[begin].merge;
        parts.push_back({"merging into " + stage, count(merge.norm) + count(merge.reduction)});
        add_layers(model, begin, static_cast<std::size_t>(end), "layer", parts, " of " + stage);
    }
}

// "text_model.encoder" of "text_model.encoder.layers.0.mlp.fc1.weight".
std::string first_parts(const std::string& name, int parts) {
    std::size_t end = 0;
    for (int part = 0; part < parts; ++part) {
        const std::size_t next = name.find_first_of("./", end == 0 ? 0 : end + 1);
        if (next == std::string::npos) break;
        end = next;
    }
    return end == 0 ? name : name.substr(0, end);
}

std::vector<std::string> grouped_by(const std::vector<std::string>& names, int parts) {
    constexpr std::size_t kFew = 4;
    std::map<std::string, std::vector<std::string>> groups;
    for (const std::string& name : names) groups[first_parts(name, parts)].push_back(name);
    std::vector<std::string> lines;
    for (const auto& [group, members] : groups)
        if (members.size() <= kFew)
            lines.insert(lines.end(), members.begin(), members.end());
        else
            lines.push_back(group + ".*: " + std::to_string(members.size()) + " tensors");
    return lines;
}

// "head.*" means all that begins with "head.".
bool means(std::string_view pattern, std::string_view name) {
    if (!pattern.ends_with('*')) return name == pattern;
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

// All layers of a model have the same tensors, but for those that follow from others. Otherwise a
// lost bias would pass for none.
void expect_alike(const std::vector<TensorReader>& layers,
                  const std::vector<std::string>& unneeded) {
    const auto expect_all = [&](const TensorReader& layer, const std::vector<std::string>& expected,
                                const TensorReader& other) {
        for (const std::string& name : expected)
            if (!layer.has(name) && std::ranges::find(unneeded, name) == unneeded.end())
                layer.refuse(name, "one, as in " + in_quotes(other.prefix()), "none");
    };
    for (const TensorReader& layer : layers) {
        expect_all(layer, layers[0].names(), layers[0]);
        expect_all(layers[0], layer.names(), layer);
    }
}

}  // namespace

std::string text_of(float number) {
    std::array<char, 32> buffer{};
    (void)std::snprintf(buffer.data(), buffer.size(), "%g", static_cast<double>(number));
    return buffer.data();
}

namespace {

std::vector<std::string> grouped_names(const std::vector<std::string>& names) {
    constexpr std::size_t kMostLines = 100;
    std::vector<std::string> lines = grouped_by(names, 2);
    if (lines.size() > kMostLines) lines = grouped_by(names, 1);
    if (lines.size() > kMostLines) {
        const std::size_t more = lines.size() - kMostLines;
        lines.resize(kMostLines);
        lines.push_back("and " + std::to_string(more) + " more");
    }
    return lines;
}

}  // namespace

void set_unused(Model& model, std::vector<std::string> names) {
    model.unused = grouped_names(names);
    model.unused_tensors = std::move(names);
}

namespace {

// Some outputs of a product.
Linear outputs_of(const Linear& whole, Index first, Index count) {
    const MatrixView weight = whole.weight->view();
    Linear part;
    part.weight = make_result(weight.block(first, 0, count, weight.cols), whole.weight);
    if (whole.bias)
        part.bias = make_result(whole.bias->view().block(0, first, 1, count), whole.bias);
    return part;
}

}  // namespace

void split_projection(Layer& layer) {
    layer.of_queries = layer.qkv;
    layer.of_keys_values = layer.key_value;
    if (layer.key_value.exists()) return;
    const Index c = layer.attention.channels, all = layer.qkv.weight->view().rows;
    layer.of_queries = outputs_of(layer.qkv, 0, c);
    layer.of_keys_values = outputs_of(layer.qkv, c, all - c);
}

void name_layer(Layer& layer, int b) {
    layer.name = "Layer " + std::to_string(b + 1);
    layer.file_name = "layer." + std::to_string(b);
}

std::vector<ModelPart> parts_of(const Model& model) {
    std::vector<ModelPart> parts;
    parts.push_back({"patch embedding", count(model.embedding)});
    parts.push_back({"tokens before the patches", count(model.prefix.class_token) +
                                                      count(model.prefix.distillation_token) +
                                                      count(model.prefix.registers)});
    parts.push_back({"positions", count(model.positions.table)});
    parts.push_back({"norm before the layers", count(model.pre_norm)});
    const auto transformers =
        std::min<std::size_t>(model.layers.size(), std::max(0, model.token_transformers()));
    add_layers(model, 0, transformers, "token transformer", parts);
    if (!model.layers.empty() && model.layers.back().window.exists())
        add_stages(model, parts);
    else
        add_layers(model, transformers, model.layers.size(), "layer", parts);
    parts.push_back({"norm after the layers", count(model.norm) + count(model.pooled_norm)});
    parts.push_back({"attention pooling", count(model.attention_pool)});
    parts.push_back({"pooler", count(model.pooler)});
    parts.push_back({model.gives_embedding ? "projection" : "head", count(model.classifier)});
    parts.push_back({"pointing", count(model.pointing)});
    std::erase_if(parts, [](const ModelPart& part) { return part.parameters == 0; });
    return parts;
}

// The frame is what a source says, or else what the positions were learned for: those that are
// added say it themselves.
void ModelBuilder::decide_image() {
    Preprocessing& image = model.preprocessing;
    const int side = patch_pixels();
    image.height = model.positions.grid_rows * side;
    image.width = model.positions.grid_cols * side;
    std::string origin = "the grid of the positions; set image_size to change it";
    if (const auto native = decisions_.find(&ModelConfig::native_size);
        native && image.height == 0) {
        image.height = native->value.height;
        image.width = native->value.width;
        origin = origin_of(native->origin, "image_size");
    }
    if (const auto frame = decisions_.find(&ModelConfig::frame)) {
        image.height = frame->value.height;
        image.width = frame->value.width;
        origin = origin_of(frame->origin, "image_size");
        const int most = most_across * side;
        if (frame->origin == convention_ && most > 0 &&
            std::max(image.height, image.width) > most) {
            image.height = image.width = most;
            origin = "no more than " + std::to_string(most_across * most_across) +
                     " patches, so that attention over them can be seen; set image_size to "
                     "change it";
        }
    }
    if (any_aspect && !decisions_.find(&ModelConfig::frame)) {
        const auto most = decisions_.find(&ModelConfig::most_patches);
        image.limit = PatchLimit{side, most->value};
        const Preprocessing square = framed_for(1024, 1024, image);
        image.height = square.height;
        image.width = square.width;
        origin = most->origin + "; set image_size for a size of its own";
    }
    image.eight_bit = true;
    image.framing = decisions_.find(&ModelConfig::framing)->value;
    const auto interpolation = decisions_.find(&ModelConfig::interpolation);
    image.interpolation = interpolation->value;
    const auto fraction = decisions_.find(&ModelConfig::crop_fraction);
    // A little more than the quotient, so that 224 / 0.875 is 256 in any arithmetic.
    if (fraction && image.framing == Framing::crop && image.height == image.width)
        image.resize = static_cast<int>(
            std::floor(static_cast<float>(image.height) / fraction->value + 1e-3F));
    const auto mean = decisions_.find(&ModelConfig::mean), std = decisions_.find(&ModelConfig::std);
    image.mean = mean->value;
    image.std = std->value;
    say("image",
        image.limit ? "no more than " + std::to_string(image.limit->most) + " patches"
                    : by(image.height, image.width),
        origin);
    say("framing", framing_text(image), interpolation->origin);
    say("mean", text(image.mean), origin_of(mean->origin, "mean"));
    say("standard deviation", text(image.std), origin_of(std->origin, "std"));
    if (const auto alpha = decisions_.find(&ModelConfig::alpha)) {
        image.alpha = alpha->value;
        say("alpha", std::string(name_of(image.alpha)), alpha->origin);
    }
}

void ModelBuilder::decide_class_names() {
    if (model.gives_embedding) return;
    const auto classes = static_cast<std::size_t>(model.classifier.weight->view().rows);
    const auto& sources = decisions_.rising();
    for (auto source = sources.rbegin(); source != sources.rend(); ++source) {
        if (source->class_names.empty()) continue;
        if (source->class_names.size() != classes) {
            say("class names left aside", std::to_string(source->class_names.size()) + " names",
                source->name);
            continue;
        }
        model.class_names = source->class_names;
        return say("class names", model.class_names[0] + ", ...", source->name);
    }
    if (classes == imagenet_names().size()) {
        model.class_names = imagenet_names();
        say("class names", "ImageNet-1k", "1000 classes");
    } else {
        say("class names", "unknown", "no config.json has id2label for this head");
    }
}

void ModelBuilder::say_sizes() {
    const Layer& layer = model.layers.back();
    const int width = layer.attention.channels;
    const auto layers = static_cast<int>(model.layers.size()) - model.token_transformers();
    say("layers", std::to_string(layers), kTensorNames);
    say("width", std::to_string(width), kShapes);
    say("heads", std::to_string(heads_) + ", each " + std::to_string(width / heads_) + " wide",
        heads_origin_);
    say("MLP width", std::to_string(layer.mlp_out.weight->view().cols), kShapes);
    say("scale of Q·Kᵀ", text_of(layer.attention.effective_scale()), scale_origin());
}

std::string ModelBuilder::scale_origin() const {
    const auto scale = decisions_.find(&ModelConfig::qk_scale);
    return scale ? scale->origin : "head width^-0.5; set qk_scale to change it";
}

void ModelBuilder::say_encoder() {
    const Layer& layer = model.layers.back();
    if (layer.window.exists())
        say_stages();
    else
        say_sizes();
    const auto eps = decisions_.find(&ModelConfig::layer_norm_eps);
    say("norm epsilon", text_of(eps->value), origin_of(eps->origin, "layer_norm_eps"));
    const auto activation = decisions_.find(&ModelConfig::activation);
    const bool gated = layer.activation == Activation::swiglu;
    say("activation", std::string(name_of(layer.activation)),
        gated ? kShapes : origin_of(activation->origin, "activation"));
    if (layer.query_norm.exists()) say("norms of query and key", "yes", kTensorNames);
    if (layer.relative_bias.exists() && !layer.window.exists())
        say("relative position bias",
            "for " + by(layer.relative_bias.grid_rows, layer.relative_bias.grid_cols) + " patches",
            kShapes);
    if (layer.concat_norm.exists()) say("norm before the projection", "yes", kTensorNames);
    if (layer.mlp_norm.exists()) say("norm within the MLP", "yes", kTensorNames);
    if (layer.ls1) say("LayerScale", "yes", kTensorNames);
    if (model.pre_norm.exists()) say("norm before the layers", "yes", kTensorNames);
}

void ModelBuilder::say_tokens() {
    const PrefixTokens& prefix = model.prefix;
    if (model.splits.empty()) say("patch", by(model.patch_size, model.patch_size), kShapes);
    say("class token", prefix.class_token ? "yes" : "no", kTensorNames);
    if (prefix.distillation_token) say("distillation token", "yes", kTensorNames);
    if (prefix.registers) say("registers", std::to_string(prefix.registers->view().rows), kShapes);
    const PositionTable& positions = model.positions;
    if (!positions.table) return say("positions added to the tokens", "none", kTensorNames);
    const std::string covered = positions.cover == PositionCover::patches ? "the patches alone"
                                : prefix.count() == 0                     ? "all patches"
                                : positions.cover == PositionCover::without_registers
                                    ? "all tokens but the registers"
                                    : "all tokens";
    say("positions",
        "for " + by(positions.grid_rows, positions.grid_cols) + " patches, added to " + covered,
        kShapes);
    const auto resampling = decisions_.find(&ModelConfig::resampling);
    say("positions of other grids", std::string(name_of(positions.resampling)),
        origin_of(resampling->origin, "resampling"));
}

void ModelBuilder::decide_classes() {
    if (!model.classifier.exists()) {
        if (model.attention_pool.exists())
            say("pooling", pooling_text(model.pooling), pooling_origin);
        return say("head", "none", kTensorNames);
    }
    const auto rows = std::to_string(model.classifier.weight->view().rows);
    if (model.gives_embedding)
        say("embedding", rows + " wide", kShapes);
    else
        say("classes", rows, kShapes);
    say("pooling", pooling_text(model.pooling), pooling_origin);
    decide_class_names();
}

bool ModelBuilder::is_unneeded(const std::string& name,
                               const std::vector<std::string_view>& unneeded) const {
    return std::ranges::any_of(unneeded, [&](auto pattern) { return means(pattern, name); }) ||
           std::ranges::any_of(unneeded_of_layers_, [&](const std::string& ending) {
               return name.ends_with("." + ending);
           });
}

void ModelBuilder::expect_nothing_else(const std::vector<std::string_view>& unneeded) {
    std::vector<std::string> unused = at.unused();
    for (const std::string& name : unused) {
        // Belongs to something beside the model.
        if (!name.starts_with(at.prefix()) || at.is_hidden(name)) continue;
        const std::string own = name.substr(at.prefix().size());
        if (!is_unneeded(own, unneeded))
            at.refuse(own, "a model without it",
                      "one that may compute with it, as Headlight does not");
    }
    set_unused(model, std::move(unused));
}

Model ModelBuilder::finish(const std::vector<std::string_view>& unneeded) {
    say_encoder();
    say_tokens();
    decide_classes();
    decide_image();
    for (const ModelConfig& source : decisions_.rising())
        for (const std::string& remark : source.remarks) say("note", remark, source.name);
    expect_nothing_else(unneeded);
    expect_alike(layer_readers_, unneeded_of_layers_);
    model.parts = parts_of(model);
    return std::move(model);
}

}  // namespace headlight
