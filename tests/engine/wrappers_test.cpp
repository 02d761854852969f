#include <gtest/gtest.h>

#include "model_shapes.h"

// Module names inserted by training code, and tensors that change nothing.
namespace headlight::wrappers_test {
namespace {

// Inserts a module into every name with this prefix.
Shapes wrapped(const Shapes& shapes, const std::string& begin, const std::string& wrapper) {
    Shapes changed;
    for (const auto& [name, shape] : shapes)
        changed[name.starts_with(begin) ? begin + wrapper + "." + name.substr(begin.size())
                                        : name] = shape;
    return changed;
}

void expect_same(const Model& a, const Model& b) {
    ASSERT_EQ(a.layers.size(), b.layers.size());
    for (std::size_t l = 0; l < a.layers.size(); ++l)
        EXPECT_EQ(a.layers[l].qkv.weight->view().eigen(), b.layers[l].qkv.weight->view().eigen());
    EXPECT_EQ(a.classifier.exists(), b.classifier.exists());
    EXPECT_TRUE(a.unused.empty());
}

TEST(Wrappers, are_left_out_of_names_wherever_they_stand) {
    Shapes shapes = vit();
    shapes["head.weight"] = {3, 192};
    const auto plain = load(shapes);
    for (const char* wrapper :
         {"_orig_mod", "module", "_fsdp_wrapped_module", "_checkpoint_wrapped_module",
          "_forward_module", "_fsdp_wrapped_module._checkpoint_wrapped_module"})
        for (const char* begin : {"", "blocks.0.", "blocks.1.", "patch_embed.", "blocks.0.attn.",
                                  "blocks.0.norm1.", "blocks.0.mlp.fc1.", "norm.", "head."}) {
            const auto model = load(wrapped(shapes, begin, wrapper));
            expect_same(*model, *plain);
            EXPECT_EQ(fact(*model, "removed from the names").value.empty(), *begin == '\0')
                << begin;
        }
    EXPECT_TRUE(fact(*plain, "removed from the names").value.empty());
    const auto both = load(wrapped(wrapped(shapes, "blocks.0.", "_orig_mod"), "", "module"));
    EXPECT_EQ(both->layers.size(), 2U);
}

// An unused tensor is listed under its name in the file.
TEST(Wrappers, stay_in_the_names_of_unused_tensors) {
    Shapes shapes = wrapped(vit("teacher.backbone."), "teacher.backbone.blocks.0.", "_orig_mod");
    shapes["student.module.extra"] = {2};
    EXPECT_EQ(load(shapes)->unused, std::vector<std::string>{"student.module.extra"});
}

TEST(Wrappers, of_two_tensors_that_would_be_one_both_keep_their_names) {
    Shapes shapes = vit();
    shapes["blocks.0._orig_mod.norm1.weight"] = {192};
    EXPECT_NE(error_of(shapes).find("blocks.0._orig_mod.norm1.weight"), std::string::npos);
}

RawTensor counted(const std::string& name, std::size_t count, bool backwards = false) {
    std::vector<std::int64_t> numbers(count);
    for (std::size_t i = 0; i < count; ++i)
        numbers[i] = static_cast<std::int64_t>(backwards ? count - 1 - i : i);
    return {name, "I64", {1, static_cast<std::int64_t>(count)}, raw(numbers)};
}

RawTensor floats(const std::string& name, std::vector<std::int64_t> shape,
                 const std::vector<float>& numbers) {
    return {name, "F32", std::move(shape), raw(numbers)};
}

// A ViT with further tensors; the error of loading it, or "no error".
std::shared_ptr<const Model> load_with(const std::vector<RawTensor>& more) {
    std::vector<RawTensor> tensors;
    for (const auto& [name, shape] : vit()) {
        std::size_t count = 1;
        for (const std::int64_t n : shape) count *= static_cast<std::size_t>(n);
        tensors.push_back({name, "F32", shape, raw(std::vector<float>(count, 0.5F))});
    }
    tensors.insert(tensors.end(), more.begin(), more.end());
    Folder folder;
    folder.with("a/model.safetensors", safetensors_of(tensors));
    return load_model("a/model.safetensors", folder.reader());
}

std::string error_with(const RawTensor& more) {
    try {
        load_with({more});
    } catch (const CheckpointError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Buffers, that_change_no_number_stop_no_model) {
    for (const RawTensor& buffer : {floats("criterion.weight", {3}, {1, 2, 3}),
                                    floats("loss_fn.pos_weight", {1}, {2}),
                                    floats("pixel_mean", {3, 1, 1}, {0.5F, 0.5F, 0.5F}),
                                    floats("drop_path", {2}, {0, 0.1F}),
                                    floats("blocks.1.drop_path.drop_prob", {}, {0.1F}),
                                    counted("position_ids", 5),
                                    floats("blocks.0.drop_path1.keep", {1}, {1}),
                                    floats("pos_drop.rate", {}, {0.1F}),
                                    floats("blocks.0.attn.proj_drop.p", {}, {0.1F}),
                                    floats("ce.weight", {3}, {1, 2, 3}),
                                    counted("blocks.0.attn.rel_idx", 4),
                                    floats("confusion_matrix", {2, 2}, {1, 2, 3, 4}),
                                    floats("queue", {2, 3}, {1, 2, 3, 4, 5, 6}),
                                    counted("queue_ptr", 1),
                                    floats("center", {1, 3}, {1, 2, 3}),
                                    floats("ema_decay", {}, {0.9F}),
                                    counted("pos_index", 4),
                                    counted("blocks.0.attn.relative_position_index", 4),
                                    counted("blocks.1.num_batches_tracked", 1),
                                    counted("n_averaged", 1),
                                    floats("blocks.0.attn.bias", {1, 1, 2, 2}, {1, 1, 1, 1}),
                                    floats("blocks.0.attn.masked_bias", {}, {-10000})})
        EXPECT_EQ(error_with(buffer), "no error") << buffer.name;
}

// Named like one of these, but with the numbers of a causal mask, another order, or a parameter.
TEST(Buffers, that_compute_are_refused) {
    for (const RawTensor& tensor :
         {floats("blocks.0.attn.bias", {1, 1, 2, 2}, {1, 0, 1, 1}),
          counted("position_ids", 5, true), floats("blocks.0.attn.gate", {3}, {1, 2, 3}),
          floats("blocks.0.criterion", {3}, {1, 2, 3}), floats("blocks.0.center", {3}, {1, 2, 3}),
          floats("blocks.0.attn.rel_idx", {2}, {1, 2}), floats("step", {2, 2}, {1, 2, 3, 4})})
        EXPECT_NE(error_with(tensor).find("one that may use it"), std::string::npos) << tensor.name;
}

TEST(Buffers, of_pixels_say_how_a_picture_is_prepared) {
    const auto unit = load_with({floats("pixel_mean", {3, 1, 1}, {0.1F, 0.2F, 0.3F}),
                                 floats("pixel_std", {3, 1, 1}, {0.4F, 0.5F, 0.6F})});
    EXPECT_EQ(unit->preprocessing.mean[1], 0.2F);
    EXPECT_EQ(unit->preprocessing.std[2], 0.6F);
    EXPECT_NE(fact(*unit, "mean").origin.find("pixel_mean"), std::string::npos);
    const auto bytes = load_with({floats("pixel_mean", {1, 3, 1, 1}, {51, 102, 153}),
                                  floats("pixel_std", {1, 3, 1, 1}, {25.5F, 51, 51})});
    EXPECT_FLOAT_EQ(bytes->preprocessing.mean[0], 0.2F);
    EXPECT_FLOAT_EQ(bytes->preprocessing.std[0], 0.1F);
}

// transformers' newer names for DINOv2's gated MLP: three products instead of two.
TEST(NewerNames, of_a_gated_mlp_are_the_same_products) {
    Shapes older = huggingface("dinov2."), newer = older;
    const std::string at = "dinov2.encoder.layer.0.";
    for (Shapes* shapes : {&older, &newer})
        for (const char* name : {"intermediate.dense.weight", "intermediate.dense.bias",
                                 "output.dense.weight", "output.dense.bias"})
            shapes->erase(at + name);
    add_linear(older, at + "mlp.weights_in", 16, kWidth);
    add_linear(older, at + "mlp.weights_out", kWidth, 8);
    add_linear(newer, at + "mlp.gate_proj", 8, kWidth);
    add_linear(newer, at + "mlp.up_proj", 8, kWidth);
    add_linear(newer, at + "mlp.down_proj", kWidth, 8);
    const auto a = load(older), b = load(newer);
    EXPECT_EQ(b->layers[0].activation, Activation::swiglu);
    EXPECT_EQ(a->layers[0].mlp_in.weight->view().rows, b->layers[0].mlp_in.weight->view().rows);
    // The gate comes first: its first number is that of its own tensor.
    EXPECT_FLOAT_EQ(b->layers[0].mlp_in.weight->view()(1, 0), 0.064F);
    EXPECT_FLOAT_EQ(b->layers[0].mlp_in.weight->view()(9, 0), 0.064F);
}

TEST(NewerNames, of_layer_scale_are_taken) {
    for (const auto& [first, second] :
         {std::pair{"ls1.weight", "ls2.weight"}, std::pair{"ls1.gamma", "ls2.gamma"},
          std::pair{"gamma_1", "gamma_2"}}) {
        Shapes shapes = vit();
        for (const char* layer : {"blocks.0.", "blocks.1."})
            for (const char* name : {first, second}) shapes[std::string(layer) + name] = {192};
        const auto model = load(shapes);
        ASSERT_TRUE(model->layers[1].ls1 && model->layers[1].ls2) << first;
        EXPECT_FLOAT_EQ(model->layers[1].ls2->view()(0, 7), 0.007F);
    }
}

}  // namespace
}  // namespace headlight::wrappers_test
