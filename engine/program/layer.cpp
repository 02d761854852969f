#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "ops/limits.h"
#include "positions/positions.h"
#include "program/program.h"
#include "program/score.h"
#include "program/texts.h"
#include "program/values.h"
#include "program/words.h"

namespace headlight {

namespace {

// Builds the nodes of one layer in order; each uses the results of those before.
class LayerBuilder {
  public:
    LayerBuilder(const Layer& layer, const LayerSettings& settings)
        : layer_(layer), settings_(settings), config_(settings.attention) {}

    std::vector<Node> build() {
        constexpr std::size_t kEnough = 32;  // for every layer known so far; nodes are large
        nodes_.reserve(kEnough);
        if (layer_.merge.exists()) add_merge();
        if (layer_.norm_first && layer_.norm1.exists()) add_norm1(Tensor::input);
        attention();
        if (config_.skip == Skip::both) add_value_skip();
        add_skip();
        if (layer_.mlp_in.exists())
            mlp();
        else if (norm_ends())
            add_norm1(Tensor::residual1, {Tensor::output, Tensor::norm1});
        if (settings_.cross) say_across();
        return std::move(nodes_);
    }

  private:
    static Node start(Step step, Op op) { return named_node(step, op, Place::layer); }
    void add(Node node) { nodes_.push_back(std::move(node)); }

    // Swin's patch merging: a quarter of the tokens, with twice the width.
    void add_merge() {
        Node gather = start(Step::merge_gather, Op::gather);
        gather.operands = {Tensor::merge_input};
        gather.results = {Tensor::merge_gathered};
        gather.equation =
            symbol_of(Tensor::merge_gathered) + " = [" + symbol_of(Tensor::merge_input) + "_{00} " +
            symbol_of(Tensor::merge_input) + "_{10} " + symbol_of(Tensor::merge_input) + "_{01} " +
            symbol_of(Tensor::merge_input) + "_{11}]";
        gather.pytorch =
            "G = U.reshape(B, h // 2, 2, w // 2, 2, -1).permute(0, 1, 3, 4, 2, 5).flatten(3)"
            ".flatten(1, 2)";
        add(std::move(gather));
        add(norm_node(
            start(Step::merge_norm, Op::norm), layer_.merge.norm,
            {Tensor::merge_gathered, Tensor::merge_rows, Tensor::merge_affine, Tensor::merge_norm},
            {"N", "G"}));
        add(linear_node(
            start(Step::merge, Op::linear), layer_.merge.reduction,
            {Tensor::merge_norm, Tensor::merge_weight, Tensor::merge_bias, Tensor::input},
            {"X", "N", "m"}));
    }

    // Post-norm attention without an MLP: the norm's result is the layer's output.
    [[nodiscard]] bool norm_ends() const {
        return !layer_.norm_first && layer_.norm1.exists() && !layer_.mlp_in.exists();
    }

    // All of `to` name the same matrix; the step shows the first.
    void add_norm1(Tensor from, const std::vector<Tensor>& to = {Tensor::norm1}) {
        Node node = norm_node(
            start(Step::norm1, Op::norm), layer_.norm1,
            {from, Tensor::norm1_rows, Tensor::norm1_affine, to.front(), Tensor::norm1_running},
            {norm_ends() ? "Y" : "N1", layer_.norm_first ? "X" : "Y1", "D", "g1", "b1"});
        node.results.insert(node.results.end(), to.begin() + 1, to.end());
        if (!layer_.norm_first && node.op == Op::norm)
            node.meaning =
                "Here the norm comes after the sum (post-norm). The residual stream itself is "
                "normalized to mean 0 and standard deviation 1, token by token, then scaled by γ "
                "and shifted by β. The first transformers did this; very deep ones are hard to "
                "train that way.";
        add(std::move(node));
    }

    // For cross-attention, replaces texts that assume one set of tokens.
    void say_across() {
        for (Node& node : nodes_) {
            if (node.meaning != text_of(node.id).meaning) continue;
            if (node.id == Step::products)
                node.meaning =
                    "Every query is compared with every key: their channels are multiplied one by "
                    "one, and the products are added up. The sum is large when the two point in "
                    "the same direction. It measures how well the key matches the query.";
            if (node.id == Step::softmax)
                node.meaning =
                    "Each row becomes attention weights. The exponential makes every score "
                    "positive, and dividing by the row's sum makes the row add up to 1. Row i now "
                    "says how query i divides its attention among the keys.";
            if (node.id == Step::mix)
                node.meaning =
                    "Every query gets a weighted sum of the values; the weights are its row of A. "
                    "This is the only way information reaches the queries.";
        }
    }

    // The tensor that queries, keys and values are computed from.
    [[nodiscard]] Tensor read() const {
        return layer_.norm_first && layer_.norm1.exists() ? Tensor::norm1 : settings_.reads;
    }

    void attention() {
        const bool learned = config_.variant.projections == Projections::learned;
        if (learned) add_projection();
        if (learned && rectifies()) add_qkv_activation();
        add_cut();
        if (layer_.query_norm.exists()) add_head_norm();
        if (settings_.rotary) add_rotation();
        if (layer_.features)
            for (Node& node : performer_nodes(layer_)) add(std::move(node));
        else
            add_scores();
        attention_ = Tensor::attention;
        add_dropout(Step::attention_dropout, attention_, Tensor::attention_dropped,
                    config_.variant.dropout.attention);
        if (config_.variant.sum_over == SumOver::queries) add_turn();
        add_mix();
        add_concat();
        branch_ = Tensor::concat;
        if (layer_.concat_norm.exists()) add_concat_norm();
        if (learned) add_output_projection();
        add_dropout(Step::output_dropout, branch_, Tensor::projection_dropped,
                    config_.variant.dropout.output);
        if (layer_.ls1)
            add_stretch(Step::ls1, layer_.ls1, Tensor::ls1_gamma, Tensor::ls1, "Z = Z * gamma_1");
    }

    void add_scores() {
        for (Node& node : score_nodes(layer_, config_)) add(std::move(node));
        add_scale();
        if (biased()) add_relative_bias();
        if (masked()) add_mask();
        add_weights();
    }

    void add_projection() {
        if (settings_.cross) return add_two_projections();
        const Tensor from = read();
        add(linear_node(start(Step::qkv, Op::project), layer_.qkv,
                        {from, Tensor::qkv_weight, Tensor::qkv_bias, Tensor::qkv},
                        {"qkv", from == Tensor::norm1 ? "N1" : "X", "qkv"}));
        projected_ = {Tensor::qkv};
    }

    // Queries from one set of tokens, keys and values from another.
    void add_two_projections() {
        Node queries =
            linear_node(start(Step::qkv, Op::linear), layer_.of_queries,
                        {read(), Tensor::query_weight, Tensor::query_bias, Tensor::query_only},
                        {"q", read() == Tensor::norm1 ? "N1" : "X", "q"});
        queries.title = "Q";
        queries.meaning =
            "Each of these tokens is turned into a query: what am I looking for? They attend to a "
            "second set of tokens, which may be larger or smaller.";
        Node others = linear_node(start(Step::key_value, Op::linear), layer_.of_keys_values,
                                  {Tensor::value_tokens, Tensor::key_value_weight,
                                   Tensor::key_value_bias, Tensor::key_value},
                                  {"kv", "X_kv", "kv"});
        projected_ = {Tensor::query_only, Tensor::key_value};
        add(std::move(queries));
        add(std::move(others));
    }

    void add_cut() {
        Node node = start(Step::heads, Op::cut);
        const bool raw = layer_.query_norm.exists();
        node.operands = projected_;
        node.results = {raw ? Tensor::raw_query : unrotated_query(),
                        raw ? Tensor::raw_key : unrotated_key(), Tensor::value, Tensor::values};
        if (projected_.empty()) return add_uncut(std::move(node));
        node.parameters = CutParameters{config_.heads, config_.head_dim(), config_.value_dim()};
        node.equation = symbol_of(node.results[0]) + ", " + symbol_of(node.results[1]) + ", " +
                        symbol_of(Tensor::value) + " = split(" + symbol_of(node.operands[0]) + ")";
        const auto cut = [](const std::string& parts) {
            return "q, k, v = (x.unflatten(-1, (H, -1)).transpose(1, 2) for x in " + parts + ")";
        };
        node.pytorch = "q, k, v = qkv.reshape(B, N, 3, H, hd).permute(2, 0, 3, 1, 4)";
        if (config_.value_dim() != config_.head_dim())
            node.pytorch = cut("qkv.split([C, C, C_v], dim=-1)");
        if (settings_.cross) {
            node.equation = symbol_of(node.results[0]) + " = split(" + symbol_of(node.operands[0]) +
                            "), " + symbol_of(node.results[1]) + ", " + symbol_of(Tensor::value) +
                            " = split(" + symbol_of(node.operands[1]) + ")";
            node.pytorch = cut("(q, *kv.split([C, C_v], dim=-1))");
        }
        add(std::move(node));
    }

    // Without projections, queries, keys and values are the tokens.
    void add_uncut(Node node) {
        node.operands = {read()};
        if (settings_.cross) node.operands.push_back(Tensor::value_tokens);
        node.parameters =
            CutParameters{config_.heads, config_.head_dim(), config_.value_dim(), true};
        const std::string from = symbol_of(node.operands[0]), q = symbol_of(node.results[0]),
                          k_and_v = symbol_of(node.results[1]) + " = " + symbol_of(Tensor::value);
        node.title = "Q = K = V";
        node.equation = q + " = " + k_and_v + " = " + from;
        node.pytorch = "q = k = v = X[:, None]";
        node.meaning =
            "Nothing is learned here: every token is its own query, its own key and its own value. "
            "The result is an average of all tokens, weighted by similarity.";
        if (settings_.cross) {
            node.title = "Q, K = V";
            node.equation = q + " = " + from + ", " + k_and_v + " = " + symbol_of(node.operands[1]);
            node.pytorch = "q = X[:, None]; k = v = X_kv[:, None]";
            node.meaning =
                "Nothing is learned here: these tokens are the queries, and the second set of "
                "tokens are both keys and values. The result is an average of the second set, "
                "weighted by similarity to the query.";
        }
        add(std::move(node));
    }

    void add_head_norm() {
        Node node = start(Step::qk_norm, Op::norm_heads);
        const Norm &query = layer_.query_norm, &key = layer_.key_norm;
        node.operands = {Tensor::raw_query, Tensor::raw_key};
        node.results = {unrotated_query(), unrotated_key()};
        node.weights = {{Tensor::query_norm_affine, query.gamma},
                        {Tensor::query_norm_affine, query.beta},
                        {Tensor::key_norm_affine, key.gamma},
                        {Tensor::key_norm_affine, key.beta}};
        node.parameters = NormParameters{query.eps, key.eps};
        node.equation = symbol_of(node.results[0]) + ", " + symbol_of(node.results[1]) +
                        " = norm(" + symbol_of(Tensor::raw_query) + "), norm(" +
                        symbol_of(Tensor::raw_key) + ")";
        node.pytorch = "q, k = q_norm(q), k_norm(k)";
        add(std::move(node));
    }

    // The results of the projections, before rotary positions if there are any.
    [[nodiscard]] Tensor unrotated_query() const {
        return settings_.rotary ? Tensor::query_unrotated : Tensor::query;
    }
    [[nodiscard]] Tensor unrotated_key() const {
        return settings_.rotary ? Tensor::key_unrotated : Tensor::key;
    }

    void add_rotation() {
        Node node = start(Step::rotary, Op::rotate);
        node.operands = {Tensor::query_unrotated, Tensor::key_unrotated};
        node.results = {Tensor::query, Tensor::key, Tensor::rotary_sine, Tensor::rotary_cosine};
        node.parameters = *settings_.rotary;
        const std::string before = symbol_of(Tensor::query_unrotated);
        node.equation = symbol_of(Tensor::query) + " = " + before + " · " +
                        symbol_of(Tensor::rotary_cosine) + " + turn(" + before + ") · " +
                        symbol_of(Tensor::rotary_sine);
        const std::string turn = settings_.rotary->pairs == Rotary::Pairs::halves
                                     ? "torch.cat([-x[..., hd // 2:], x[..., :hd // 2]], -1)"
                                     : "torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)";
        node.pytorch = "q, k = (x * cos + " + turn + " * sin for x in (q, k))";
        add(std::move(node));
    }

    [[nodiscard]] bool masked() const {
        return !settings_.mask.empty() || settings_.given_mask || layer_.window.exists();
    }

    [[nodiscard]] bool biased() const {
        return settings_.made_bias || (settings_.relative_bias && layer_.relative_bias.exists());
    }

    // The result of the scale step.
    [[nodiscard]] Tensor after_scale() const {
        return masked() || biased() ? Tensor::scaled : Tensor::scores;
    }
    [[nodiscard]] Tensor before_mask() const { return biased() ? Tensor::biased : Tensor::scaled; }

    static std::string meaning_of_made_bias(BiasStart start) {
        if (start == BiasStart::drawn)
            return "A number is added to every score. Each head has one number for each offset in "
                   "rows and columns from query to key. Here they are drawn from a seed, as "
                   "before training.";
        return "A number that grows with the distance between query and key is subtracted from "
               "every score. Each head has its own slope, 2^(−8 h/H), so some heads attend only "
               "to nearby patches, whatever they show. Nothing here is learned.";
    }

    void add_relative_bias() {
        const RelativeBias& bias = layer_.relative_bias;
        Node node = start(Step::relative_bias, Op::relative);
        node.operands = {Tensor::scaled, Tensor::relative_bias};
        node.results = {masked() ? Tensor::biased : Tensor::scores, Tensor::relative_bias};
        if (settings_.made_bias) {
            node.results.push_back(Tensor::relative_table);
            node.parameters = *settings_.made_bias;
            node.meaning = meaning_of_made_bias(settings_.made_bias->made->start) +
                           (settings_.trained_so ? "" : " The model was not trained this way.");
        } else {
            node.weights = {{Tensor::relative_table, bias.table}};
            node.parameters =
                RelativeParameters{bias.grid_rows, bias.grid_cols, {}, 0, layer_.window};
        }
        if (layer_.window.exists() && !settings_.made_bias)
            node.meaning =
                "A learned number is added to the score of any two tokens in the same window. "
                "Each head has one number for each offset in rows and columns from query to key. "
                "Swin has no other positions: this tells the layer where its tokens are.";
        node.equation = symbol_of(node.result()) + " = " + symbol_of(Tensor::scaled) + " + " +
                        symbol_of(Tensor::relative_bias);
        node.pytorch = "S = S + table[index].permute(2, 0, 1)";
        if (layer_.window.exists() && !settings_.made_bias) node.pytorch += " * same_window";
        add(std::move(node));
    }

    void add_scale() {
        Node node = start(Step::scale, Op::scale);
        const std::string head_dim = std::to_string(config_.head_dim());
        node.operands = {Tensor::products};
        node.results = {after_scale()};
        node.parameters = ScaleParameters{config_.factor()};
        if (config_.score() != Score::scaled_dot) return add_temperature(std::move(node));
        const std::string warmth =
            config_.temperature == 1.0F ? "" : " / " + number_text(config_.temperature);
        node.equation = symbol_of(node.result()) + " = " + symbol_of(Tensor::products) +
                        (config_.scale ? " · " + number_text(*config_.scale) : " / √" + head_dim) +
                        warmth;
        node.pytorch = (config_.scale ? "S = R * " + number_text(*config_.scale)
                                      : "S = R / math.sqrt(" + head_dim + ")") +
                       warmth;
        if (config_.scale)
            node.meaning =
                "Every product is multiplied by the same number. Usually it is 1/√head_dim, "
                "because sums over more channels are larger. Here another number is set.";
        if (!warmth.empty())
            node.meaning += std::string(" The temperature divides the scores once more, and ") +
                            (config_.temperature < 1.0F ? "sharpens" : "spreads") +
                            " the attention.";
        add(std::move(node));
    }

    // For a score without a scale.
    void add_temperature(Node node) {
        const std::string by = number_text(config_.temperature);
        const bool one = config_.temperature == 1.0F;
        node.title = "Temperature";
        node.equation = symbol_of(node.result()) + " = " + symbol_of(Tensor::products) +
                        (one ? "" : " / " + by);
        node.pytorch = one ? "S = R" : "S = R / " + by;
        node.meaning =
            "This score is not scaled by the width of a head; only the temperature divides it. "
            "Below 1 it sharpens the attention, above 1 it spreads it, and 1 changes nothing.";
        add(std::move(node));
    }

    void add_mask() {
        Node node = start(Step::mask, Op::mask);
        const bool added = settings_.given_mask && !settings_.given_mask->added.empty();
        node.operands = {before_mask()};
        node.results = {Tensor::scores};
        node.parameters = MaskParameters{settings_.mask, settings_.given_mask, layer_.window};
        node.equation = symbol_of(Tensor::scores) + " = mask(" + symbol_of(before_mask()) + ")";
        node.pytorch = mask_line(added);
        if (layer_.window.exists()) say_windows(node);
        if (!settings_.mask.empty())
            node.meaning = sentences_of(settings_.mask) + " " + node.meaning;
        if (added)
            node.meaning = "The numbers of the mask are added to the scores. " + node.meaning;
        add(std::move(node));
    }

    // What is added to the scores, then what is masked: by windows, by the given mask, by rules.
    [[nodiscard]] std::string mask_line(bool added) const {
        const bool apart = layer_.window.shift > 0;
        std::string sum = "S", blocks;
        if (added) sum += " + added";
        if (apart) sum += " + apart";
        const auto block = [&](bool there, const std::string& what) {
            if (there) blocks += (blocks.empty() ? "" : " | ") + what;
        };
        block(layer_.window.exists(), "~same_window");
        block(settings_.given_mask != nullptr, "mask");
        block(!settings_.mask.empty(), pytorch_of(settings_.mask));
        return "S = " + (added || apart ? "(" + sum + ")" : sum) + ".masked_fill(" + blocks +
               ", -math.inf)";
    }

    // The number of windows depends on the picture; a single window is not shifted.
    void say_windows(Node& node) const {
        const std::string side = std::to_string(layer_.window.size),
                          shift = std::to_string(layer_.window.shift);
        node.title = "Windows";
        node.meaning = "Each token attends only to its window of " + side + " × " + side +
                       " tokens; all other scores become −∞, which the softmax turns into 0. ";
        if (layer_.window.shift > 0)
            node.meaning += "If there are several windows, they begin " + shift +
                            " rows and columns later than in the layer before. So neighbors that "
                            "were in different windows there can attend to each other here. The "
                            "shift wraps around the picture. Tokens that are in one window only "
                            "because of this get −100 added to their scores.";
        else
            node.meaning +=
                "The authors compute only the windows, so the cost grows with the number of "
                "patches instead of its square.";
    }

    void add_weights() {
        if (config_.variant.weights_from == Weighting::softmax) return add_softmax();
        Node node = start(Step::softmax, Op::largest);
        node.operands = {Tensor::scores};
        node.results = {Tensor::attention};
        node.title = "Maximum";
        node.equation =
            symbol_of(Tensor::attention) + " = argmax(" + symbol_of(Tensor::scores) + ")";
        node.pytorch = "A = F.one_hot(S.argmax(dim=-1), M).to(S.dtype)";
        if (masked()) node.pytorch += " * (S > -math.inf)";
        node.meaning =
            "The key with the largest score in the row gets all of the attention; of equal scores, "
            "the first one. The slightest change can move the attention to another key, and the "
            "gradient is zero almost everywhere. This is why models use the softmax instead.";
        add(std::move(node));
    }

    // Adds nothing if p is 0.
    void add_dropout(Step step, Tensor& from, Tensor to, float p) {
        if (p == 0) return;
        Node node = start(step, Op::dropout);
        const std::uint64_t stream = step == Step::attention_dropout ? 1 : 2;
        node.operands = {from};
        node.results = {to};
        node.parameters = DropoutParameters{p, config_.variant.dropout.seed, stream};
        node.equation =
            symbol_of(to) + " = dropout(" + symbol_of(from) + ", " + number_text(p) + ")";
        const std::string letter(letter_of(from));
        node.pytorch = letter + " = F.dropout(" + letter + ", " + number_text(p) + ")";
        add(std::move(node));
        from = to;
    }

    void add_turn() {
        Node node = start(Step::turn, Op::turn);
        node.operands = {attention_};
        node.results = {Tensor::attention_turned};
        node.equation =
            symbol_of(Tensor::attention_turned) + " = transpose(" + symbol_of(attention_) + ")";
        node.pytorch = "A = A.transpose(-2, -1)";
        add(std::move(node));
        attention_ = Tensor::attention_turned;
    }

    // EVA-02 calls this sub-LN.
    void add_concat_norm() {
        add(norm_node(start(Step::concat_norm, Op::norm), layer_.concat_norm,
                      {Tensor::concat, Tensor::concat_norm_rows, Tensor::concat_norm_affine,
                       Tensor::concat_norm},
                      {"O", "O", "C"}));
        branch_ = Tensor::concat_norm;
    }

    void add_output_projection() {
        add(linear_node(
            start(Step::project, Op::linear), layer_.projection,
            {branch_, Tensor::projection_weight, Tensor::projection_bias, Tensor::projection},
            {"Z", "O", "o"}));
        branch_ = Tensor::projection;
        if (!rectifies()) return;
        add(rectified(start(Step::project_activation, Op::activate), {Tensor::projection},
                      {Tensor::projection_activated}, "Z = F.relu(Z)"));
        branch_ = Tensor::projection_activated;
    }

    [[nodiscard]] bool rectifies() const {
        return config_.variant.activation_after == ActivationAfter::relu;
    }

    static Node rectified(Node node, std::vector<Tensor> from, std::vector<Tensor> to,
                          std::string line) {
        node.equation = symbol_of(to[0]) + " = max(" + symbol_of(from[0]) + ", 0)";
        node.operands = std::move(from);
        node.results = std::move(to);
        node.parameters = ActivateParameters{false, Activation::relu};
        node.pytorch = std::move(line);
        return node;
    }

    void add_qkv_activation() {
        Node node = start(Step::qkv_activation, Op::activate);
        if (settings_.cross)
            node = rectified(std::move(node), {Tensor::query_only, Tensor::key_value},
                             {Tensor::query_only_activated, Tensor::key_value_activated},
                             "q, kv = F.relu(q), F.relu(kv)");
        else
            node = rectified(std::move(node), {Tensor::qkv}, {Tensor::qkv_activated},
                             "qkv = F.relu(qkv)");
        projected_ = node.results;
        add(std::move(node));
    }

    void add_softmax() {
        Node node = start(Step::softmax, Op::softmax);
        node.operands = {Tensor::scores};
        node.results = {Tensor::attention};
        node.equation =
            symbol_of(Tensor::attention) + " = softmax(" + symbol_of(Tensor::scores) + ")";
        node.pytorch = "A = S.softmax(dim=-1)";
        if (masked()) node.pytorch += ".nan_to_num()";  // for rows that are entirely masked
        add(std::move(node));
    }

    void add_mix() {
        Node node = start(Step::mix, Op::mix);
        node.operands = {attention_, Tensor::value};
        node.results = {Tensor::head_output};
        node.parameters = MixParameters{settings_.switched_off};
        const std::string product = symbol_of(attention_) + " " + symbol_of(Tensor::value);
        node.equation = symbol_of(Tensor::head_output) + " = " + product;
        node.pytorch = "O = A @ v";
        node.equation_off = symbol_of(Tensor::head_output) + " = 0 · " + product;
        node.pytorch_off = "O = 0 * (A @ v)";
        node.meaning_off =
            "This head is switched off: its A·V is set to zero, whatever it attends to, and the "
            "next steps work without it. How much the prediction changes measures its importance.";
        add(std::move(node));
    }

    void add_concat() {
        Node node = start(Step::concat, Op::join);
        node.operands = {Tensor::head_output};
        node.results = {Tensor::concat};
        node.equation = "{concat:O} = concat({head_output:O}_{1} … {head_output:O}_{" +
                        std::to_string(config_.heads) + "})";
        node.pytorch = "O = O.transpose(1, 2).flatten(2)";
        add(std::move(node));
    }

    void add_stretch(Step step, const SharedResult& gamma, Tensor name, Tensor to,
                     std::string line) {
        Node node = start(step, Op::stretch);
        node.operands = {branch_, name};
        node.weights = {{name, gamma}};
        node.results = {to};
        node.equation = symbol_of(to) + " = " + symbol_of(branch_) + " · " + symbol_of(name);
        node.pytorch = std::move(line);
        add(std::move(node));
        branch_ = to;
    }

    // The letter of attention's branch, before V is added to it.
    [[nodiscard]] std::string_view letter_of_branch() const {
        const bool projected = config_.variant.projections == Projections::learned;
        return projected || branch_ == Tensor::value_skip ? "Z" : "O";
    }

    // Adds V first, if X is added as well.
    void add_value_skip() {
        Node node = start(Step::value_skip, Op::add);
        node.operands = {Tensor::values, branch_};
        node.results = {Tensor::value_skip};
        node.equation = symbol_of(Tensor::value_skip) + " = " + symbol_of(Tensor::values) + " + " +
                        symbol_of(branch_);
        node.pytorch = "Z = V + " + std::string(letter_of_branch());
        add(std::move(node));
        branch_ = Tensor::value_skip;
    }

    // Adds the skip connection of attention; without an MLP this is the layer's output.
    void add_skip() {
        const bool ends = !layer_.mlp_in.exists() && !norm_ends(),
                   of_input = adds_input(config_.skip);
        const Tensor skip = of_input ? Tensor::input : Tensor::values;
        Node node = start(Step::skip, Op::add);
        node.operands = {skip, branch_};
        node.results = {Tensor::residual1};
        if (ends) node.results = {Tensor::output, Tensor::residual1};
        const std::string branch(letter_of_branch());
        node.equation =
            symbol_of(node.result()) + " = " + symbol_of(skip) + " + " + symbol_of(branch_);
        const std::string y = ends ? "Y = " : "Y1 = ";
        node.pytorch = y + std::string(letter_of(skip)) + " + " + branch;
        if (config_.skip == Skip::none) {
            node.title = "Output";
            node.operands = {branch_};
            node.equation = symbol_of(node.result()) + " = " + symbol_of(branch_);
            node.pytorch = y + branch;
            node.meaning =
                "This layer has no residual connection. Its output is the projection alone, so it "
                "keeps only what the heads passed on.";
            if (config_.variant.projections == Projections::none)
                node.meaning =
                    "Nothing is added to the weighted sum. Each output is an average of all "
                    "tokens, weighted by their similarity to its own token. Similar tokens move "
                    "closer together.";
        } else if (!of_input) {
            node.meaning =
                "The output of attention is added to the token's own values, not to its input. "
                "Like a residual connection, this keeps a direct path open, and it works where "
                "input and output have different widths.";
        } else if (!ends) {
            node.title = "+ Residual";
            node.meaning =
                std::string(
                    "What the heads found is added to the residual stream, which bypasses "
                    "the heads unchanged. ") +
                (layer_.norm_first ? "Every layer only adds to it; nothing is overwritten."
                                   : "Then a norm rescales the sum (post-norm).");
        }
        add(std::move(node));
    }

    void mlp() {
        const Tensor from = layer_.norm_first ? Tensor::norm2 : Tensor::norm1;
        if (layer_.norm_first)
            add_norm2(Tensor::residual1, {Tensor::norm2}, {"N2", "Y1", "D", "g2", "b2"});
        else
            add_norm1(Tensor::residual1);
        add(linear_node(start(Step::mlp_in, Op::linear), layer_.mlp_in,
                        {from, Tensor::mlp_in_weight, Tensor::mlp_in_bias, Tensor::mlp_hidden},
                        {"H", layer_.norm_first ? "N2" : "N1", "1"}));
        add_activation();
        Tensor activated = Tensor::mlp_activation;
        if (layer_.mlp_norm.exists()) {
            add(norm_node(
                start(Step::mlp_norm, Op::norm), layer_.mlp_norm,
                {activated, Tensor::mlp_norm_rows, Tensor::mlp_norm_affine, Tensor::mlp_norm},
                {"G", "G", "hidden"}));
            activated = Tensor::mlp_norm;
        }
        add(linear_node(start(Step::mlp_out, Op::linear), layer_.mlp_out,
                        {activated, Tensor::mlp_out_weight, Tensor::mlp_out_bias, Tensor::mlp},
                        {"M", "G", "2"}));
        branch_ = Tensor::mlp;
        if (layer_.ls2)
            add_stretch(Step::ls2, layer_.ls2, Tensor::ls2_gamma, Tensor::ls2, "M = M * gamma_2");
        if (layer_.norm_first) return add_mlp_skip(Tensor::residual1, Tensor::output, "Y = Y1 + M");
        add_mlp_skip(from, Tensor::residual2, "Y2 = N1 + M");
        add_norm2(Tensor::residual2, {Tensor::output, Tensor::norm2}, {"Y", "Y2", "D", "g2", "b2"});
    }

    // All of `to` name the same matrix; the step shows the first.
    void add_norm2(Tensor from, const std::vector<Tensor>& to, const NormNames& names) {
        Node node = norm_node(
            start(Step::norm2, Op::norm), layer_.norm2,
            {from, Tensor::norm2_rows, Tensor::norm2_affine, to.front(), Tensor::norm2_running},
            names);
        node.results.insert(node.results.end(), to.begin() + 1, to.end());
        if (!layer_.norm_first && node.op == Op::norm)
            node.meaning =
                "The second norm comes at the very end (post-norm). Its result is the layer's "
                "output, and all that the next layer sees.";
        add(std::move(node));
    }

    void add_mlp_skip(Tensor stream, Tensor to, std::string line) {
        Node node = start(Step::residual2, Op::add);
        node.operands = {stream, branch_};
        node.results = {to};
        node.equation = symbol_of(to) + " = " + symbol_of(stream) + " + " + symbol_of(branch_);
        node.pytorch = std::move(line);
        if (!layer_.norm_first)
            node.meaning =
                "The output of the MLP is added to its input. One more norm of the sum gives the "
                "layer's output.";
        add(std::move(node));
    }

    void add_activation() {
        Node node = start(Step::activation, Op::activate);
        node.operands = {Tensor::mlp_hidden};
        node.results = {Tensor::mlp_activation};
        add(activation_node(std::move(node), layer_.activation));
    }

    const Layer& layer_;
    const LayerSettings& settings_;
    const AttentionConfig& config_;
    std::vector<Node> nodes_;
    std::vector<Tensor> projected_;  // queries, keys and values before they are split into heads
    Tensor attention_ = Tensor::attention;
    Tensor branch_ = Tensor::projection;  // what will be added to the residual stream
};

}  // namespace

std::vector<Node> layer_nodes(const Layer& layer, const LayerSettings& settings) {
    return LayerBuilder(layer, settings).build();
}

std::vector<Node> map_nodes(const Model& model, int b) {
    Node node = named_node(Step::softmax, Op::softmax, Place::layer);
    node.operands = {Tensor::scores};
    node.results = {Tensor::attention};
    node.weights = {{Tensor::attention, model.maps[static_cast<std::size_t>(b)]}};
    node.title = "Attention";
    node.equation = symbol_of(Tensor::attention);
    node.pytorch = "A = maps[layer]";
    node.meaning =
        "Row i says how token i divides its attention. These maps come from the file. It holds no "
        "scores, values or weights, so nothing here can be recomputed.";
    return {node};
}

}  // namespace headlight
