#include "trace/steps.h"

namespace headlight {

const std::array<StepInfo, kStepCount>& all_steps() {
    using T = Tensor;
    using K = StepKind;
    static const std::array<StepInfo, kStepCount> table{{
        {Step::image,
         "image",
         "Image",
         "I",
         "{pixels:I} = resize(photo)",
         K::source,
         {},
         T::pixels,
         "I = F.interpolate(photo, size, mode='bilinear', antialias=True)",
         "The picture as the layer will see it: resized, framed, and each pixel a number from 0 to "
         "1. "
         "Everything that follows is computed from these numbers and the weights alone."},
        {Step::patches,
         "patches",
         "Patches",
         "P",
         "{patches:P} = unfold({pixels:I})",
         K::gather,
         {T::pixels},
         T::patches,
         "P = F.unfold((I - mean) / std, p, stride=s).transpose(1, 2)",
         "The picture is cut into squares, and the numbers of each square are written out as one "
         "row: a "
         "token. Attention knows nothing of pixels; it only ever sees these rows."},
        {Step::position,
         "position",
         "+ Position",
         "X",
         "{tokens:X} = {patches:P} + {positions:PE}",
         K::sum,
         {T::patches, T::positions},
         T::tokens,
         "X = P + PE[:N]",
         "Attention treats its tokens as a heap without order. Adding a pattern of waves that is "
         "different for every place tells each token where in the picture it stood."},
        {Step::qkv,
         "qkv",
         "Q K V",
         "[Q K V]",
         "{qkv:[Q K V]} = {tokens:X} {qkv_weight:W}_{qkv}^{T}",
         K::product,
         {T::tokens, T::qkv_weight},
         T::qkv,
         "qkv = F.linear(X, W_qkv, b_qkv)",
         "Each token is turned into three: a query (what am I looking for?), a key (what do I have "
         "to "
         "offer?) and a value (what do I pass on?). One stacked product makes all three at once."},
        {Step::heads,
         "heads",
         "Heads",
         "Q_{h}",
         "{query:Q}_{h}, {key:K}_{h}, {value:V}_{h} = split({qkv:[Q K V]})",
         K::cut,
         {T::qkv},
         T::query,
         "q, k, v = qkv.reshape(B, N, 3, H, hd).permute(2, 0, 3, 1, 4)",
         "The channels are dealt out to the heads, a slice each. Every head can then look for "
         "something of its own; nothing is computed here, the columns are only cut apart."},
        {Step::products,
         "products",
         "Q·K",
         "R_{h}",
         "{products:R}_{h} = {query:Q}_{h} {key:K}_{h}^{T}",
         K::product,
         {T::query, T::key},
         T::products,
         "R = q @ k.transpose(-2, -1)",
         "Every query meets every key: multiply channel by channel and add up. The sum is large "
         "when "
         "the two point the same way, so it says how much one patch has to do with another."},
        {Step::scale,
         "scale",
         "Scale",
         "S_{h}",
         "{scores:S}_{h} = {products:R}_{h} · scale",
         K::scale,
         {T::products},
         T::scores,
         "S = R * scale",
         "A sum over more channels comes out larger just because it is longer. Multiplying by "
         "1/√head_dim takes that away, so that the softmax does not let one key win everything."},
        {Step::softmax,
         "softmax",
         "Softmax",
         "A_{h}",
         "{attention:A}_{h} = softmax({scores:S}_{h})",
         K::softmax,
         {T::scores},
         T::attention,
         "A = S.softmax(dim=-1)",
         "Each row becomes shares of one whole: exp makes every score positive, and dividing by "
         "the "
         "row's sum makes the row add up to 1. Row i now says how token i divides its attention."},
        {Step::mix,
         "mix",
         "A·V",
         "O_{h}",
         "{head_output:O}_{h} = {attention:A}_{h} {value:V}_{h}",
         K::product,
         {T::attention, T::value},
         T::head_output,
         "O = A @ v",
         "Every token collects the values of all tokens, each as much as it pays attention to it. "
         "This "
         "is the only place in the layer where information moves from patch to patch."},
        {Step::concat,
         "concat",
         "Concat",
         "O",
         "{concat:O} = concat({head_output:O}_{1} … {head_output:O}_{H})",
         K::cut,
         {T::head_output},
         T::concat,
         "O = O.transpose(1, 2).reshape(B, N, C)",
         "The heads' results are laid side by side again, each in its own columns. It is the cut "
         "into "
         "heads run backwards; no number changes."},
        {Step::project,
         "project",
         "Project",
         "Z",
         "{projection:Z} = {concat:O} {projection_weight:W}_{o}^{T} + {projection_bias:b}_{o}",
         K::product,
         {T::concat, T::projection_weight},
         T::projection,
         "Z = F.linear(O, W_o, b_o)",
         "Until now the heads worked apart. This product mixes their columns, so that every "
         "channel of "
         "the result can use what any head has found."},
        {Step::skip,
         "skip",
         "+ Skip",
         "Y",
         "{output:Y} = {skip:V} + {projection:Z}",
         K::sum,
         {T::skip, T::projection},
         T::output,
         "Y = V + Z",
         "What the layer found is added to what was there before. The sum keeps a direct way open, "
         "for "
         "the signal forwards and, in training, for the gradient backwards."},
    }};
    return table;
}

const StepInfo& info(Step step) { return all_steps()[static_cast<std::size_t>(step)]; }

}  // namespace headlight
