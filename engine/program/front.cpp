#include <algorithm>
#include <filesystem>
#include <utility>

#include "ops/limits.h"
#include "program/frame_line.h"
#include "program/program.h"
#include "program/texts.h"
#include "program/values.h"
#include "program/words.h"

namespace headlight {

namespace {

Node image_node(const Model& model, const Recipe& recipe) {
    Node node = named_node(Step::image, Op::frame, Place::front);
    node.results = {Tensor::pixels};
    FrameParameters frame{recipe.scene ? "" : recipe.image, recipe.scene,
                          preprocessing_of(recipe, model), is_grey(recipe, model)};
    frame.how.mean = Preprocessing{}.mean;
    frame.how.std = Preprocessing{}.std;
    node.equation = "{pixels:I} = resize(photo)";
    node.pytorch = framing_line(frame.how, frame.grey);
    if (recipe.scene) {
        node.equation = "{pixels:I} = draw(shapes)";
        node.pytorch = "# drawn from its shapes";
        node.meaning =
            "The scene, drawn at exactly the size that the model takes, with pixel values from 0 "
            "to 1. Everything that follows is computed from these numbers and the weights alone.";
    }
    if (model.is_maps())
        node.meaning =
            "The picture under the maps, resized and cropped. Nothing here is computed from its "
            "pixels; the file holds the model's result.";
    node.parameters = std::move(frame);
    return node;
}

// Texts for T2T's soft split, of pixels or of the tokens of a finer grid.
void say_split(Node& node, bool of_tokens) {
    node.title = "Soft split";
    if (!of_tokens) {
        node.meaning =
            "The picture is cut into overlapping windows, and the numbers of each are written as "
            "one row. Neighbors share pixels, so no edge is lost between two windows.";
        node.pytorch = "P = F.unfold((I - mean) / std, k, stride=s, padding=p).transpose(1, 2)";
        return;
    }
    node.operands = {Tensor::split_input};
    node.equation = "{patches:P} = unfold({split_input:T})";
    node.pytorch = "P = F.unfold(T.mT.reshape(B, C, h, w), k, stride=s, padding=p).mT";
    node.meaning =
        "The tokens are laid out as a picture again. Overlapping windows of them each become one "
        "longer token. The new tokens are fewer, and each one covers a neighborhood.";
}

// True if zeros are added around the picture so that the last patch is complete.
bool is_padded(const Preprocessing& how, const PatchSettings& patches) {
    const auto ends_early = [&](int extent) {
        return extent < patches.size || (extent - patches.size) % patches.stride != 0;
    };
    return patches.ragged == Ragged::pad && patches.stride > 0 &&
           (ends_early(how.height) || ends_early(how.width));
}

Node patches_node(const Model& model, int b, const Recipe& recipe) {
    Node node = named_node(Step::patches, Op::gather, Place::front);
    node.operands = {Tensor::pixels};
    node.results = {Tensor::patches};
    const Preprocessing how = preprocessing_of(recipe, model);
    node.parameters = PatchParameters{patches_of(recipe, model), how.mean, how.std};
    node.equation = "{patches:P} = unfold({pixels:I})";
    node.pytorch =
        is_padded(how, patches_of(recipe, model))
            ? "P = F.unfold(F.pad((I - mean) / std, border), p, stride=s).transpose(1, 2)"
            : "P = F.unfold((I - mean) / std, p, stride=s).transpose(1, 2)";
    if (!model.splits.empty()) say_split(node, std::min(b, model.token_transformers()) > 0);
    if (model.is_maps()) {
        node.equation = "{pixels:I}, cut as the maps imply";
        node.pytorch = "# not in this file";
        node.meaning =
            "The maps say how many patches there are. The picture is cut into that many squares, "
            "so that each row and column of a map has a place. The file does not say how the "
            "model computed its tokens.";
    }
    return node;
}

Node embed_node(const Model& model) {
    Node node =
        linear_node(named_node(Step::embed, Op::linear, Place::front), model.embedding,
                    {Tensor::patches, Tensor::patch_weight, Tensor::patch_bias, Tensor::embedded},
                    {"E", "P", "e"});
    if (model.splits.empty())
        node.pytorch = std::string("E = F.conv2d(img, W_e, ") + (node.bias() ? "b_e, " : "") +
                       "stride=p).flatten(2).transpose(1, 2)";
    return node;
}

Node prefix_node(const Model& model) {
    Node node = named_node(Step::prefix, Op::stack, Place::front);
    node.operands = {Tensor::prefix_tokens, Tensor::embedded};
    node.results = {Tensor::sequence};
    node.equation = "{sequence:E}_{0} = [{prefix_tokens:C} ; {embedded:E}]";
    node.pytorch = "E = torch.cat([cls, E], dim=1)";
    if (model.prefix.registers) {
        node.title = "+ Registers";
        node.pytorch = "E = torch.cat([cls, registers, E], dim=1)";
        node.meaning =
            "Learned tokens that belong to no patch are put before the patches. The class token "
            "gathers what the model says about the whole picture. Registers give the layers a "
            "place to store information, so that they need not use empty patches for it.";
    } else if (model.prefix.distillation_token) {
        node.pytorch = "E = torch.cat([cls, dist, E], dim=1)";
        node.meaning =
            "Learned tokens that belong to no patch are put before the patches: the class token, "
            "and a distillation token that was trained to imitate a teacher model.";
    }
    return node;
}

// Texts for a model that adds nothing to its tokens.
void say_its_own_way(Node& node, const Model& model) {
    node.title = "Tokens";
    if (model.rotary)
        node.meaning = info(PositionKind::rotary).meaning;
    else
        node.meaning =
            "Nothing is added to the tokens here. Positions enter in a later step: every score "
            "gets a learned number for the offset from its query to its key.";
}

Node position_node(const Model& model, const PositionChoice& choice, Tensor before, Tensor to) {
    Node node = named_node(Step::position, Op::positions, Place::front);
    node.operands = {before, Tensor::positions};
    node.results = {to, Tensor::positions};
    node.parameters = choice;
    const std::string letter(letter_of(before));
    node.equation = symbol_of(to) + " = " + symbol_of(before);
    node.pytorch = (to == Tensor::value_tokens ? "X_kv = " : "X = ") + letter;
    const bool is_own = choice.kind == PositionKind::model, bare = model.is_bare_layer();
    const PositionKind own =
        bare ? PositionKind::sinusoidal : model.positions.formula.value_or(PositionKind::model);
    const PositionInfo& kind = info(is_own ? own : choice.kind);
    if (!kind.meaning.empty()) node.meaning = kind.meaning;
    if (is_own && !bare && !model.positions.table && !model.positions.formula) {
        say_its_own_way(node, model);
        return node;
    }
    if (!is_own && !bare) node.meaning += " The model was not trained this way.";
    if (kind.pytorch.empty()) return node;  // adds nothing
    node.equation += " + " + symbol_of(Tensor::positions);
    std::string added(kind.pytorch);
    if (const auto at = added.find("[:N]"); to == Tensor::value_tokens && at != std::string::npos)
        added[at + 2] = 'M';  // N counts the queries there
    node.pytorch += " + " + added;
    return node;
}

std::string tuple_text(const std::vector<float>& numbers) {
    std::string text;
    for (const float number : numbers) text += (text.empty() ? "" : ", ") + number_text(number);
    return text;
}

Node given_node(const VectorSet& set, Tensor to) {
    Node node = named_node(Step::given, Op::given, Place::front);
    node.results = {to};
    node.parameters = GivenParameters{set};
    std::string names, rows;
    for (std::size_t i = 0; i < set.vectors.size(); ++i) {
        const std::string& word = set.vectors[i].word;
        names += (i > 0 ? ", " : "") + (word.empty() ? "v_{" + std::to_string(i + 1) + "}" : word);
        rows += (i > 0 ? ", [" : "[") + tuple_text(set.vectors[i].at) + "]";
    }
    node.equation = symbol_of(to) + " = (" + names + ")";
    node.pytorch = std::string(letter_of(to)) + " = torch.tensor([[" + rows + "]])";
    if (!has_words(set)) return node;
    node.title = "Words";
    node.meaning =
        "Each word of the sentence is a token: a short vector for its meaning on its own. Similar "
        "words point in similar directions. Attention adds what a word means in context.";
    return node;
}

// The expression that reads the array with NumPy or safetensors.
std::string line_of(const TokenFile& tokens, TokenPart part) {
    const std::string name = std::filesystem::path(tokens.file).filename().string();
    const TokenArray array = tokens.array();
    const auto ends = [&](const char* ending) { return name.ends_with(ending); };
    const bool queries = part == TokenPart::queries;
    const std::string quoted = "\"" + name + "\"";
    const std::string key = queries             ? "[\"query\"]"
                            : tokens.is_cross() ? "[\"value\"]"
                            : tokens.named      ? "[\"tokens\"]"
                                                : "";
    const std::string opened = "np.load(" + quoted + ")";
    std::string line = ends(".npy")    ? "torch.from_numpy(" + opened + ")"
                       : !ends(".npz") ? "load_file(" + quoted + ")" + key
                       : key.empty()   ? "torch.from_numpy(next(iter(" + opened + ".values())))"
                                       : "torch.from_numpy(" + opened + key + ")";
    const auto& shape = queries ? tokens.query_shape : tokens.shape;
    const bool several = shape.size() > (array.map_cols > 0 ? 3U : 2U);
    if (several) line += "[" + std::to_string(tokens.sample) + "]";
    return array.map_cols > 0 ? line + ".flatten(0, 1)" : line;
}

Node array_node(const TokenFile& tokens, Tensor to) {
    const TokenArray array = tokens.array();
    Node node = named_node(Step::given, Op::array, Place::front);
    node.results = {to};
    node.parameters = ArrayParameters{tokens};
    const bool points = array.width == 2 || array.width == 3;
    node.title = array.map_cols > 0 ? "Cells" : points ? "Points" : "Tokens";
    node.equation = symbol_of(to) + " = file";
    node.pytorch = std::string(letter_of(to)) + " = " + line_of(tokens, TokenPart::tokens);
    node.meaning =
        array.map_cols > 0
            ? "Numbers from a file: a feature map, in which each cell is a token. Attention does "
              "not know where a cell is; it sees only these rows."
        : points ? "Numbers from a file: points, each of which is a token. Attention does not "
                   "know their order; it sees only these rows."
                 : "Numbers from a file, one row for each token. Attention uses only how these "
                   "rows relate to each other.";
    return node;
}

// The tokens for keys and values, then those for queries.
std::vector<Node> cross_nodes(const TokenFile& tokens) {
    const auto node = [&](Step step, TokenPart part, Tensor to, const std::string& name) {
        Node made = named_node(step, Op::array, Place::front);
        made.results = {to};
        made.parameters = ArrayParameters{tokens, part};
        made.equation = symbol_of(to) + " = file";
        made.pytorch = name + " = " + line_of(tokens, part);
        return made;
    };
    Node read = node(Step::given, TokenPart::tokens, Tensor::value_tokens, "X_kv");
    read.title = "Tokens";
    read.meaning =
        "Tokens from the file. Keys and values are computed from them. The queries come from "
        "other tokens.";
    Node asking = node(Step::queries, TokenPart::queries, Tensor::tokens, "X");
    asking.meaning =
        "Tokens from the file. Queries are computed from them. They may differ in number and width "
        "from the tokens that they attend to.";
    return {std::move(read), std::move(asking)};
}

std::vector<Node> window_nodes(Signal signal, Tensor to) {
    Node curve = named_node(Step::curve, Op::curve, Place::front);
    Node windows = named_node(Step::windows, Op::windows, Place::front);
    windows.operands = {Tensor::curve};
    windows.results = {to};
    windows.parameters = WindowParameters{signal.window};
    windows.equation = symbol_of(to) + " = windows(" + symbol_of(Tensor::curve) + ")";
    windows.pytorch =
        std::string(letter_of(to)) + " = x.unfold(-1, " + std::to_string(signal.window) + ", 1)";
    signal.window = 1;  // the curve does not depend on its windows
    curve.results = {Tensor::curve, Tensor::clean_curve};
    curve.equation = symbol_of(Tensor::curve) + " = " + symbol_of(Tensor::clean_curve) + " + noise";
    curve.pytorch = "x = c + " + number_text(signal.noise) + " * torch.randn_like(c)";
    curve.parameters = CurveParameters{std::move(signal)};
    return {std::move(curve), std::move(windows)};
}

}  // namespace

std::vector<Node> given_nodes(const Model& model, const Recipe& recipe) {
    const bool placed =
        recipe.position.kind != PositionKind::model && recipe.position.kind != PositionKind::none;
    if (placed && is_cross(recipe))
        throw RecipeError(
            "Positions cannot be added, because queries and keys come from different tokens here. "
            "Choose \"none\".");
    const Tensor to = placed ? Tensor::given : Tensor::tokens;
    std::vector<Node> nodes;
    if (const auto* set = std::get_if<VectorSet>(&recipe.tokens))
        nodes = {given_node(*set, to)};
    else if (const auto* file = std::get_if<TokenFile>(&recipe.tokens))
        nodes = file->is_cross() ? cross_nodes(*file) : std::vector{array_node(*file, to)};
    else
        nodes = window_nodes(std::get<Signal>(recipe.tokens), to);
    if (placed) nodes.push_back(position_node(model, recipe.position, to, Tensor::tokens));
    return nodes;
}

std::vector<Node> picture_nodes(const Model& model, int b, const Recipe& recipe) {
    return {image_node(model, recipe), patches_node(model, b, recipe)};
}

Node query_node(const Model& model, const Recipe& recipe) {
    Node node = named_node(Step::queries, Op::drawn, Place::front);
    const bool learned = recipe.variant.projections == Projections::learned;
    const int width = learned ? model.layers.front().attention.dim : token_numbers(recipe, model);
    node.results = {Tensor::tokens};
    node.parameters = DrawnParameters{*recipe.queries, width, recipe.query_seed};
    const std::string x = symbol_of(Tensor::tokens);
    node.equation = x + " ~ N(0, 1)";
    node.pytorch =
        "X = torch.randn(" + std::to_string(*recipe.queries) + ", " + std::to_string(width) + ")";
    return node;
}

std::vector<Node> token_nodes(const Model& model, const PositionChoice& positions, Tensor to) {
    std::vector<Node> nodes;
    Tensor tokens = Tensor::patches;
    const auto add = [&](Node node) {
        tokens = node.result();
        nodes.push_back(std::move(node));
    };
    if (model.is_maps()) return nodes;
    if (model.embedding.exists()) add(embed_node(model));
    if (model.prefix.count() > 0) add(prefix_node(model));
    add(position_node(model, positions, tokens, to));
    if (!model.pre_norm.exists()) return nodes;
    add(norm_node(named_node(Step::pre_norm, Op::norm, Place::front), model.pre_norm,
                  {tokens, Tensor::pre_norm_rows, Tensor::pre_norm_affine, Tensor::pre_norm},
                  {"X", "X"}));
    if (model.layers.front().window.exists())  // otherwise the default text, for CLIP
        nodes.back().meaning =
            "The embeddings are normalized once before the first layer. Each token gets mean 0 and "
            "standard deviation 1. Then two learned rows, γ and β, scale and shift it.";
    return nodes;
}

}  // namespace headlight
