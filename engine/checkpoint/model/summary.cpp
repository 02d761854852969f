#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "files/error.h"
#include "kernels/counted.h"
#include "model/buffers.h"
#include "model/builder.h"
#include "model/imagenet.h"
#include "model/side_parts.h"
#include "patches/patches.h"

// What is recorded about a model after reading its tensors: facts, preprocessing, parts, unused
// tensors.
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
        case Interpolation::box:
            return "box";
        case Interpolation::hamming:
            return "Hamming";
    }
    return "?";
}

std::string resize_text(const Preprocessing& image) {
    const auto [height, width] = *image.resize;
    switch (image.framing) {
        case Framing::stretch:
            return "the picture is stretched to " + by(height, width);
        case Framing::fit:
            return "the whole picture is fitted into " + by(height, width);
        case Framing::crop:
            break;
    }
    return height == width ? "the shorter side is resized to " + std::to_string(height)
                           : "the picture is resized to cover " + by(height, width);
}

std::string pooling_text(Pooling pooling) {
    switch (pooling) {
        case Pooling::class_token:
            return "class token";
        case Pooling::class_and_distillation:
            return "class and distillation token, mean of both heads";
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

// If keys and values come from separate parts of the tokens, the zeros in the combined weight are
// no parameters.
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

// Adds the parts by stage, with the merging before it.
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

// "text_model.encoder" for "text_model.encoder.layers.0.mlp.fc1.weight".
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

// "head.*" matches everything that begins with "head.".
bool means(std::string_view pattern, std::string_view name) {
    if (!pattern.ends_with('*')) return name == pattern;
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

// All layers of a model have the same tensors, except those that follow from others. Without this
// check, a missing bias would count as none.
void expect_alike(const std::vector<TensorReader>& layers,
                  const std::vector<std::string>& unneeded) {
    const auto expect_all = [&](const TensorReader& layer, const std::vector<std::string>& expected,
                                const TensorReader& other) {
        for (const std::string& name : expected)
            if (!layer.has(name) && std::ranges::find(unneeded, name) == unneeded.end() &&
                !is_harmless_buffer(other, name))
                layer.refuse(name, "one, as in " + in_quotes(other.prefix()), "none");
    };
    for (const TensorReader& layer : layers) {
        expect_all(layer, layers[0].names(), layers[0]);
        expect_all(layers[0], layer.names(), layer);
    }
}

}  // namespace

std::string framing_text(const Preprocessing& image) {
    std::string how(words_of(image.framing));
    if (image.limit) how = "the whole picture, at nearly its own aspect ratio";
    if (image.keeps_size) return "cut from the center, without resizing";
    if (image.resize) how = "cut from the center after " + resize_text(image);
    return how + ", " + interpolation_name(image.interpolation);
}

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

// Some output rows of a linear layer.
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
    parts.push_back({model.pooler_curve == HeadCurve::tanh ? "pooler" : "hidden layer of the head",
                     count(model.pooler)});
    parts.push_back({model.gives_embedding ? "projection" : "head", count(model.classifier)});
    parts.push_back(
        {"pointing", count(model.pointing) + count(model.twin.query) + count(model.twin.key)});
    parts.push_back({"objects", count(model.objects)});
    std::erase_if(parts, [](const ModelPart& part) { return part.parameters == 0; });
    return parts;
}

// Sizes that the user requested must give whole patches, unless it is the model's own size.
void ModelBuilder::expect_whole_patches(const Decided<PixelSize>& frame) const {
    const auto [height, width] = frame.value;
    const int patch = model.patch_size;
    if (model.is_bare_layer() || patch < 1 || (height % patch == 0 && width % patch == 0)) return;
    for (const ModelConfig& source : decisions_.rising()) {
        const bool is_own = source.native_size == frame.value || source.frame == frame.value;
        if (!source.is_ours && is_own) return;
    }
    throw CheckpointError(frame.origin +
                          ": \"image_size\": " + whole_patches_text(height, width, patch) + ".");
}

bool ModelBuilder::is_given(const std::string& origin) const {
    return std::ranges::any_of(decisions_.rising(), [&](const ModelConfig& source) {
        return source.is_ours && source.name == origin;
    });
}

// Sets the input size from a source, or else from the size that the positions were learned for, and
// records the origin. Learned positions record it themselves.
std::string ModelBuilder::decide_frame() {
    Preprocessing& image = model.preprocessing;
    const int side = patch_pixels();
    image.height = model.positions.grid_rows * side;
    image.width = model.positions.grid_cols * side;
    std::string origin = "the grid of the positions; set image_size to change it";
    const auto take = [&](const Decided<PixelSize>& size) {
        image.height = size.value.height;
        image.width = size.value.width;
        origin = origin_of(size.origin, "image_size");
    };
    if (const auto native = decisions_.find(&ModelConfig::native_size); native && image.height == 0)
        take(*native);
    const auto frame = decisions_.find(&ModelConfig::frame);
    if (frame) {
        take(*frame);
        if (is_given(frame->origin)) expect_whole_patches(*frame);
        const int most = most_across * side;
        if (frame->origin == convention_ && most > 0 &&
            std::max(image.height, image.width) > most) {
            image.height = image.width = most;
            origin =
                "no more than " + std::to_string(most_across * most_across) +
                " patches, so that their attention stays readable; set image_size to change it";
        }
    }
    if (any_aspect && !frame) {
        const auto most = decisions_.find(&ModelConfig::most_patches);
        image.limit = PatchLimit{side, most->value};
        const Preprocessing square = framed_for(1024, 1024, image);
        image.height = square.height;
        image.width = square.width;
        origin = most->origin + "; set image_size to choose one size";
    }
    return origin;
}

// Sets the resized size: a source's value for its own input size, or else the input size divided by
// the fraction.
void ModelBuilder::decide_resize() {
    Preprocessing& image = model.preprocessing;
    image.keeps_size = said_or(&ModelConfig::keeps_size, false);
    image.cuts_smaller_half_first = said_or(&ModelConfig::cuts_smaller_half_first, false);
    const auto fraction = decisions_.find(&ModelConfig::crop_fraction);
    if (!fraction || image.keeps_size || image.limit) return;
    const auto frame = decisions_.find(&ModelConfig::frame);
    const auto resize = decisions_.find(&ModelConfig::resize);
    const bool keeps_all =
        fraction->value == 1 && (!resize || !frame || resize->value == frame->value);
    if (image.framing == Framing::stretch && keeps_all) return;
    image.crop_fraction = fraction->value;
    image.resize = resized_for(image.height, image.width, fraction->value);
    for (const ModelConfig& source : decisions_.rising())
        if (resize && source.name == resize->origin && frame && source.frame == frame->value)
            image.resize = ResizeTo{resize->value.height, resize->value.width};
}

// Mean and std refer to the source's pixels, which are Headlight's multiplied by a scale, plus an
// offset.
void ModelBuilder::decide_mean() {
    Preprocessing& image = model.preprocessing;
    const auto mean = decisions_.find(&ModelConfig::mean), std = decisions_.find(&ModelConfig::std);
    const auto scale = decisions_.find(&ModelConfig::pixel_scale);
    const auto offset = decisions_.find(&ModelConfig::pixel_offset);
    const bool is_scaled = scale || offset;
    const double times = scale ? scale->value : 1, plus = offset ? offset->value : 0;
    const auto in_its_pixels = [&](const std::string& origin) {
        return is_scaled &&
               (origin == convention_ ||
                std::ranges::any_of(decisions_.rising(), [&](const ModelConfig& source) {
                    return source.name == origin && (source.pixel_scale || source.pixel_offset);
                }));
    };
    image.mean = mean->value;
    image.std = std->value;
    if (in_its_pixels(mean->origin))
        for (float& value : image.mean) value = static_cast<float>((value - plus) / times);
    if (in_its_pixels(std->origin))
        for (float& value : image.std) value = static_cast<float>(value / times);
    if (is_scaled)
        say("pixels",
            text_of(static_cast<float>(plus)) + " to " + text_of(static_cast<float>(times + plus)) +
                "; the mean and standard deviation listed here are for 0 to 1",
            scale ? scale->origin : offset->origin);
    say("mean", text(image.mean), origin_of(mean->origin, "mean"));
    say("standard deviation", text(image.std), origin_of(std->origin, "std"));
}

// The sources of the crop fraction or framing, and of the interpolation; named once if they are the
// same.
std::string ModelBuilder::framing_origin() const {
    const std::string framing = decisions_.find(&ModelConfig::framing)->origin;
    const std::string kernel = decisions_.find(&ModelConfig::interpolation)->origin;
    const auto fraction = decisions_.find(&ModelConfig::crop_fraction);
    const bool is_cut = model.preprocessing.resize && fraction;
    const std::string& part = is_cut ? fraction->origin : framing;
    return part == kernel ? part : part + "; interpolation: " + kernel;
}

void ModelBuilder::decide_image() {
    Preprocessing& image = model.preprocessing;
    const std::string origin = decide_frame();
    image.eight_bit = true;
    image.framing = decisions_.find(&ModelConfig::framing)->value;
    const auto interpolation = decisions_.find(&ModelConfig::interpolation);
    image.interpolation = interpolation->value;
    decide_resize();
    say("image",
        image.limit ? "no more than " + std::to_string(image.limit->most) + " patches"
                    : by(image.height, image.width),
        origin);
    say("framing", framing_text(image), framing_origin());
    decide_mean();
    if (const auto alpha = decisions_.find(&ModelConfig::alpha)) {
        image.alpha = alpha->value;
        say("alpha", std::string(name_of(image.alpha)), alpha->origin);
    }
    if (const auto fill = decisions_.find(&ModelConfig::fill)) image.fill = fill->value;
    // timm rounds the mean to an 8-bit color.
    if (said_or(&ModelConfig::fills_with_mean, false))
        for (std::size_t c = 0; c < image.fill.size(); ++c)
            image.fill[c] = std::nearbyint(255 * image.mean[c]) / 255;
}

void ModelBuilder::decide_class_names() {
    if (model.gives_embedding) return;
    const auto classes = static_cast<std::size_t>(model.classifier.weight->view().rows);
    const auto& sources = decisions_.rising();
    bool are_unfit = false;
    for (auto source = sources.rbegin(); source != sources.rend(); ++source) {
        if (source->class_names.empty()) {
            if (source->names_left_aside.empty()) continue;
            say("class names not used", source->names_left_aside, source->name);
            are_unfit = true;
            continue;
        }
        if (source->class_names.size() != classes) {
            say("class names not used", counted(source->class_names.size(), "name"), source->name);
            continue;
        }
        model.class_names = source->class_names;
        return say("class names", model.class_names[0] + ", ...", source->name);
    }
    if (!are_unfit && classes == imagenet_names().size()) {
        model.class_names = imagenet_names();
        say("class names", "ImageNet-1k", "1000 classes");
    } else {
        say("class names", "unknown",
            are_unfit ? "their labels do not fit the classes"
                      : "no config.json has id2label for this head");
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
    say_activation();
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

void ModelBuilder::say_activation() {
    const Activation activation = model.layers.back().activation;
    const auto said = decisions_.find(&ModelConfig::activation);
    std::string origin = origin_of(said->origin, "activation");
    if (is_gated(activation)) {
        origin = gate(gate_follows_activation_).origin;
        // Hugging Face's DINOv2 has SiLU in its gate whatever hidden_act says.
        const bool is_usual = !decisions_.find(&ModelConfig::gate) && !gate_follows_activation_;
        if (is_usual && said->origin != convention_)
            origin = "tensor shapes; " + said->origin + " says " +
                     std::string(name_of(said->value)) + ", which does not match its gate";
    }
    say("activation", std::string(name_of(activation)), origin);
}

void ModelBuilder::say_tokens() {
    const PrefixTokens& prefix = model.prefix;
    if (model.splits.empty()) say("patch", by(model.patch_size, model.patch_size), kShapes);
    say("class token", prefix.class_token ? "yes" : "no", kTensorNames);
    if (prefix.distillation_token) say("distillation token", "yes", kTensorNames);
    if (prefix.registers) say("registers", std::to_string(prefix.registers->view().rows), kShapes);
    const PositionTable& positions = model.positions;
    if (positions.formula)
        return say("positions", std::string(info(*positions.formula).label) + ", for any grid",
                   kTensorNames);
    if (!positions.table) return say("positions added to the tokens", "none", kTensorNames);
    const std::string covered = positions.cover == PositionCover::patches ? "the patches only"
                                : prefix.count() == 0                     ? "all patches"
                                : positions.cover == PositionCover::without_registers
                                    ? "all tokens except the registers"
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

void ModelBuilder::leave_side_parts_aside(const std::vector<std::string_view>& unneeded) {
    const auto is_at_any_level = [&](const std::string& name, const auto& is) {
        return std::ranges::any_of(enclosing_prefixes(at.prefix()), [&](const auto& level) {
            return name.starts_with(level) &&
                   is(at.from_root().at(level), name.substr(level.size()));
        });
    };
    std::vector<std::string> names = at.unused();
    std::erase_if(names, [&](const std::string& name) {
        return left_aside_.contains(name) ||
               is_at_any_level(name, [&](const TensorReader&, const std::string& own) {
                   return is_unneeded(own, unneeded);
               });
    });
    std::vector<SidePart> parts = side_parts(at, names, model.width());
    for (SidePart& part : parts)
        std::erase_if(part.names, [&](const std::string& name) {
            return is_at_any_level(name, is_harmless_buffer);
        });
    std::erase_if(parts, [](const SidePart& part) { return part.names.empty(); });
    if (parts.empty()) return;
    for (const SidePart& part : parts) leave_aside(part.names);
    const std::string listed = text_of(parts);
    model.facts.front().value += ", not used: " + listed;  // at the model's name
    say("not used", listed, "the encoder does not use their results");
}

void ModelBuilder::expect_nothing_else(const std::vector<std::string_view>& unneeded) {
    std::vector<std::string> unused = at.unused();
    for (const std::string& name : unused) {
        // Belongs to another module next to the model.
        if (!name.starts_with(at.prefix()) || at.is_hidden(name)) continue;
        const std::string own = name.substr(at.prefix().size());
        if (!left_aside_.contains(name) && !is_unneeded(own, unneeded) &&
            !is_harmless_buffer(at, own))
            at.refuse(own, "a model without this tensor",
                      "one that may use it, but Headlight does not");
    }
    set_unused(model, std::move(unused));
}

void ModelBuilder::say_remarks() {
    constexpr std::size_t kMost = 12;
    for (const ModelConfig& source : decisions_.rising()) {
        for (const std::string& remark : source.remarks) say("note", remark, source.name);
        std::string settings;
        const std::size_t count = source.not_read.size();
        for (std::size_t i = 0; i < std::min(count, kMost); ++i)
            settings += (settings.empty() ? "" : ", ") + source.not_read[i];
        if (count > kMost) settings += " and " + std::to_string(count - kMost) + " more";
        if (count > 0) say("settings not read", settings, source.name);
    }
}

Model ModelBuilder::finish(const std::vector<std::string_view>& unneeded) {
    say_encoder();
    say_tokens();
    decide_classes();
    decide_image();
    say_remarks();
    leave_side_parts_aside(unneeded);
    expect_nothing_else(unneeded);
    expect_alike(layer_readers_, unneeded_of_layers_);
    model.parts = parts_of(model);
    return std::move(model);
}

}  // namespace headlight
