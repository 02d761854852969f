#include "program/attention_pool.h"

#include <cmath>
#include <string>
#include <utility>

#include "program/words.h"

namespace headlight {

namespace {

// The steps of a layer with a single query; the names in their lines of PyTorch are the same.
class PoolBuilder {
  public:
    PoolBuilder(const AttentionPool& pool, Index heads, Tensor tokens)
        : pool_(pool), heads_(heads), tokens_(tokens) {}

    std::vector<Node> build() {
        add_probe();
        add(linear_node(start(Step::pool_query, Op::linear), pool_.query,
                        {Tensor::pool_probe, Tensor::pool_query_weight, Tensor::pool_query_bias,
                         Tensor::pool_query_all},
                        {"q", "t", "q"}));
        add(linear_node(start(Step::pool_key_value, Op::linear), pool_.key_value,
                        {tokens_, Tensor::pool_key_value_weight, Tensor::pool_key_value_bias,
                         Tensor::pool_key_value},
                        {"kv", letter_of(tokens_), "kv"}));
        add_cut();
        add_scores();
        add_output();
        add(linear_node(start(Step::pool_project, Op::linear), pool_.projection,
                        {Tensor::pool_concat, Tensor::pool_projection_weight,
                         Tensor::pool_projection_bias, Tensor::pool_projection},
                        {"Z", "O", "o"}));
        add_mlp();
        return std::move(nodes_);
    }

  private:
    static Node start(Step step, Op op) { return named_node(step, op, Place::end); }
    void add(Node node) { nodes_.push_back(std::move(node)); }
    [[nodiscard]] Index width() const { return pool_.query.weight->view().rows; }

    void add_probe() {
        Node node = start(Step::pool_probe, Op::learned);
        node.results = {Tensor::pool_probe};
        node.weights = {{Tensor::pool_probe, pool_.probe}};
        node.equation = symbol_of(Tensor::pool_probe);
        node.pytorch = "t = probe.expand(B, -1, -1)";
        add(std::move(node));
    }

    void add_cut() {
        Node node = start(Step::pool_heads, Op::cut);
        node.operands = {Tensor::pool_query_all, Tensor::pool_key_value};
        node.results = {Tensor::pool_query, Tensor::pool_key, Tensor::pool_value,
                        Tensor::pool_values};
        node.parameters = CutParameters{heads_, width() / heads_, width() / heads_};
        node.equation = symbol_of(Tensor::pool_query) + " = split(" +
                        symbol_of(Tensor::pool_query_all) + "), " + symbol_of(Tensor::pool_key) +
                        ", " + symbol_of(Tensor::pool_value) + " = split(" +
                        symbol_of(Tensor::pool_key_value) + ")";
        node.pytorch =
            "q, k, v = (x.unflatten(-1, (H, -1)).transpose(1, 2) for x in (q, *kv.chunk(2, -1)))";
        add(std::move(node));
    }

    void add_scores() {
        Node products = start(Step::pool_products, Op::multiply);
        products.operands = {Tensor::pool_query, Tensor::pool_key};
        products.results = {Tensor::pool_products};
        products.equation = symbol_of(Tensor::pool_products) + " = " +
                            symbol_of(Tensor::pool_query) + " " + symbol_of(Tensor::pool_key) +
                            "^{T}";
        products.pytorch = "R = q @ k.transpose(-2, -1)";
        add(std::move(products));

        const Index head_dim = width() / heads_;
        Node scale = start(Step::pool_scale, Op::scale);
        scale.operands = {Tensor::pool_products};
        scale.results = {Tensor::pool_scores};
        scale.parameters = ScaleParameters{1 / std::sqrt(static_cast<float>(head_dim))};
        scale.equation = symbol_of(Tensor::pool_scores) + " = " + symbol_of(Tensor::pool_products) +
                         " / √" + std::to_string(head_dim);
        scale.pytorch = "S = R / math.sqrt(" + std::to_string(head_dim) + ")";
        add(std::move(scale));

        Node softmax = start(Step::pool_softmax, Op::softmax);
        softmax.operands = {Tensor::pool_scores};
        softmax.results = {Tensor::pool_attention};
        softmax.equation = symbol_of(Tensor::pool_attention) + " = softmax(" +
                           symbol_of(Tensor::pool_scores) + ")";
        softmax.pytorch = "A = S.softmax(dim=-1)";
        add(std::move(softmax));
    }

    void add_output() {
        Node mix = start(Step::pool_mix, Op::mix);
        mix.operands = {Tensor::pool_attention, Tensor::pool_value};
        mix.results = {Tensor::pool_output};
        mix.parameters = MixParameters{};
        mix.equation = symbol_of(Tensor::pool_output) + " = " + symbol_of(Tensor::pool_attention) +
                       " " + symbol_of(Tensor::pool_value);
        mix.pytorch = "O = A @ v";
        add(std::move(mix));

        Node concat = start(Step::pool_concat, Op::join);
        concat.operands = {Tensor::pool_output};
        concat.results = {Tensor::pool_concat};
        concat.equation = "{pool_concat:O} = concat({pool_output:O}_{1} … {pool_output:O}_{" +
                          std::to_string(heads_) + "})";
        concat.pytorch = "O = O.transpose(1, 2).flatten(2)";
        add(std::move(concat));
    }

    void add_mlp() {
        add(norm_node(start(Step::pool_norm, Op::norm), pool_.norm,
                      {Tensor::pool_projection, Tensor::pool_norm_rows, Tensor::pool_norm_affine,
                       Tensor::pool_norm},
                      {"N_p", "Z"}));
        add(linear_node(start(Step::pool_mlp_in, Op::linear), pool_.mlp_in,
                        {Tensor::pool_norm, Tensor::pool_mlp_in_weight, Tensor::pool_mlp_in_bias,
                         Tensor::pool_mlp_hidden},
                        {"H", "N_p", "1"}));
        Node curve = start(Step::pool_activation, Op::activate);
        curve.operands = {Tensor::pool_mlp_hidden};
        curve.results = {Tensor::pool_mlp_activation};
        add(activation_node(std::move(curve), pool_.activation));
        add(linear_node(start(Step::pool_mlp_out, Op::linear), pool_.mlp_out,
                        {Tensor::pool_mlp_activation, Tensor::pool_mlp_out_weight,
                         Tensor::pool_mlp_out_bias, Tensor::pool_mlp},
                        {"M", "G", "2"}));
        Node sum = start(Step::pool, Op::add);
        sum.operands = {Tensor::pool_projection, Tensor::pool_mlp};
        sum.results = {Tensor::pooled};
        sum.title = "+ MLP";
        sum.equation = symbol_of(Tensor::pooled) + " = " + symbol_of(Tensor::pool_projection) +
                       " + " + symbol_of(Tensor::pool_mlp);
        sum.pytorch = "c = (Z + M)[:, 0]";
        sum.meaning =
            "The output of the MLP is added to the projection, as it was before the norm. The sum "
            "is one row that represents the whole picture. The model calls it the pooler's output.";
        add(std::move(sum));
    }

    const AttentionPool& pool_;
    Index heads_;
    Tensor tokens_;
    std::vector<Node> nodes_;
};

}  // namespace

std::vector<Node> attention_pool_nodes(const Model& model, Tensor tokens) {
    return PoolBuilder(model.attention_pool, model.layers.back().attention.heads, tokens).build();
}

}  // namespace headlight
