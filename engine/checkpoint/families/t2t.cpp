#include <cmath>

#include "families/conventions.h"
#include "families/families.h"
#include "model/builder.h"

namespace headlight {

namespace {

const std::string kModule = "tokens_to_token.";
const std::string kSign = "tokens_to_token.project.weight";

// "Tokens-to-Token ViT", section 3.1 and table 1: no file says these.
const std::vector<SoftSplit> kSplits{{7, 4, 2}, {3, 2, 1}, {3, 2, 1}};

// The variant with performers approximates attention by random features; the one with convolutions
// has none.
void expect_token_transformers(const TensorReader& at) {
    for (const char* name : {"attention1.w", "attention1.kqv.weight", "soft_split0.weight"})
        if (at.at(kModule).has(name))
            at.at(kModule).refuse(name, "T2T-ViT with token transformers (T2t_vit_t_14 and others)",
                                  "its variant with performers or convolutions, whose attention "
                                  "is no softmax");
}

// The windows' side as the norm of their tokens says it: kernel · kernel · channels.
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

// One head, scaled by the width of its input as the code does; the skip comes from the value.
// Returns the width of its output.
Index read_token_transformer(ModelBuilder& builder, int number, Index channels) {
    const std::string name = kModule + "attention" + std::to_string(number) + ".";
    TensorReader reader = builder.at.at(name);
    const Index inputs =
        tokens_width(reader, kSplits[static_cast<std::size_t>(number - 1)], channels);
    const Index outputs = reader.shape("norm2.weight", 1, "a norm over the output's channels")[0];
    Layer layer = builder.layer(reader, {}, inputs, outputs, 1);
    layer.attention.skip = Skip::value;
    layer.attention.scale = 1.0F / std::sqrt(static_cast<float>(inputs));
    layer.name = "T2T " + std::to_string(number);
    layer.file_name = "t2t." + std::to_string(number);
    builder.model.layers.push_back(std::move(layer));
    return outputs;
}

void say_what_no_file_says(ModelBuilder& builder) {
    builder.say("soft splits", "7 × 7, then 3 × 3 twice, strides 4, 2, 2", "convention of T2T-ViT");
    builder.say("scale of the token transformers", "width of the input^-0.5",
                "T2T-ViT's code, beside its paper's head width^-0.5");
    if (!builder.decisions().find(&ModelConfig::qk_scale))
        builder.say("scale of the layers", "head width^-0.5",
                    "some released weights were trained with width^-0.5, which no file says; set "
                    "qk_scale for them");
}

}  // namespace

std::optional<Model> read_t2t_names(const TensorReader& file, const Decisions& decisions) {
    const auto prefixes = file.prefixes_of(kSign);
    if (prefixes.empty()) return {};
    const TensorReader at = file.at(prefixes.front());
    expect_token_transformers(at);
    const FamilyChoice family = choose_family(file, decisions, {"t2t"}, {"t2t", "tensor names"});
    ModelBuilder builder(at, decisions, conventions::t2t(), "T2T-ViT", family);
    Model& model = builder.model;
    model.splits = kSplits;

    Index channels = model.image_channels;
    for (int number = 1; number <= model.token_transformers(); ++number)
        channels = read_token_transformer(builder, number, channels);
    const SoftSplit& last = kSplits.back();
    model.embedding =
        builder.linear(builder.at, kModule + "project", channels * last.kernel * last.kernel);
    const Index width = model.embedding.weight->view().rows;
    model.prefix.class_token = builder.token("cls_token", width);
    builder.positions("pos_embed", width);
    builder.layers(builder.readers("blocks."), {}, width);
    model.norm = builder.norm(builder.at, "norm", width);
    if (builder.at.has("head.weight")) model.classifier = builder.linear(builder.at, "head", width);
    say_what_no_file_says(builder);
    return builder.finish({});
}

}  // namespace headlight
