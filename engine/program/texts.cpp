#include "program/texts.h"

#include <array>

namespace headlight {

const StepText& text_of(Step step) {
    static constexpr std::array<StepText, kStepCount> table{{
        {Step::image, "Image",
         "The picture as the model will see it: resized, framed, and each pixel a number from 0 "
         "to 1. Everything that follows is computed from these numbers and the weights alone."},
        {Step::patches, "Patches",
         "The picture is cut into squares, and the numbers of each square are written out as one "
         "row: a token. Attention knows nothing of pixels; it only ever sees these rows."},
        {Step::given, "Vectors",
         "These few vectors are the tokens, given by hand instead of cut from a picture. Attention "
         "asks of each only which way it points and how long it is, so here it can be seen whole."},
        {Step::curve, "Curve",
         "A clean curve, and the same with noise added to every sample. Only the noisy one goes "
         "on; the clean one is kept to see how much of the noise attention has taken away."},
        {Step::windows, "Windows",
         "A window slides over the curve, one sample further each time, and every window is one "
         "row: a token. Windows that show the same piece of the curve are alike but for their "
         "noise."},
        {Step::embed, "Embed",
         "Every patch is turned into a token of the model's own width: one learned product, the "
         "same for all patches. It is the convolution that the code speaks of, for a convolution "
         "whose steps are as long as its kernel is just this product."},
        {Step::prefix, "+ Class",
         "Learned tokens that belong to no patch are put before the patches. The class token "
         "starts the same for every image; whatever the model will say about the whole picture is"
         " gathered there, by attention."},
        {Step::position, "+ Position",
         "Attention treats its tokens as a heap without order. Adding a pattern of waves that is "
         "different for every place tells each token where in the picture it stood."},
        {Step::queries, "Queries",
         "Rows of numbers that belong to no patch: in DETR each learns to ask for one object, in "
         "attention pooling for what matters of the whole. They are drawn from a seed here, as "
         "they "
         "are before training, and all that they will know of the picture they must read."},
        {Step::pre_norm, "Norm",
         "CLIP normalises its tokens once before the first layer. Each token is brought to mean 0"
         " and deviation 1 and then stretched and shifted by two learned rows, γ and β."},
        {Step::merge_gather, "2 × 2",
         "A stage ends here: each two by two tokens are put side by side and stand for one token "
         "from now on. So there are a quarter as many, each of twice the picture's extent, and "
         "nothing is lost yet."},
        {Step::merge_norm, "Norm",
         "The four tokens side by side are brought to mean 0 and deviation 1 together, then "
         "stretched by γ and shifted by β."},
        {Step::merge, "Merge",
         "One product makes a token of the four: four times the channels go in, twice as many come "
         "out. So the picture becomes coarser and what is known of each place richer, as in a "
         "convolutional network."},
        {Step::norm1, "Norm",
         "The layer does not read the residual stream as it is: each token is brought to mean 0 "
         "and deviation 1, then every channel is stretched by γ and shifted by β. So a token's "
         "size cannot drown what it says; the stream itself stays as it was."},
        {Step::qkv, "Q K V",
         "Each token is turned into three: a query (what am I looking for?), a key (what do I "
         "have to offer?) and a value (what do I pass on?). One stacked product makes all three "
         "at once."},
        {Step::key_value, "K V",
         "Each of the tokens that are read is turned into two: a key (what do I have to offer?) "
         "and "
         "a value (what do I pass on?). Their queries come from elsewhere, so these tokens ask "
         "nothing themselves."},
        {Step::qkv_activation, "ReLU",
         "Every number of query, key and value that is negative becomes zero, as after a "
         "convolution. Products of what is left are never negative: a key can be passed over, but "
         "not be held against a query."},
        {Step::heads, "Heads",
         "The channels are dealt out to the heads, a slice each. Every head can then look for "
         "something of its own; nothing is computed here, the columns are only cut apart."},
        {Step::qk_norm, "Q K norm",
         "Queries and keys are normalised once more, each head's row by itself. Their products "
         "can then not grow without bound, which keeps large models stable in training."},
        {Step::rotary, "Rotate",
         "Every pair of channels of a query and a key is turned like a hand of a clock, by an "
         "angle "
         "that says in which row or column its patch lies. Both turn, so their product keeps only "
         "the difference of the angles: how far the patches are apart."},
        {Step::score_query, "Q for the score",
         "What the score takes in the place of the query. How the two meet is another question "
         "than "
         "what the projections have made of the tokens."},
        {Step::score_key, "K for the score",
         "What the score takes in the place of the key. How the two meet is another question than "
         "what the projections have made of the tokens."},
        {Step::products, "Q·K",
         "Every query meets every key: multiply channel by channel and add up. The sum is large "
         "when the two point the same way, so it says how much one patch has to do with another."},
        {Step::scale, "Scale",
         "A sum over more channels comes out larger just because it is longer. Multiplying by "
         "1/√head_dim takes that away, so that the softmax does not let one key win everything."},
        {Step::relative_bias, "+ Offset",
         "A learned number is added to every score: one for each head and for each offset, so many "
         "rows and columns from query to key. So a head can look to the left, or at what is near, "
         "whatever the patches show."},
        {Step::mask, "Mask",
         "Scores of keys that a query may not attend to become −∞, so the softmax gives them a "
         "weight of exactly 0. A number such as −9·10¹⁵ has the same effect, unless every key of a "
         "row is masked: its scores are then all alike, and so are its weights. With −∞ such a row "
         "has weights of 0 throughout."},
        {Step::softmax, "Softmax",
         "Each row becomes shares of one whole: exp makes every score positive, and dividing by "
         "the row's sum makes the row add up to 1. Row i now says how token i divides its "
         "attention."},
        {Step::attention_dropout, "Dropout",
         "As in training, some of the attention is put to zero at random, and the rest is raised "
         "so "
         "that its sum stays about 1. So no head may rely on a single key. In use nothing is "
         "dropped."},
        {Step::turn, "Turn",
         "The slip of a tutorial: its product of attention and values sums over the queries, not "
         "over the keys, as if A were turned over. Row j now holds what every query gives key j; "
         "it need not add up to 1, and softmax has weighed something else than is summed."},
        {Step::mix, "A·V",
         "Every token collects the values of all tokens, each as much as it pays attention to it."
         " This is the only place in the layer where information moves from patch to patch."},
        {Step::concat, "Concat",
         "The heads' results are laid side by side again, each in its own columns. It is the cut "
         "into heads run backwards; no number changes."},
        {Step::concat_norm, "Norm",
         "What the heads have found is normalised before the projection reads it: mean 0, "
         "deviation "
         "1, stretched by γ and shifted by β. It keeps large models stable in training."},
        {Step::project, "Project",
         "Until now the heads worked apart. This product mixes their columns, so that every "
         "channel of the result can use what any head has found."},
        {Step::project_activation, "ReLU",
         "What is negative in the projection becomes zero, as after every convolution of the "
         "network "
         "that this layer comes from."},
        {Step::output_dropout, "Dropout",
         "As in training, some of the output is put to zero at random, and the rest is raised to "
         "make "
         "up for it. So the next layer may not rely on a single channel. In use nothing is "
         "dropped."},
        {Step::ls1, "LayerScale",
         "Each channel of the branch is multiplied by a learned number of its own. Training "
         "starts with tiny ones, so that a deep model begins almost as if its layers were not "
         "there."},
        {Step::value_skip, "+ V",
         "The values of the token itself are added to what its heads have found, as in T2T's token "
         "transformers, whose output has another width than their input."},
        {Step::skip, "+ Skip",
         "What the layer found is added to what was there before. The sum keeps a direct way "
         "open, for the signal forwards and, in training, for the gradient backwards."},
        {Step::norm2, "Norm",
         "The second branch too reads a normalised copy of the stream: each token with mean 0 and"
         " deviation 1, stretched by γ and shifted by β. The stream goes on beside it unchanged."},
        {Step::mlp_in, "MLP in",
         "Every token by itself is turned into a longer row, usually four times as long. Each "
         "hidden channel asks the token one learned question; no token sees another here."},
        {Step::activation, "Activation",
         "Each hidden number goes through one curve: large ones pass, negative ones are brought "
         "close to zero. Without this bend two products in a row would be no more than one."},
        {Step::mlp_norm, "Norm",
         "The hidden row is normalised once more before the second product reads it: mean 0, "
         "deviation 1, stretched by γ and shifted by β."},
        {Step::mlp_out, "MLP out",
         "The hidden channels that are awake write what they have to say back into the model's "
         "own width. Together the two products are the layer's memory of facts, as attention is "
         "its exchange."},
        {Step::ls2, "LayerScale",
         "As after attention, each channel of the branch is multiplied by a learned number of its"
         " own before it is added to the stream."},
        {Step::residual2, "+ MLP",
         "What the MLP found is added to the residual stream. The sum is the layer's output, and "
         "the next layer's input."},
        {Step::norm, "Final norm",
         "After the last layer the stream is normalised a last time. These are the tokens that "
         "the model gives to the world: its features."},
        {Step::pool_probe, "Probe",
         "A query that belongs to no patch: a row that was learned, the same for every picture. It "
         "will ask all tokens once what of the picture matters, and what it collects speaks for "
         "the whole."},
        {Step::pool_query, "Q",
         "The probe is turned into a query: what am I looking for? It has been the same since the "
         "training ended, so only the keys decide where this picture is read."},
        {Step::pool_key_value, "K V",
         "Each of the final tokens is turned into two: a key (what do I have to offer?) and a "
         "value (what do I pass on?). They ask nothing themselves any more."},
        {Step::pool_heads, "Heads",
         "The channels are dealt out to the heads, a slice each, as in the layers before. So the "
         "one query becomes several, and each head can look at another part of the picture."},
        {Step::pool_products, "Q·K",
         "The head's one query meets the key of every token: multiply channel by channel and add "
         "up. The sum is large when the two point the same way."},
        {Step::pool_scale, "Scale",
         "A sum over more channels comes out larger just because it is longer. Multiplying by "
         "1/√head_dim takes that away, as in the layers before."},
        {Step::pool_softmax, "Softmax",
         "The row becomes shares of one whole: how much each token counts for this head when the "
         "picture is summed up. Laid over the picture it shows where the model looks for its "
         "answer."},
        {Step::pool_mix, "A·V",
         "The head collects the values of all tokens, each as much as it pays attention to it. "
         "From here on there is one row for the whole picture."},
        {Step::pool_concat, "Concat",
         "The heads' rows are laid side by side again, each in its own columns; no number "
         "changes."},
        {Step::pool_project, "Project",
         "This product mixes the heads' columns, so that every channel of the result can use what "
         "any head has read. The probe itself is not added to it."},
        {Step::pool_norm, "Norm",
         "The row that was read is brought to mean 0 and deviation 1, then stretched by γ and "
         "shifted by β, for the MLP to read. The row itself goes on beside it unchanged."},
        {Step::pool_mlp_in, "MLP in",
         "The one row is turned into a longer one, usually four times as long: each hidden channel "
         "asks one learned question of what was read."},
        {Step::pool_activation, "Activation",
         "Each hidden number goes through one curve: large ones pass, negative ones are brought "
         "close to zero. Without this bend two products in a row would be no more than one."},
        {Step::pool_mlp_out, "MLP out",
         "The hidden channels that are awake write what they have to say back into the model's own "
         "width."},
        {Step::pool, "Pool",
         "One row must speak for the whole image. Most models take the class token, which has "
         "gathered from all patches; others take the mean over the patches."},
        {Step::pooled_norm, "Norm",
         "The mean over the patches is normalised before the head reads it: mean 0, deviation 1, "
         "stretched by γ and shifted by β."},
        {Step::pooler, "Pooler",
         "One more product of the pooled row, which some models were trained with. A curve "
         "follows that bounds what it gives."},
        {Step::pooler_tanh, "tanh",
         "Each number is bent to lie between −1 and 1. The row that results is what this model "
         "calls its pooled feature."},
        {Step::classify, "Classifier",
         "Every class has a row of weights, and its logit says how much the pooled row points "
         "that way. A softmax over the logits makes probabilities of them."},
        {Step::objects, "Object",
         "Every token says whether its patch shows an object or background: one logit. The sigmoid "
         "of it is a probability."},
        {Step::twin_query, "Twin query",
         "Every token asks where the same thing is once more: what it looks for is its query. A "
         "product with learned weights, as in attention."},
        {Step::twin_key, "Twin key",
         "Every token says what it looks like, for the queries to find: its key. A patch is found "
         "by those whose queries point the same way as its key."},
        {Step::point, "Pointing",
         "Every token says where in the picture it would point to: one logit for each cell of the"
         " patch grid. A patch of a shape was taught to point at the centre of its twin, the "
         "other shape of its kind; what other tokens say here was never taught."},
    }};
    return table[static_cast<std::size_t>(step)];
}

}  // namespace headlight
