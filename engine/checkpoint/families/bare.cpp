#include "families/bare.h"

#include <utility>

#include "files/error.h"

namespace headlight {

// There are no learned positions, so the size in a config is the input size.
Decisions shown_as_named(const Decisions& decisions) {
    std::vector<ModelConfig> rising = decisions.rising();
    for (ModelConfig& config : rising)
        if (!config.frame) config.frame = config.native_size;
    return decisions.with(std::move(rising));
}

Decided<int> usual_heads_of(const std::string& family, int channels) {
    constexpr int kUsualWidth = 64;
    if (channels % kUsualWidth != 0) return {0, "not in the tensors; set num_heads"};
    return {channels / kUsualWidth,
            "convention of " + family + ": heads of 64 channels; set num_heads to change it"};
}

void decide_heads(ModelBuilder& builder, const HeadsKnown& known, AttentionConfig& attention) {
    const auto given = builder.decisions().find(&ModelConfig::num_heads);
    const Decided<int> heads = given             ? *given
                               : known.of_shapes ? Decided<int>{*known.of_shapes, "tensor shapes"}
                                                 : known.usual;
    builder.model.heads_are_known = heads.value > 0;
    if (!builder.model.heads_are_known) {
        builder.say("heads", "missing", heads.origin);
        builder.say("head_dim", "missing", "chan / heads");
        return;
    }
    attention.heads = heads.value;
    const auto scale = builder.decisions().find(&ModelConfig::qk_scale);
    if (scale) attention.scale = scale->value;
    try {
        validate(attention);
    } catch (const AttentionError& error) {
        throw CheckpointError(builder.model.file + ": num_heads: " + error.what());
    }
    builder.say("heads", std::to_string(heads.value), heads.origin);
    builder.say("head_dim", std::to_string(attention.head_dim()), "chan / heads");
    builder.say("scale", text_of(attention.effective_scale()),
                scale ? scale->origin : known.scale_origin);
}

namespace {

constexpr int kMostAcross = 32;  // in patches, which makes 1,024 tokens

}  // namespace

void decide_patch(ModelBuilder& builder, int dim) {
    for (const int channels : {3, 1}) {
        const auto side = side_of(dim, channels);
        if (!side) continue;
        builder.model.patch_size = *side;
        builder.model.image_channels = channels;
        builder.say("patch",
                    std::to_string(*side) + " × " + std::to_string(*side) +
                        (channels == 3 ? ", rgb" : ", gray"),
                    channels == 3 ? "dim = 3·patch²" : "dim = patch²");
        builder.most_across = kMostAcross;
        builder.decide_image();
        builder.model.preprocessing.eight_bit = bare_preprocessing().eight_bit;
        return;
    }
    builder.model.preprocessing = bare_preprocessing();
    builder.say("images", "none",
                "dim is neither 3·patch² nor patch², so the input must be tokens");
}

void expect_nothing_beside(const TensorReader& file, const std::string& what,
                           const std::function<bool(const std::string&)>& is_harmless) {
    for (const std::string& name : file.unused())
        if (!is_harmless || !is_harmless(name))
            file.refuse(name, what + " and no other tensors",
                        "one that may be part of the computation");
}

Model finish_bare(ModelBuilder& builder, std::vector<Layer> layers,
                  std::vector<std::string> unused) {
    builder.say_remarks();
    Model model = std::move(builder.model);
    model.layers = std::move(layers);
    set_unused(model, std::move(unused));
    model.parts = parts_of(model);
    return model;
}

}  // namespace headlight
