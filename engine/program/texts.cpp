#include "program/texts.h"

#include <array>

namespace headlight {

const StepText& text_of(Step step) {
    static constexpr std::array<StepText, kStepCount> table{{
        {Step::image, "Image",
         "The picture as the model sees it: resized and cropped, with pixel values from 0 to 1. "
         "Everything that follows is computed from these numbers and the weights alone."},
        {Step::patches, "Patches",
         "The picture is cut into squares. The numbers of each square are written as one row: a "
         "token. Attention never sees pixels, only these rows."},
        {Step::given, "Vectors",
         "These few vectors are the tokens. You enter them by hand instead of cutting them from a "
         "picture. Attention depends only on their directions and lengths, so here you can see all "
         "of it."},
        {Step::curve, "Curve",
         "A clean curve, and the same curve with noise added to every sample. The layer gets "
         "only the noisy one. The clean one shows how much of the noise attention removes."},
        {Step::windows, "Windows",
         "A window slides along the curve, one sample at a time. Every window is one row: a token. "
         "Windows that show the same piece of the curve differ only by their noise."},
        {Step::embed, "Embed",
         "A learned linear map turns every patch into a token of the model's width. It is the same "
         "for all patches. In code it is often a convolution whose stride equals its kernel size, "
         "which computes exactly this product."},
        {Step::prefix, "+ Class",
         "Learned tokens that belong to no patch are put before the patches. The class token "
         "starts the same for every image. Through attention it gathers information about the "
         "whole picture."},
        {Step::position, "+ Position",
         "To attention, the tokens are an unordered set. Adding a pattern of waves that differs "
         "from place to place tells each token where its patch was."},
        {Step::queries, "Queries",
         "These rows belong to no patch. In DETR, each one learns to ask for one object. In "
         "attention pooling, a single one asks what matters in the whole picture. Here they are "
         "drawn from a seed, as before training. They can learn about the picture only through "
         "attention."},
        {Step::pre_norm, "Norm",
         "CLIP normalizes its tokens once before the first layer. Each token gets mean 0 and "
         "standard deviation 1. Then two learned rows, γ and β, scale and shift it."},
        {Step::merge_gather, "2 × 2",
         "A stage ends here. Each group of 2 × 2 tokens is concatenated into one. There are now a "
         "quarter as many tokens, each covering twice the height and width. Nothing is lost yet."},
        {Step::merge_norm, "Norm",
         "The four concatenated tokens are normalized together to mean 0 and standard deviation 1, "
         "then scaled by γ and shifted by β."},
        {Step::merge, "Merge",
         "One product turns the four into one token: four times the channels go in, and twice the "
         "channels come out. The picture becomes coarser and each place gets more channels, as in "
         "a convolutional network."},
        {Step::norm1, "Norm",
         "The layer does not use the residual stream directly. Each token is normalized to mean 0 "
         "and standard deviation 1. Then every channel is scaled by γ and shifted by β. The size "
         "of a token no longer matters here, and the residual stream itself does not change."},
        {Step::qkv, "Q K V",
         "Each token is turned into three vectors: a query (what am I looking for?), a key (what "
         "do I offer?) and a value (what do I pass on?). One product computes all three at once."},
        {Step::key_value, "K V",
         "Each token that is attended to is turned into two vectors: a key (what do I offer?) and "
         "a value (what do I pass on?). The queries come from other tokens."},
        {Step::qkv_activation, "ReLU",
         "Every negative number of query, key and value becomes zero, as after a convolution. "
         "Scores can then never be negative: a query can ignore a key, but not reject it."},
        {Step::heads, "Heads",
         "The channels are divided among the heads, one slice for each. Every head can then look "
         "for something different. Nothing is computed here: the columns are only separated."},
        {Step::qk_norm, "Q K norm",
         "Queries and keys are normalized once more, each head's row on its own. Their products "
         "then cannot grow without bound, which keeps large models stable in training."},
        {Step::rotary, "Rotate",
         "Every pair of channels of a query and a key is rotated like a clock hand. The angle "
         "grows with the row or column of the patch. Both are rotated, so their product depends "
         "only on the difference of the angles: the offset between the patches."},
        {Step::score_query, "Q for the score",
         "The score uses this vector instead of the query itself."},
        {Step::score_key, "K for the score",
         "The score uses this vector instead of the key itself."},
        {Step::products, "Q·K",
         "Every query is compared with every key: their channels are multiplied one by one, and "
         "the products are added up. The sum is large when the two point in the same direction. It "
         "measures how relevant one patch is to another."},
        {Step::scale, "Scale",
         "A sum over more channels tends to be larger, simply because it has more terms. "
         "Multiplying by 1/√head_dim corrects this, so that the softmax does not give everything "
         "to one key."},
        {Step::relative_bias, "+ Offset",
         "A learned number is added to every score. There is one for each head and each offset in "
         "rows and columns from query to key. So a head can attend to the left or to nearby "
         "patches, whatever they show."},
        {Step::mask, "Mask",
         "Scores of keys that a query may not attend to become −∞, so the softmax gives them a "
         "weight of exactly 0. A number such as −9·10¹⁵ has the same effect, unless every key of a "
         "row is masked. In that case the row's weights come out equal. With −∞, they are all 0."},
        {Step::softmax, "Softmax",
         "Each row becomes attention weights. The exponential makes every score positive, and "
         "dividing by the row's sum makes the row add up to 1. Row i now says how token i divides "
         "its attention."},
        {Step::attention_dropout, "Dropout",
         "As in training, some attention weights are set to zero at random, and the rest are "
         "scaled up so that the sum stays about 1. This keeps a head from relying on a single key. "
         "After training nothing is dropped."},
        {Step::turn, "Transpose",
         "A mistake seen in a tutorial: its product of attention and values sums over the queries "
         "instead of the keys, as if A were transposed. Row j now holds the weights that all "
         "queries give to key j. It need not add up to 1, because the softmax normalized the other "
         "direction."},
        {Step::mix, "A·V",
         "Every token gets a weighted sum of the values of all tokens; the weights are its row of "
         "A. This is the only place in the layer where information moves from patch to patch."},
        {Step::concat, "Concat",
         "The heads' results are put side by side again, each in its own columns. This undoes the "
         "split into heads; no number changes."},
        {Step::concat_norm, "Norm",
         "The heads' results are normalized before the projection: mean 0, standard deviation 1, "
         "scaled by γ and shifted by β. This keeps large models stable in training."},
        {Step::project, "Project",
         "Until now the heads worked separately. This product combines their columns, so that "
         "every channel of the result can use what any head found."},
        {Step::project_activation, "ReLU",
         "Every negative number of the projection becomes zero, as after every convolution of the "
         "network that this layer comes from."},
        {Step::output_dropout, "Dropout",
         "As in training, some of the output is set to zero at random, and the rest is scaled up "
         "to make up for it. This keeps the next layer from relying on a single channel. After "
         "training nothing is dropped."},
        {Step::ls1, "LayerScale",
         "Each channel of the branch is multiplied by a learned number. Training starts with tiny "
         "ones, so that a deep model begins almost as if its layers were not there."},
        {Step::value_skip, "+ V",
         "The values of the token itself are added to what its heads found. T2T's token "
         "transformers do this because their output and input have different widths."},
        {Step::skip, "+ Skip",
         "The output of attention is added to the input of the layer. This residual connection "
         "keeps a direct path open: forward for the signal and, in training, backward for the "
         "gradient."},
        {Step::norm2, "Norm",
         "The second branch also starts from a normalized copy of the residual stream: each token "
         "with mean 0 and standard deviation 1, scaled by γ and shifted by β. The residual stream "
         "itself does not change."},
        {Step::mlp_in, "MLP in",
         "Each token on its own is turned into a longer row, usually four times as long. Each "
         "hidden channel asks the token one learned question. Tokens do not interact here."},
        {Step::activation, "Activation",
         "Each hidden number goes through one curve: large ones pass, negative ones come out close "
         "to zero. Without this nonlinearity, the two products would amount to a single one."},
        {Step::mlp_norm, "Norm",
         "The hidden row is normalized once more before the second product: mean 0, standard "
         "deviation 1, scaled by γ and shifted by β."},
        {Step::mlp_out, "MLP out",
         "The second product turns the active hidden channels back into a row of the model's "
         "width. The MLP is often described as the layer's memory of facts, and attention as its "
         "exchange of information."},
        {Step::ls2, "LayerScale",
         "As after attention, each channel of the branch is multiplied by a learned number before "
         "it is added to the residual stream."},
        {Step::residual2, "+ MLP",
         "The output of the MLP is added to the residual stream. The sum is the layer's output, "
         "and the next layer's input."},
        {Step::norm, "Final norm",
         "After the last layer the residual stream is normalized one last time. These tokens are "
         "the features that a classifier or another program uses."},
        {Step::pool_probe, "Probe",
         "A query that belongs to no patch: one learned row, the same for every picture. It "
         "attends to all tokens once, and its result represents the whole picture."},
        {Step::pool_query, "Q",
         "The probe is turned into a query: what am I looking for? It is the same for every "
         "picture, so only the keys decide which patches it attends to."},
        {Step::pool_key_value, "K V",
         "Each of the final tokens is turned into two vectors: a key (what do I offer?) and a "
         "value (what do I pass on?). They have no queries here."},
        {Step::pool_heads, "Heads",
         "The channels are divided among the heads, one slice for each, as in the layers before. "
         "The one query becomes several, and each head can attend to another part of the picture."},
        {Step::pool_products, "Q·K",
         "The head's one query is compared with the key of every token: their channels are "
         "multiplied one by one, and the products are added up. The sum is large when the two "
         "point in the same direction."},
        {Step::pool_scale, "Scale",
         "A sum over more channels tends to be larger, simply because it has more terms. "
         "Multiplying by 1/√head_dim corrects this, as in the layers before."},
        {Step::pool_softmax, "Softmax",
         "The row becomes attention weights: how much each token counts for this head in the "
         "summary of the picture. Laid over the picture, they show where the model looks."},
        {Step::pool_mix, "A·V",
         "The head gets a weighted sum of the values of all tokens. From here on there is one row "
         "for the whole picture."},
        {Step::pool_concat, "Concat",
         "The heads' rows are put side by side again, each in its own columns; no number changes."},
        {Step::pool_project, "Project",
         "This product combines the heads' columns, so that every channel of the result can use "
         "what any head found. The probe itself is not added."},
        {Step::pool_norm, "Norm",
         "The row is normalized to mean 0 and standard deviation 1, then scaled by γ and shifted "
         "by β, for the MLP. The row itself does not change."},
        {Step::pool_mlp_in, "MLP in",
         "The one row is turned into a longer one, usually four times as long. Each hidden channel "
         "asks one learned question about it."},
        {Step::pool_activation, "Activation",
         "Each hidden number goes through one curve: large ones pass, negative ones come out close "
         "to zero. Without this nonlinearity, the two products would amount to a single one."},
        {Step::pool_mlp_out, "MLP out",
         "The second product turns the active hidden channels back into a row of the model's "
         "width."},
        {Step::pool, "Pool",
         "One row has to represent the whole image. Most models take the class token, which has "
         "gathered information from all patches; others take the mean over the patches."},
        {Step::pooled_norm, "Norm",
         "The mean over the patches is normalized before the classifier: mean 0, standard "
         "deviation 1, scaled by γ and shifted by β."},
        {Step::pooler, "Pooler",
         "Some models multiply the pooled row by one more learned matrix. A tanh follows, which "
         "limits the values."},
        {Step::pooler_tanh, "tanh",
         "The tanh maps each number to one between −1 and 1. This model calls the resulting row "
         "its pooled feature."},
        {Step::classify, "Classifier",
         "Every class has a row of weights. Its logit says how far the pooled row points in that "
         "direction. A softmax turns the logits into probabilities."},
        {Step::objects, "Object",
         "Every token says whether its patch shows an object or background, in one logit. The "
         "sigmoid turns it into a probability."},
        {Step::twin_query, "Twin query",
         "Every token asks where else the same thing is: this is its query. It is computed with "
         "learned weights, as in attention."},
        {Step::twin_key, "Twin key",
         "Every token says what it looks like: this is its key. The queries that point the same "
         "way find it."},
        {Step::point, "Pointing",
         "Every token says where in the picture it would point: one logit for each cell of the "
         "patch grid. A patch of a shape was trained to point at the center of its twin, the other "
         "shape of its kind. The outputs of other tokens were never trained."},
    }};
    return table[static_cast<std::size_t>(step)];
}

}  // namespace headlight
