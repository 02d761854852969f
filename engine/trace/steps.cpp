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
        {Step::embed,
         "embed",
         "Embed",
         "E",
         "{embedded:E} = {patches:P} {patch_weight:W}_{e}^{T} + {patch_bias:b}_{e}",
         K::product,
         {T::patches, T::patch_weight},
         T::embedded,
         "E = F.conv2d(img, W_e, b_e, stride=p).flatten(2).transpose(1, 2)",
         "Every patch is turned into a token of the model's own width: one learned product, the "
         "same for all patches. It is the convolution that the code speaks of, for a convolution "
         "whose steps are as long as its kernel is just this product."},
        {Step::prefix,
         "prefix",
         "+ Class",
         "E",
         "{sequence:E} = [{prefix_tokens:T} ; {embedded:E}]",
         K::stack,
         {T::prefix_tokens, T::embedded},
         T::sequence,
         "E = torch.cat([cls, E], dim=1)",
         "Learned tokens that belong to no patch are put before the patches. The class token "
         "starts the same for every image; whatever the model will say about the whole picture is "
         "gathered there, by attention."},
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
        {Step::pre_norm,
         "pre_norm",
         "Norm",
         "X",
         "{pre_norm:X} = ({tokens:X} − {pre_norm_rows:μ}) / {pre_norm_rows:σ} · "
         "{pre_norm_affine:γ} + {pre_norm_affine:β}",
         K::norm,
         {T::tokens},
         T::pre_norm,
         "X = F.layer_norm(X, (D,), g, b, eps)",
         "CLIP normalises its tokens once before the first layer. Each token is brought to mean 0 "
         "and deviation 1 and then stretched and shifted by two learned rows, γ and β."},
        {Step::norm1,
         "norm1",
         "Norm",
         "N_{1}",
         "{norm1:N}_{1} = ({input:X} − {norm1_rows:μ}) / {norm1_rows:σ} · {norm1_affine:γ} + "
         "{norm1_affine:β}",
         K::norm,
         {T::input},
         T::norm1,
         "N1 = F.layer_norm(X, (D,), g1, b1, eps)",
         "The layer does not read the residual stream as it is: each token is brought to mean 0 "
         "and deviation 1, then every channel is stretched by γ and shifted by β. So a token's "
         "size cannot drown what it says; the stream itself stays as it was."},
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
        {Step::qk_norm,
         "qk_norm",
         "Q K norm",
         "Q_{h}",
         "{query:Q}_{h}, {key:K}_{h} = norm({raw_query:Q}_{h}), norm({raw_key:K}_{h})",
         K::norm,
         {T::raw_query},
         T::query,
         "q, k = q_norm(q), k_norm(k)",
         "Queries and keys are normalised once more, each head's row by itself. Their products can "
         "then not grow without bound, which keeps large models stable in training."},
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
        {Step::ls1,
         "ls1",
         "LayerScale",
         "Z'",
         "{ls1:Z'} = {projection:Z} · {ls1_gamma:λ}_{1}",
         K::stretch,
         {T::projection, T::ls1_gamma},
         T::ls1,
         "Z = Z * gamma_1",
         "Each channel of the branch is multiplied by a learned number of its own. Training starts "
         "with tiny ones, so that a deep model begins almost as if its layers were not there."},
        {Step::skip,
         "skip",
         "+ Skip",
         "Y",
         "{residual1:Y}_{1} = {skip:V} + {projection:Z}",
         K::sum,
         {T::skip, T::projection},
         T::residual1,
         "Y = V + Z",
         "What the layer found is added to what was there before. The sum keeps a direct way open, "
         "for "
         "the signal forwards and, in training, for the gradient backwards."},
        {Step::norm2,
         "norm2",
         "Norm",
         "N_{2}",
         "{norm2:N}_{2} = ({residual1:Y}_{1} − {norm2_rows:μ}) / {norm2_rows:σ} · {norm2_affine:γ} "
         "+ "
         "{norm2_affine:β}",
         K::norm,
         {T::residual1},
         T::norm2,
         "N2 = F.layer_norm(Y, (D,), g2, b2, eps)",
         "The second branch too reads a normalised copy of the stream: each token with mean 0 and "
         "deviation 1, stretched by γ and shifted by β. The stream goes on beside it unchanged."},
        {Step::mlp_in,
         "mlp_in",
         "MLP in",
         "H",
         "{mlp_hidden:H} = {norm2:N}_{2} {mlp_in_weight:W}_{1}^{T} + {mlp_in_bias:b}_{1}",
         K::product,
         {T::norm2, T::mlp_in_weight},
         T::mlp_hidden,
         "H = F.linear(N2, W_1, b_1)",
         "Every token by itself is turned into a longer row, usually four times as long. Each "
         "hidden channel asks the token one learned question; no token sees another here."},
        {Step::activation,
         "activation",
         "Activation",
         "G",
         "{mlp_activation:G} = gelu({mlp_hidden:H})",
         K::map,
         {T::mlp_hidden},
         T::mlp_activation,
         "G = F.gelu(H)",
         "Each hidden number goes through one curve: large ones pass, negative ones are brought "
         "close to zero. Without this bend two products in a row would be no more than one."},
        {Step::mlp_out,
         "mlp_out",
         "MLP out",
         "M",
         "{mlp:M} = {mlp_activation:G} {mlp_out_weight:W}_{2}^{T} + {mlp_out_bias:b}_{2}",
         K::product,
         {T::mlp_activation, T::mlp_out_weight},
         T::mlp,
         "M = F.linear(G, W_2, b_2)",
         "The hidden channels that are awake write what they have to say back into the model's own "
         "width. Together the two products are the layer's memory of facts, as attention is its "
         "exchange."},
        {Step::ls2,
         "ls2",
         "LayerScale",
         "M'",
         "{ls2:M'} = {mlp:M} · {ls2_gamma:λ}_{2}",
         K::stretch,
         {T::mlp, T::ls2_gamma},
         T::ls2,
         "M = M * gamma_2",
         "As after attention, each channel of the branch is multiplied by a learned number of its "
         "own before it is added to the stream."},
        {Step::residual2,
         "residual2",
         "+ MLP",
         "Y",
         "{output:Y} = {residual1:Y}_{1} + {mlp:M}",
         K::sum,
         {T::residual1, T::mlp},
         T::output,
         "Y = Y + M",
         "What the MLP found is added to the residual stream. The sum is the layer's output, and "
         "the next layer's input."},
        {Step::norm,
         "norm",
         "Final norm",
         "N",
         "{norm:N} = ({encoded:X} − {norm_rows:μ}) / {norm_rows:σ} · {norm_affine:γ} + "
         "{norm_affine:β}",
         K::norm,
         {T::encoded},
         T::norm,
         "N = F.layer_norm(X, (D,), g, b, eps)",
         "After the last layer the stream is normalised a last time. These are the tokens that the "
         "model gives to the world: its features."},
        {Step::pool,
         "pool",
         "Pool",
         "c",
         "{pooled:c} = {norm:N}[0]",
         K::pool,
         {T::norm},
         T::pooled,
         "c = N[:, 0]",
         "One row must speak for the whole image. Most models take the class token, which has "
         "gathered from all patches; others take the mean over the patches."},
        {Step::pooled_norm,
         "pooled_norm",
         "Norm",
         "c'",
         "{pooled_norm:c'} = ({pooled:c} − {pooled_norm_rows:μ}) / {pooled_norm_rows:σ} · "
         "{pooled_norm_affine:γ} + {pooled_norm_affine:β}",
         K::norm,
         {T::pooled},
         T::pooled_norm,
         "c = F.layer_norm(c, (D,), g, b, eps)",
         "The mean over the patches is normalised before the head reads it: mean 0, deviation 1, "
         "stretched by γ and shifted by β."},
        {Step::pooler,
         "pooler",
         "Pooler",
         "p",
         "{pooler_hidden:p} = {pooled:c} {pooler_weight:W}_{p}^{T} + {pooler_bias:b}_{p}",
         K::product,
         {T::pooled, T::pooler_weight},
         T::pooler_hidden,
         "p = F.linear(c, W_p, b_p)",
         "One more product of the pooled row, which some models were trained with. A curve follows "
         "that bounds what it gives."},
        {Step::pooler_tanh,
         "pooler_tanh",
         "tanh",
         "p'",
         "{pooler:p'} = tanh({pooler_hidden:p})",
         K::map,
         {T::pooler_hidden},
         T::pooler,
         "p = p.tanh()",
         "Each number is bent to lie between −1 and 1. The row that results is what this model "
         "calls its pooled feature."},
        {Step::head,
         "head",
         "Head",
         "y",
         "{logits:y} = {pooled:c} {head_weight:W}_{h}^{T} + {head_bias:b}_{h}",
         K::product,
         {T::pooled, T::head_weight},
         T::logits,
         "y = F.linear(c, W_h, b_h)",
         "Every class has a row of weights, and its logit says how much the pooled row points that "
         "way. A softmax over the logits makes probabilities of them."},
        {Step::point,
         "point",
         "Pointing",
         "T",
         "{pointing:T} = {norm:N} {pointing_weight:W}_{t}^{T} + {pointing_bias:b}_{t}",
         K::product,
         {T::norm, T::pointing_weight},
         T::pointing,
         "T = F.linear(N, W_t, b_t)",
         "Every token says where in the picture it would point to: one logit for each cell of the "
         "patch grid. A patch of a shape was taught to point at the centre of its twin, the other "
         "shape of its kind; what other tokens say here was never taught."},
    }};
    return table;
}

const StepInfo& info(Step step) { return all_steps()[static_cast<std::size_t>(step)]; }

std::optional<Tensor> bias_of(Step step) {
    switch (step) {
        case Step::embed:
            return Tensor::patch_bias;
        case Step::qkv:
            return Tensor::qkv_bias;
        case Step::project:
            return Tensor::projection_bias;
        case Step::mlp_in:
            return Tensor::mlp_in_bias;
        case Step::mlp_out:
            return Tensor::mlp_out_bias;
        case Step::pooler:
            return Tensor::pooler_bias;
        case Step::head:
            return Tensor::head_bias;
        case Step::point:
            return Tensor::pointing_bias;
        default:
            return std::nullopt;
    }
}

}  // namespace headlight
