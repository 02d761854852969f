#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "files/tensor_reader.h"
#include "model/decisions.h"
#include "model/model.h"

namespace headlight {

// What a layer's tensors are called. qkv is one product, or query, key and value are three.
struct LayerNames {
    std::string norm1 = "norm1", norm2 = "norm2";
    std::string qkv_weight = "attn.qkv.weight", qkv_bias = "attn.qkv.bias";
    std::string qkv_bias_mask;           // what the bias is multiplied by; empty: nothing
    std::string query_bias, value_bias;  // instead of a bias of all three; keys have none then
    std::string query, key, value;
    std::string query_norm = "attn.q_norm", key_norm = "attn.k_norm";
    std::string concat_norm = "attn.norm";
    std::string projection = "attn.proj";
    std::string mlp_gate;  // apart from mlp_in; empty: mlp_in holds both, or there is none
    bool gate_follows_activation = false;  // of configs that have one key for both
    std::string mlp_in = "mlp.fc1", mlp_norm = "mlp.norm", mlp_out = "mlp.fc2";
    std::string ls1 = "ls1.gamma", ls2 = "ls2.gamma";
    std::vector<std::string> unneeded;  // of a layer's tensors: what follows from others
};

// Which family a file's names mean where they are those of several.
struct FamilyChoice {
    std::string family, origin;
    std::vector<std::string> known{};  // all that it could have been
};

// Turns the tensors of one family into a Model, and says for each thing that they leave open what
// was taken and from where. Everything throws CheckpointError as TensorReader does.
class ModelBuilder {
  public:
    // `at` stands where the model's names begin.
    ModelBuilder(TensorReader at, const Decisions& above, ModelConfig convention, std::string title,
                 FamilyChoice family);

    Model model;
    TensorReader at;
    std::string pooling_origin = "tensor names";
    // Of a layer alone: patches along a side of the picture that it is shown, where nobody says how
    // large that is. 0: as many as there are.
    int most_across = 0;
    bool any_aspect = false;  // pictures keep theirs, in as many patches as a config allows
    [[nodiscard]] const Decisions& decisions() const { return decisions_; }
    [[nodiscard]] int patch_pixels() const;  // of a token's side: the patch, or T2T's splits

    void say(const std::string& what, const std::string& value, const std::string& origin);

    // --- tensors; NAME.weight and NAME.bias, the latter where there is one ---
    Norm norm(TensorReader& reader, const std::string& name, Index width) const;
    Linear linear(TensorReader& reader, const std::string& name, Index outputs, Index inputs) const;
    // As many outputs as the weight has rows.
    Linear linear(TensorReader& reader, const std::string& name, Index inputs) const;
    // A matrix [inputs, outputs] turned round, without bias.
    Linear transposed(TensorReader& reader, const std::string& name, Index inputs) const;
    // A convolution whose stride is its kernel. The model's width.
    Index patch_embedding(const std::string& name);
    // [1, 1, D], [1, D] or [D].
    SharedResult token(const std::string& name, Index width);
    SharedResult registers(const std::string& name, Index width);
    // After the prefix tokens are known.
    void positions(const std::string& name, Index width);

    // Readers of the layers NAME0., NAME1., ... (or NAME0/, ...); of DINOv2's chunks
    // NAME0.0., NAME0.1., NAME1.2., ... No number may be missing.
    [[nodiscard]] std::vector<TensorReader> readers(const std::string& name, char end = '.');
    void heads_are(Index width, Index heads);  // as the tensors say
    // By a norm over one head's channels where there is one, or else by the width.
    void decide_heads(Index width, std::optional<Index> head_dim);
    // Periods as the file has them, or by the formula of its family; says where they are from.
    void rotary(Rotary rotary, const std::string& origin);
    // The base that a config says, or else the family's, and who says it.
    [[nodiscard]] Decided<float> rotary_base(float usual) const;
    Layer layer(TensorReader& reader, const LayerNames& names, Index dim, Index channels,
                int heads) const;
    // All layers of one width; `head_dim` where the file's other tensors say it.
    void layers(std::vector<TensorReader> readers, const LayerNames& names, Index width,
                std::optional<Index> head_dim = {});
    void add_layer(Layer layer);  // names it, and gives it the scale that was asked for
    // Layers that layers() has not read have these beside what they are read for.
    void layers_may_have(std::vector<std::string> unneeded);
    [[nodiscard]] int heads() const { return heads_; }
    [[nodiscard]] float eps() const;
    // Of an MLP without a gate.
    [[nodiscard]] Activation activation() const;
    // Of one with a gate: SiLU where nobody says another curve. `follows_activation`: hidden_act is
    // the curve of the gate too.
    [[nodiscard]] Decided<Activation> gate(bool follows_activation = false) const;

    void decide_image();    // and says so; after the patches and positions
    void say_remarks();     // what the configs ask for and is done otherwise, or not read
    void decide_classes();  // the head's names, and says how it is reached; after the head
    // Tensors of the file that finish() lists as unused, whatever they are called.
    void leave_aside(const std::vector<std::string>& names);
    // No classes then, and the model says so by its name. `reason` is for people.
    void leave_head_out(const std::string& head, const std::string& reason);
    // Facts, preprocessing, names, parts and what is left over. Of the model's own tensors only
    // those of `unneeded` may be, which its code does not need for the encoder's output either:
    // names, or what they begin with and "*" ("head.*"). What else is left over is refused.
    Model finish(const std::vector<std::string_view>& unneeded);

  private:
    void expect_divisible(Index width) const;
    // With the key that changes it, where the family's convention decided.
    [[nodiscard]] std::string origin_of(const std::string& origin, const char* key) const;
    [[nodiscard]] Linear qkv(TensorReader& reader, const LayerNames& names, Index dim,
                             Index channels) const;
    [[nodiscard]] SharedResult packed_bias(TensorReader& reader, const LayerNames& names,
                                           Index channels) const;
    void mlp(TensorReader& reader, const LayerNames& names, Index width, Layer& layer) const;
    void decide_class_names();
    [[nodiscard]] std::string decide_frame();
    void decide_resize();
    [[nodiscard]] std::string framing_origin() const;
    void decide_mean();
    // Whether it is a person's own file (--config).
    [[nodiscard]] bool is_given(const std::string& origin) const;
    void expect_whole_patches(const Decided<PixelSize>& frame) const;
    template <typename T>
    [[nodiscard]] T said_or(std::optional<T> ModelConfig::*field, T usual) const {
        const auto said = decisions_.find(field);
        return said ? said->value : usual;
    }
    void say_encoder();
    void say_sizes();
    void say_stages();  // the same of a model with windows
    [[nodiscard]] std::string scale_origin() const;
    [[nodiscard]] bool is_unneeded(const std::string& name,
                                   const std::vector<std::string_view>& unneeded) const;
    void say_activation();
    void say_tokens();
    // Second heads and the like among what is left over.
    void leave_side_parts_aside(const std::vector<std::string_view>& unneeded);
    void expect_nothing_else(const std::vector<std::string_view>& unneeded);

    Decisions decisions_;
    std::string convention_;
    int heads_ = 1;
    std::string heads_origin_;
    bool gate_follows_activation_ = false;
    std::vector<TensorReader> layer_readers_;
    std::vector<std::string> unneeded_of_layers_;
    std::set<std::string> left_aside_;  // whole names
};

// LayerScale as timm and others name it: ls1.gamma, the same saved as ls1.weight, gamma_1, ...
void take_layer_scale_names(LayerNames& names, const TensorReader& layer);

// Readers of NAME0., NAME1., ... as ModelBuilder::readers has them, of whatever these are.
std::vector<TensorReader> numbered(const TensorReader& at, const std::string& name, char end = '.');

std::string text_of(float number);                     // for a fact
std::string framing_text(const Preprocessing& image);  // for a fact: "stretched, bicubic"

// The side of a square window of so many channels; nothing where there is none.
std::optional<int> side_of(Index numbers, Index channels);

// Three weights [C, D], [C, D], [V, D] and their biases on top of each other: [2C + V, D].
Linear stacked(const Linear& query, const Linear& key, const Linear& value);
Linear stacked(const Linear& above, const Linear& below);  // of keys and values, of a gated MLP
// The weights and biases of two heads halved, side by side: their logits' mean over both inputs.
Linear averaged(const Linear& first, const Linear& second);
// The family that a person asked for, which must be one of `known`, or else the guess.
FamilyChoice choose_family(const TensorReader& reader, const Decisions& decisions,
                           const std::vector<std::string>& known, FamilyChoice guess);
// The name of `names` that the reader has with `ending`, or else the first.
std::string present_name(const TensorReader& reader, const std::vector<std::string>& names,
                         std::string_view ending = ".weight");

// Notes what is left of the file when the model is read.
void set_unused(Model& model, std::vector<std::string> names);

}  // namespace headlight
