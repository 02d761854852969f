#include <string>

#include "trace/trace.h"

namespace headlight {

namespace {

// The table tells of the usual model in string literals; what replaces them here are literals too.
void describe_patches(const Trace& trace, StepInfo& step) {
    if (trace.model == nullptr || trace.model->splits.empty()) return;
    step.title = "Soft split";
    if (!trace.has(Tensor::split_input)) {
        step.meaning =
            "The picture is cut into windows that overlap, and the numbers of each are written out "
            "as one row. So neighbours share pixels, and an edge that runs between two windows is "
            "not torn apart.";
        return;
    }
    step.operands = {Tensor::split_input};
    step.equation = "{patches:P} = unfold({split_input:T})";
    step.pytorch = "P = F.unfold(T.transpose(1, 2).reshape(B, C, h, w), k, stride=s, padding=p)";
    step.meaning =
        "The tokens are laid out as a picture again, and overlapping windows of them are each "
        "written out as one longer token. There are fewer of them, and each knows its "
        "neighbourhood.";
}

void describe_heads(const Trace& trace, StepInfo& step) {
    if (!trace.has(Tensor::raw_query)) return;
    step.result = Tensor::raw_query;
    step.equation = "{raw_query:Q}_{h}, {raw_key:K}_{h}, {value:V}_{h} = split({qkv:[Q K V]})";
}

void describe_prefix(const Trace& trace, StepInfo& step) {
    const TokenLayout& layout = trace.layout;
    if (layout.registers > 0) {
        step.title = "+ Registers";
        step.pytorch = "E = torch.cat([cls, registers, E], dim=1)";
        step.meaning =
            "Learned tokens that belong to no patch are put before the patches: the class token, "
            "which gathers what is said about the whole picture, and registers, which give the "
            "layers a place to keep notes so that they need not misuse an empty patch for it.";
    } else if (layout.distillation_tokens > 0) {
        step.pytorch = "E = torch.cat([cls, dist, E], dim=1)";
        step.meaning =
            "Learned tokens that belong to no patch are put before the patches: the class token, "
            "and a distillation token that was trained to say what a teacher model says.";
    }
}

void describe_position(const Trace& trace, StepInfo& step) {
    const bool learned = trace.model != nullptr && !trace.model->is_bare_layer();
    if (!learned) return;
    const bool sequence = trace.has(Tensor::sequence);
    step.operands = {sequence ? Tensor::sequence : Tensor::embedded, Tensor::positions};
    step.equation = sequence ? "{tokens:X} = {sequence:E} + {positions:PE}"
                             : "{tokens:X} = {embedded:E} + {positions:PE}";
    step.pytorch = "X = E + pos_embed";
    step.meaning =
        "Attention treats its tokens as a heap without order. Adding a row that is different for "
        "every place, which came with the model, tells each token where in the picture it stood.";
}

void describe_skip(const Trace& trace, StepInfo& step) {
    if (trace.has(Tensor::ls1)) step.operands[1] = Tensor::ls1;
    if (!trace.has(Step::norm2)) {  // the layer ends here
        step.result = Tensor::output;
        step.equation = "{output:Y} = {skip:V} + {projection:Z}";
    }
    if (trace.config.skip != Skip::input) return;
    step.equation = trace.has(Tensor::ls1)   ? "{residual1:Y}_{1} = {skip:X} + {ls1:Z'}"
                    : trace.has(Step::norm2) ? "{residual1:Y}_{1} = {skip:X} + {projection:Z}"
                                             : "{output:Y} = {skip:X} + {projection:Z}";
    step.pytorch = trace.has(Tensor::ls1) ? "Y = X + Z * gamma_1" : "Y = X + Z";
    if (!trace.has(Step::norm2)) return;
    step.title = "+ Stream";
    step.meaning =
        "What the heads found is added to the residual stream, which has run beside the layer "
        "unchanged since it was read. Every layer only ever adds; nothing is overwritten.";
}

void describe_residual2(const Trace& trace, StepInfo& step) {
    if (!trace.has(Tensor::ls2)) return;
    step.operands[1] = Tensor::ls2;
    step.equation = "{output:Y} = {residual1:Y}_{1} + {ls2:M'}";
}

void describe_activation(const Trace& trace, StepInfo& step) {
    const auto say = [&](std::string_view title, std::string_view equation, std::string_view line) {
        step.title = title;
        step.equation = equation;
        step.pytorch = line;
    };
    switch (trace.model->blocks[static_cast<std::size_t>(trace.block)].activation) {
        case Activation::gelu:
            return say("GELU", "{mlp_activation:G} = {mlp_hidden:H} · Φ({mlp_hidden:H})",
                       "G = F.gelu(H)");
        case Activation::gelu_tanh:
            return say("GELU", "{mlp_activation:G} = gelu_{tanh}({mlp_hidden:H})",
                       "G = F.gelu(H, approximate='tanh')");
        case Activation::quick_gelu:
            return say("Quick GELU",
                       "{mlp_activation:G} = {mlp_hidden:H} · σ(1.702 {mlp_hidden:H})",
                       "G = H * torch.sigmoid(1.702 * H)");
        case Activation::silu:
            return say("SiLU", "{mlp_activation:G} = {mlp_hidden:H} · σ({mlp_hidden:H})",
                       "G = F.silu(H)");
        case Activation::relu:
            return say("ReLU", "{mlp_activation:G} = max({mlp_hidden:H}, 0)", "G = F.relu(H)");
        case Activation::swiglu:
            step.meaning =
                "The hidden row has two halves. The left one goes through a curve and becomes a "
                "gate that lets each channel of the right one pass, weakens it or turns it round.";
            return say("SwiGLU",
                       "{mlp_activation:G} = silu({mlp_hidden:H}_{left}) · {mlp_hidden:H}_{right}",
                       "a, b = H.chunk(2, dim=-1); G = F.silu(a) * b");
    }
}

// Attention-only import: what the file does not hold is not claimed.
void describe_maps(StepInfo& step) {
    if (step.id == Step::image)
        step.meaning =
            "The picture that the maps are laid over, resized and framed. Nothing here is computed "
            "from its pixels: what the model made of them is in the file.";
    if (step.id == Step::patches) {
        step.equation = "{pixels:I}, cut as the maps have it";
        step.pytorch = "# not in this file";
        step.meaning =
            "The maps say how many patches there are; the picture is cut into as many squares, so "
            "that each row and column finds its place. How the model made tokens of them is not "
            "in the file.";
    }
    if (step.id == Step::softmax) {
        step.title = "Attention";
        step.equation = "{attention:A}_{h}";
        step.pytorch = "A = maps[layer]";
        step.meaning =
            "Row i says how token i divides its attention, as the file has it. Scores, values and "
            "weights are not in it, so nothing here can be computed again.";
    }
}

Tensor pooled_tensor(const Trace& trace) {
    for (const Tensor t : {Tensor::pooler, Tensor::pooled_norm})
        if (trace.has(t)) return t;
    return Tensor::pooled;
}

void describe_pool(const Trace& trace, StepInfo& step) {
    if (!trace.has(Tensor::norm)) step.operands = {Tensor::encoded};
    const bool stream = !trace.has(Tensor::norm);
    switch (trace.model->pooling) {
        case Pooling::class_token:
        case Pooling::none:
            if (stream) step.equation = "{pooled:c} = {encoded:X}[0]";
            return;
        case Pooling::class_and_distillation:
            step.equation = "{pooled:c} = [{norm:N}[0] {norm:N}[1]]";
            step.pytorch = "c = N[:, :2].flatten(1)";
            step.meaning =
                "This model was trained with two speakers for the whole image: the class token and "
                "the distillation token. Their rows are laid side by side, and each has a head of "
                "its own.";
            return;
        case Pooling::class_and_patches:
            step.equation = stream ? "{pooled:c} = [{encoded:X}[0] mean({encoded:X})]"
                                   : "{pooled:c} = [{norm:N}[0] mean({norm:N})]";
            step.pytorch = "c = torch.cat([N[:, 0], N[:, prefix:].mean(dim=1)], dim=1)";
            step.meaning =
                "Two rows speak for the whole image, laid side by side: the class token, which has "
                "gathered from all patches, and the plain mean over the patches.";
            return;
        case Pooling::patches:
            step.equation =
                stream ? "{pooled:c} = mean({encoded:X})" : "{pooled:c} = mean({norm:N})";
            step.pytorch = "c = N[:, prefix:].mean(dim=1)";
            step.meaning =
                "One row must speak for the whole image. This model takes the mean over all "
                "patches; tokens that belong to no patch are left out.";
            return;
    }
}

void describe_head(const Trace& trace, StepInfo& step) {
    const Tensor from = pooled_tensor(trace);
    step.operands[0] = from;
    if (from == Tensor::pooler)
        step.equation = "{logits:y} = {pooler:p'} {head_weight:W}_{h}^{T} + {head_bias:b}_{h}";
    if (from == Tensor::pooled_norm)
        step.equation = "{logits:y} = {pooled_norm:c'} {head_weight:W}_{h}^{T} + {head_bias:b}_{h}";
    if (trace.model->pooling == Pooling::class_and_distillation)
        step.pytorch = "y = (F.linear(cls, W_h, b_h) + F.linear(dist, W_d, b_d)) / 2";
    if (!trace.model->head_is_embedding) return;
    step.title = "Project";
    step.symbol = "e";
    step.equation = from == Tensor::pooled_norm
                        ? "{logits:e} = {pooled_norm:c'} {head_weight:W}_{h}^{T}"
                        : "{logits:e} = {pooled:c} {head_weight:W}_{h}^{T}";
    step.pytorch = "e = c @ proj";
    step.meaning =
        "The pooled row is brought into the space that the model shares with its texts. An image "
        "and a sentence that belong together point the same way there.";
}

}  // namespace

StepInfo describe(const Trace& trace, Step step) {
    StepInfo text = info(step);
    if (trace.model != nullptr && trace.model->is_maps()) {
        describe_maps(text);
        return text;
    }
    switch (step) {
        case Step::patches:
            describe_patches(trace, text);
            break;
        case Step::embed:
            if (!trace.has(Tensor::patch_bias))
                text.equation = "{embedded:E} = {patches:P} {patch_weight:W}_{e}^{T}";
            break;
        case Step::prefix:
            describe_prefix(trace, text);
            break;
        case Step::position:
            describe_position(trace, text);
            break;
        case Step::qkv:
            if (trace.has(Tensor::norm1)) {
                text.operands[0] = Tensor::norm1;
                text.equation = "{qkv:[Q K V]} = {norm1:N}_{1} {qkv_weight:W}_{qkv}^{T}";
                text.pytorch = "qkv = F.linear(N1, W_qkv, b_qkv)";
            }
            break;
        case Step::heads:
            describe_heads(trace, text);
            break;
        case Step::skip:
            describe_skip(trace, text);
            break;
        case Step::activation:
            describe_activation(trace, text);
            break;
        case Step::residual2:
            describe_residual2(trace, text);
            break;
        case Step::pool:
            describe_pool(trace, text);
            break;
        case Step::pooler:
            if (!trace.has(Tensor::pooled_norm)) break;
            text.operands[0] = Tensor::pooled_norm;
            text.equation =
                "{pooler_hidden:p} = {pooled_norm:c'} {pooler_weight:W}_{p}^{T} + "
                "{pooler_bias:b}_{p}";
            break;
        case Step::head:
            describe_head(trace, text);
            break;
        default:
            break;
    }
    return text;
}

}  // namespace headlight
