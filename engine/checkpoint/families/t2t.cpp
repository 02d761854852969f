#include <optional>
#include <string>

#include "families/classifier.h"
#include "families/conventions.h"
#include "families/families.h"
#include "families/token_transformer.h"
#include "model/builder.h"

namespace headlight {

namespace {

const std::string kT2tModule = "tokens_to_token.";
const std::string kT2tSign = "tokens_to_token.project.weight";

// From "Tokens-to-Token ViT", section 3.1 and table 1; files do not contain these.
const std::vector<SoftSplit> kSplits{{7, 4, 2}, {3, 2, 1}, {3, 2, 1}};

// The variant with convolutions has no token transformers.
void expect_token_transformers(const TensorReader& at) {
    constexpr const char* kConvolution = "soft_split0.weight";
    if (at.at(kT2tModule).has(kConvolution))
        at.at(kT2tModule)
            .refuse(kConvolution, "T2T-ViT with token transformers (T2t_vit_t_14 and others)",
                    "its variant with convolutions");
}

// The size of windows from the norm of their tokens, whose width is kernel · kernel · channels.
Index tokens_width(const TensorReader& reader, const SoftSplit& split, Index channels) {
    const Index width = reader.shape("norm1.weight", 1, "a norm over a soft split's tokens")[0];
    const Index expected = Index{split.kernel} * split.kernel * channels;
    if (width != expected)
        reader.refuse("norm1.weight",
                      "[" + std::to_string(expected) + "], windows of " +
                          std::to_string(split.kernel) + " × " + std::to_string(split.kernel) +
                          " with " + std::to_string(channels) + " channels",
                      "[" + std::to_string(width) + "]");
    return width;
}

// lanl's token transformers have as many heads as its layers, and the same scale if one is given.
void share_heads(const ModelBuilder& builder, AttentionConfig& attention) {
    if (const auto scale = builder.decisions().find(&ModelConfig::qk_scale))
        attention.scale = scale->value;
    const auto heads = builder.decisions().find(&ModelConfig::num_heads);
    if (!heads) return;
    attention.heads = heads->value;
    if (attention.channels % attention.heads != 0)
        throw CheckpointError(builder.model.file + ": num_heads: expected a divisor of " +
                              std::to_string(attention.channels) +
                              ", the width of a token transformer, found " +
                              std::to_string(heads->value) + " (" + heads->origin + ").");
}

// Returns the width of its output.
Index add_token_transformer(ModelBuilder& builder, const std::string& name, int number,
                            Index channels) {
    TensorReader reader = builder.at.at(kT2tModule + name + std::to_string(number) + ".");
    const auto kind = token_transformer_named(reader);
    if (!kind) reader.refuse("norm1.weight", "a token transformer", "other names");
    const Index inputs =
        tokens_width(reader, builder.model.splits[static_cast<std::size_t>(number - 1)], channels);
    Layer layer = read_token_transformer(builder, reader, *kind, inputs);
    if (*kind == TokenTransformer::lanl) share_heads(builder, layer.attention);
    const Index outputs = layer.attention.channels;
    layer.name = "T2T " + std::to_string(number);
    layer.file_name = "t2t." + std::to_string(number);
    builder.model.layers.push_back(std::move(layer));
    return outputs;
}

void say_what_no_file_says(ModelBuilder& builder) {
    builder.say("soft splits", "7 × 7, then 3 × 3 twice, strides 4, 2, 2", "convention of T2T-ViT");
    const Layer& first = builder.model.layers.front();
    if (first.features)
        builder.say("token transformers", "performers",
                    std::to_string(first.features->view().rows) + " random features");
    else
        builder.say("scale of the token transformers", "width of the input^-0.5",
                    "T2T-ViT's code; its paper has head width^-0.5");
    if (!builder.decisions().find(&ModelConfig::qk_scale))
        builder.say("scale of the layers", "head width^-0.5",
                    "some released weights were trained with width^-0.5, but their files do not "
                    "say so; set qk_scale for them");
}

// lanl's code derives stride and padding from the kernel.
SoftSplit split_of(int kernel) { return {kernel, (kernel + 1) / 2, (kernel + 1) / 4}; }

// Kernels follow from the widths: with three colors or one, then with the tokens' channels.
void find_splits(ModelBuilder& builder) {
    TensorReader first = builder.at.at(kT2tModule + "transformer1."),
                 second = builder.at.at(kT2tModule + "transformer2.");
    const auto width = [](TensorReader& at, const char* norm) {
        return at.shape(norm, 1, "a norm over tokens")[0];
    };
    const Index pixels = width(first, "norm1.weight");
    const auto of_color = side_of(pixels, 3), of_grey = side_of(pixels, 1);
    if (!of_color && !of_grey)
        first.refuse("norm1.weight", "3·kernel² or kernel² numbers", std::to_string(pixels));
    builder.model.image_channels = of_color ? 3 : 1;
    const auto later = [&](Index channels, Index numbers, TensorReader& at, const char* name) {
        const auto side = side_of(numbers, channels);
        if (!side)
            at.refuse(name, std::to_string(channels) + "·kernel² numbers", std::to_string(numbers));
        return split_of(*side);
    };
    const Index last =
        builder.at.shape(kT2tModule + "project.weight", 2, "[width, numbers of a token]")[1];
    builder.model.splits = {
        split_of(of_color ? *of_color : *of_grey),
        later(width(first, "norm2.weight"), width(second, "norm1.weight"), second, "norm1.weight"),
        later(width(second, "norm2.weight"), last, builder.at, "tokens_to_token.project.weight")};
}

void read_tokens(ModelBuilder& builder, const std::string& transformer) {
    Model& model = builder.model;
    Index channels = model.image_channels;
    for (int number = 1; number <= model.token_transformers(); ++number)
        channels = add_token_transformer(builder, transformer, number, channels);
    const SoftSplit& last = model.splits.back();
    model.embedding =
        builder.linear(builder.at, kT2tModule + "project", channels * last.kernel * last.kernel);
}

// The encoder after them, whose names begin with `where`.
void read_encoder(ModelBuilder& builder, const std::string& where, const LayerNames& names) {
    Model& model = builder.model;
    const Index width = model.embedding.weight->view().rows;
    model.prefix.class_token = builder.token(where + "cls_token", width);
    builder.positions(where + "pos_embed", width);
    builder.layers(builder.readers(where + "blocks."), names, width);
    model.norm = builder.norm(builder.at, where + "norm", width);
    if (where.empty())
        read_classifier(builder, {"head"}, width);
    else if (builder.at.has(where + "head.weight"))
        model.classifier = builder.linear(builder.at, where + "head", width);
}

// "Vision Transformers, Explained" (github.com/lanl/vision_transformers_explained): its attention
// adds the value in the encoder's blocks too, before the block adds its input.
Model read_lanl(const TensorReader& at, const Decisions& decisions, const FamilyChoice& family) {
    const std::string backbone = "vit_backbone.";
    ModelBuilder builder(at, decisions, conventions::lanl(), "T2T-ViT in lanl's names", family);
    find_splits(builder);
    read_tokens(builder, "transformer");
    read_encoder(builder, backbone, lanl_names());
    for (Layer& layer : builder.model.layers)
        if (layer.attention.skip == Skip::input) layer.attention.skip = Skip::both;
    const SoftSplit& first = builder.model.splits.front();
    builder.say("first soft split",
                std::to_string(first.kernel) + " × " + std::to_string(first.kernel) + ", stride " +
                    std::to_string(first.stride),
                "tensor shapes; strides and paddings by lanl's code");
    builder.say("heads of the token transformers",
                std::to_string(builder.model.layers.front().attention.heads),
                "as many as the layers have");
    builder.say("skip of the layers", "V and X", "lanl's code");
    return builder.finish({});
}

}  // namespace

std::optional<Model> read_t2t_names(const TensorReader& file, const Decisions& decisions) {
    const auto prefixes = file.prefixes_of(kT2tSign);
    if (prefixes.empty()) return {};
    const TensorReader at = file.at(prefixes.front());
    const bool lanl = at.has(kT2tModule + "transformer1.norm1.weight");
    const std::string name = lanl ? "t2t-lanl" : "t2t";
    const FamilyChoice family = choose_family(file, decisions, name);
    if (lanl) return read_lanl(at, decisions, family);
    expect_token_transformers(at);
    ModelBuilder builder(at, decisions, conventions::t2t(), "T2T-ViT", family);
    builder.model.splits = kSplits;
    read_tokens(builder, "attention");
    read_encoder(builder, "", {});
    say_what_no_file_says(builder);
    return builder.finish({});
}

}  // namespace headlight
