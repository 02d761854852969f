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

// The names of a layer's tensors. qkv is one linear layer, or query, key and value are three.
struct LayerNames {
    std::string norm1 = "norm1", norm2 = "norm2";
    std::string qkv_weight = "attn.qkv.weight", qkv_bias = "attn.qkv.bias";
    std::string qkv_bias_mask;           // multiplied with the bias; empty: none
    std::string query_bias, value_bias;  // used instead of one bias for all three; keys then have
                                         // none
    std::string query, key, value;
    std::string query_norm = "attn.q_norm", key_norm = "attn.k_norm";
    std::string concat_norm = "attn.norm";
    std::string projection = "attn.proj";
    std::string mlp_gate;  // if separate from mlp_in; empty: mlp_in holds both, or there is no gate
    bool gate_follows_activation = false;  // for configs with one key for both
    std::string mlp_in = "mlp.fc1", mlp_norm = "mlp.norm", mlp_out = "mlp.fc2";
    std::string ls1 = "ls1.gamma", ls2 = "ls2.gamma";
    std::vector<std::string> unneeded;  // tensors of a layer that follow from others

    // Sets the names of an MLP of three linear layers, if the layer has a gate. The defaults are
    // Hugging Face's.
    void take_gate(const TensorReader& layer, const std::string& gate = "mlp.gate_proj",
                   const std::string& up = "mlp.up_proj",
                   const std::string& down = "mlp.down_proj");
};

// The family chosen for a file whose names fit several.
struct FamilyChoice {
    std::string family, origin;
    std::vector<std::string> known{};  // all candidates
};

// Builds a Model from the tensors of one family. For each property that the tensors leave open, it
// records the chosen value and its origin. All functions throw CheckpointError as TensorReader
// does.
class ModelBuilder {
  public:
    // `at` must be at the start of the model's names.
    ModelBuilder(TensorReader at, const Decisions& above, ModelConfig convention, std::string title,
                 FamilyChoice family);

    Model model;
    TensorReader at;
    std::string pooling_origin = "tensor names";
    // For a bare layer: largest number of patches along a side of the default picture, if nothing
    // specifies its size. 0: no limit.
    int most_across = 0;
    bool any_aspect = false;  // pictures keep their aspect, with as many patches as a config allows
    [[nodiscard]] const Decisions& decisions() const { return decisions_; }
    [[nodiscard]] int patch_pixels() const;  // side of a token: the patch, or T2T's splits

    void say(const std::string& what, const std::string& value, const std::string& origin);

    // --- tensors; NAME.weight and NAME.bias, if there is one ---
    Norm norm(TensorReader& reader, const std::string& name, Index width) const;
    Linear linear(TensorReader& reader, const std::string& name, Index outputs, Index inputs) const;
    // With as many outputs as the weight has rows.
    Linear linear(TensorReader& reader, const std::string& name, Index inputs) const;
    // Transposes a matrix [inputs, outputs] without bias.
    Linear transposed(TensorReader& reader, const std::string& name, Index inputs) const;
    // Reads a convolution whose stride is its kernel size. Returns the model's width.
    Index patch_embedding(const std::string& name);
    // [1, 1, D], [1, D] or [D].
    SharedResult token(const std::string& name, Index width);
    SharedResult registers(const std::string& name, Index width);
    // Must be called after the prefix tokens are known.
    void positions(const std::string& name, Index width);

    // Readers of the layers NAME0., NAME1., ... (or NAME0/, ...), or of DINOv2's chunks NAME0.0.,
    // NAME0.1., NAME1.2., ... The numbers must have no gaps.
    [[nodiscard]] std::vector<TensorReader> readers(const std::string& name, char end = '.');
    void heads_are(Index width, Index heads);  // as the tensors show
    // From head_dim, the width of a norm over one head's channels, if there is one; otherwise from
    // the width.
    void decide_heads(Index width, std::optional<Index> head_dim);
    // Sets the rotation, with periods from the file or by the family's formula, and records
    // `origin`.
    void rotary(Rotary rotary, const std::string& origin);
    // The base from a config, or else the family's usual one, with its origin.
    [[nodiscard]] Decided<float> rotary_base(float usual) const;
    Layer layer(TensorReader& reader, const LayerNames& names, Index dim, Index channels,
                int heads) const;
    // Reads all layers, which have the same width; `head_dim` if other tensors of the file show it.
    void layers(std::vector<TensorReader> readers, const LayerNames& names, Index width,
                std::optional<Index> head_dim = {});
    void add_layer(Layer layer);  // names it and sets the requested scale
    // Allows these tensors in layers that layers() does not read.
    void layers_may_have(std::vector<std::string> unneeded);
    [[nodiscard]] int heads() const { return heads_; }
    [[nodiscard]] float eps() const;
    // For an MLP without a gate.
    [[nodiscard]] Activation activation() const;
    // For an MLP with a gate: SiLU unless a config says otherwise. `follows_activation`: hidden_act
    // also specifies the gate's activation.
    [[nodiscard]] Decided<Activation> gate(bool follows_activation = false) const;

    void decide_image();    // also records it; call after the patches and positions
    void say_remarks();     // records requests of configs that Headlight does not follow or read
    void decide_classes();  // class names, and how the head gets its input; call after the head
    // Makes finish() list these tensors as unused, whatever their names.
    void leave_aside(const std::vector<std::string>& names);
    // Removes the classes and notes it in the model's title. `reason` is for people.
    void leave_head_out(const std::string& head, const std::string& reason);
    // Adds facts, preprocessing, names, parts and unused tensors. Of the model's own tensors, only
    // those in `unneeded` may be unused: names, or prefixes followed by "*" ("head.*"), that the
    // encoder's output does not depend on. Refuses any other unused tensor.
    Model finish(const std::vector<std::string_view>& unneeded);

  private:
    void expect_divisible(Index width) const;
    // Adds the key that changes it, if the family's convention decided.
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
    // True if it is the user's own file (--config).
    [[nodiscard]] bool is_given(const std::string& origin) const;
    void expect_whole_patches(const Decided<PixelSize>& frame) const;
    template <typename T>
    [[nodiscard]] T said_or(std::optional<T> ModelConfig::*field, T usual) const {
        const auto said = decisions_.find(field);
        return said ? said->value : usual;
    }
    void say_encoder();
    void say_sizes();
    void say_stages();  // the same for a model with windows
    [[nodiscard]] std::string scale_origin() const;
    [[nodiscard]] bool is_unneeded(const std::string& name,
                                   const std::vector<std::string_view>& unneeded) const;
    void say_activation();
    void say_tokens();
    // Finds second heads and the like among unused tensors.
    void leave_side_parts_aside(const std::vector<std::string_view>& unneeded);
    void expect_nothing_else(const std::vector<std::string_view>& unneeded);

    Decisions decisions_;
    std::string convention_;
    int heads_ = 1;
    std::string heads_origin_;
    bool gate_follows_activation_ = false;
    std::vector<TensorReader> layer_readers_;
    std::vector<std::string> unneeded_of_layers_;
    std::set<std::string> left_aside_;  // full names
};

// Sets the names of LayerScale in timm and others: ls1.gamma, ls1.weight, gamma_1, ...
void take_layer_scale_names(LayerNames& names, const TensorReader& layer);

// Readers of NAME0., NAME1., ... as in ModelBuilder::readers, for any kind of modules.
std::vector<TensorReader> numbered(const TensorReader& at, const std::string& name, char end = '.');

std::string text_of(float number);                     // for a fact
std::string framing_text(const Preprocessing& image);  // for a fact: "stretched, bicubic"

// The side of a square window with this many channels; nothing if there is none.
std::optional<int> side_of(Index numbers, Index channels);

// Stacks three weights [C, D], [C, D], [V, D] and their biases: [2C + V, D].
Linear stacked(const Linear& query, const Linear& key, const Linear& value);
Linear stacked(const Linear& above, const Linear& below);  // for keys and values, or for a gated
                                                           // MLP
// Two heads side by side with halved weights and biases, so that the logits are the mean of both.
Linear averaged(const Linear& first, const Linear& second);
// The family that the user requested, which must be one of `known`; otherwise the guess.
FamilyChoice choose_family(const TensorReader& reader, const Decisions& decisions,
                           const std::vector<std::string>& known, FamilyChoice guess);
// The same where the tensor names fit one family only.
FamilyChoice choose_family(const TensorReader& reader, const Decisions& decisions,
                           const std::string& only);
// The first of `names` that the reader has with `ending`; otherwise the first of all.
std::string present_name(const TensorReader& reader, const std::vector<std::string>& names,
                         std::string_view ending = ".weight");

// Records the tensors left over after reading the model.
void set_unused(Model& model, std::vector<std::string> names);

}  // namespace headlight
