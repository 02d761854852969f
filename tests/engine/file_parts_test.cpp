#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model_shapes.h"

// Parts of checkpoint files: aliases of shared tensors, shards, several encoders, additions, packed
// weights; and configs of other models beside it.
namespace headlight::file_parts_test {
namespace {

// ---- aliases

std::vector<RawTensor> raw_tensors(const Shapes& shapes) {
    std::vector<RawTensor> tensors;
    float seed = 0;
    for (const auto& [name, shape] : shapes) {
        std::size_t count = 1;
        for (const std::int64_t n : shape) count *= static_cast<std::size_t>(n);
        std::vector<float> numbers(count);
        for (std::size_t i = 0; i < count; ++i)
            numbers[i] = std::sin(seed + 0.37F * static_cast<float>(i));
        seed += 1;
        tensors.push_back({name, "F32", shape, raw(numbers)});
    }
    return tensors;
}

// With metadata before the tensors.
Bytes with_metadata(const std::vector<RawTensor>& tensors, const std::string& metadata) {
    const Bytes plain = safetensors_of(tensors);
    std::uint64_t length = 0;
    std::memcpy(&length, plain.data(), sizeof(length));
    std::string text(reinterpret_cast<const char*>(plain.data()), plain.size());
    std::string header = text.substr(8, length), data = text.substr(8 + length);
    header = R"({"__metadata__":)" + metadata + "," + header.substr(1);
    return bytes_of(raw(std::vector<std::uint64_t>{header.size()}) + header + data);
}

// Layers 1 and 2 share all weights with layer 0; the names of 2 refer to those of 1.
struct Tied {
    std::vector<RawTensor> stored, written_out;
    std::string metadata = R"({"format":"pt")";

    Tied() {
        stored = raw_tensors(vit("", 1));
        written_out = stored;
        for (const RawTensor& tensor : stored) {
            if (!tensor.name.starts_with("blocks.0.")) continue;
            RawTensor copy = tensor;
            for (const char* layer : {"1", "2"}) {
                const std::string before = copy.name;
                copy.name.replace(7, 1, layer);
                written_out.push_back(copy);
                metadata += ",\"" + copy.name + "\":\"" + before + '"';
            }
        }
        metadata += "}";
    }
};

bool same(const Linear& a, const Linear& b) {
    return a.weight->view().eigen() == b.weight->view().eigen() &&
           a.bias->view().eigen() == b.bias->view().eigen();
}

TEST(TiedTensors, are_read_from_the_metadata) {
    const Tied tied;
    Folder folder;
    Bytes file = with_metadata(tied.stored, tied.metadata);
    folder.with("tied", file).with("plain", safetensors_of(tied.written_out));
    const auto found = load_model("tied", folder.reader()),
               expected = load_model("plain", folder.reader());
    ASSERT_EQ(found->layers.size(), 3U);
    for (std::size_t l = 0; l < 3; ++l) {
        EXPECT_TRUE(same(found->layers[l].qkv, expected->layers[l].qkv));
        EXPECT_TRUE(same(found->layers[l].mlp_out, expected->layers[l].mlp_out));
        EXPECT_EQ(found->layers[l].norm1.beta->view().eigen(),
                  expected->layers[l].norm1.beta->view().eigen());
    }
}

// The file stores the numbers under the name of another part that shares them.
TEST(TiedTensors, are_nothing_beside_the_model_under_the_name_they_are_stored_by) {
    Shapes shapes = vit("", 1);
    shapes["head.weight"] = {5, 192};
    const std::vector<RawTensor> plain = raw_tensors(shapes);
    std::vector<RawTensor> stored = plain;
    std::ranges::find(stored, "head.weight", &RawTensor::name)->name = "aux";
    const auto found = load_model(
        "m", Folder().with("m", with_metadata(stored, R"({"head.weight":"aux"})")).reader());
    const auto expected = load_model("m", Folder().with("m", safetensors_of(plain)).reader());
    ASSERT_TRUE(found->classifier.exists());
    EXPECT_EQ(found->classifier.weight->view().eigen(),
              expected->classifier.weight->view().eigen());
    EXPECT_TRUE(found->unused_tensors.empty());
    // The same tensor without the alias could be anything.
    EXPECT_NE(error_of("m", safetensors_of(stored)).find("\"aux\""), std::string::npos);
}

TEST(TiedTensors, may_lead_from_shard_to_shard) {
    const Tied tied;
    std::vector<RawTensor> first, second;
    std::string map, index;
    for (const RawTensor& tensor : tied.stored) {
        const bool of_layer = tensor.name.starts_with("blocks.");
        (of_layer ? first : second).push_back(tensor);
        map += (map.empty() ? "" : ",") + ('"' + tensor.name) + R"(":"m-0000)" +
               (of_layer ? "1" : "2") + R"(-of-00002.safetensors")";
    }
    const auto with_index = [&](const std::string& metadata, const std::string& of_shard) {
        return Folder()
            .with("m.safetensors.index.json",
                  R"({"metadata":)" + metadata + R"(,"weight_map":{)" + map + "}}")
            .with("m-00001-of-00002.safetensors", safetensors_of(first))
            .with("m-00002-of-00002.safetensors", with_metadata(second, of_shard));
    };
    for (const auto& [in_index, in_shard] :
         {std::pair{tied.metadata, std::string("{}")}, std::pair{std::string("{}"), tied.metadata}})
        EXPECT_EQ(load_model("m.safetensors.index.json", with_index(in_index, in_shard).reader())
                      ->layers.size(),
                  3U);
}

TEST(TiedTensors, whose_target_is_missing_are_refused) {
    const auto error = [](const std::string& metadata) {
        return error_of("m", with_metadata(raw_tensors(vit("", 1)), metadata));
    };
    EXPECT_NE(
        error(R"({"blocks.1.norm1.weight":"blocks.9.norm1.weight"})").find("\"blocks.9.norm1"),
        std::string::npos);
    EXPECT_NE(error(R"({"a.weight":"b.weight","b.weight":"a.weight"})").find("found none"),
              std::string::npos);
    EXPECT_EQ(error(R"({"format":"pt","title":"my model","modelspec.author":"x.y","n":"1"})"),
              "no error");
}

// ---- shards

TEST(Shards, that_the_index_leaves_out_are_refused) {
    const auto tensors = raw_tensors(vit("", 2));
    std::string map;
    for (const RawTensor& tensor : tensors)
        if (!tensor.name.starts_with("blocks.1."))
            map += (map.empty() ? "" : ",") + ('"' + tensor.name) + R"(":"a.safetensors")";
    const Folder folder = Folder()
                              .with("m.index.json", R"({"weight_map":{)" + map + "}}")
                              .with("a.safetensors", safetensors_of(tensors));
    try {
        load_model("m.index.json", folder.reader());
        FAIL();
    } catch (const CheckpointError& error) {
        EXPECT_NE(std::string(error.what()).find("\"blocks.1."), std::string::npos);
    }
}

TEST(Shards, fewer_than_their_names_say_are_refused) {
    const std::string index = R"({"weight_map":{"x":"m-00001-of-00003.safetensors",
                                                "y":"m-00002-of-00003.safetensors"}})";
    EXPECT_NE(error_of("m", bytes_of(index)).find("all 3 shards"), std::string::npos);
}

TEST(Shards, with_fewer_layers_than_the_config_says_are_refused) {
    std::string map;
    const auto tensors = raw_tensors(vit("", 2));
    for (const RawTensor& tensor : tensors)
        map += (map.empty() ? "" : ",") + ('"' + tensor.name) + R"(":"a.safetensors")";
    const Folder folder = Folder()
                              .with("m.index.json", R"({"weight_map":{)" + map + "}}")
                              .with("a.safetensors", safetensors_of(tensors))
                              .with("config.json", R"({"num_hidden_layers": 3})");
    EXPECT_THROW(load_model("m.index.json", folder.reader()), CheckpointError);
}

// ---- configs of other models

struct Contradiction {
    std::string config, key;
};

TEST(ForeignConfigs, are_left_aside_as_a_whole_and_named) {
    for (const auto& [config, key] :
         {Contradiction{R"({"hidden_size": 384, "num_attention_heads": 6})", "hidden_size"},
          Contradiction{R"({"num_attention_heads": 6, "num_hidden_layers": 12})",
                        "num_hidden_layers"},
          Contradiction{R"({"num_attention_heads": 6, "intermediate_size": 99})",
                        "intermediate_size"},
          Contradiction{R"({"num_attention_heads": 5})", "num_attention_heads"},
          Contradiction{R"({"n_heads": 6, "n_layers": 3})", "n_layers"},
          Contradiction{R"({"depth": 1, "num_heads": 6})", "depth"},
          Contradiction{R"({"architecture": "vit_small_patch16_224", "num_features": 384,
                            "model_args": {"num_heads": 6}})",
                        "num_features"},
          Contradiction{R"({"num_attention_heads": 6, "patch_size": 14})", "patch_size"},
          Contradiction{R"({"hidden_size": 192, "vision_config": {"hidden_size": 96,
                            "num_attention_heads": 6}})",
                        "hidden_size"},
          Contradiction{R"({"model_cfg": {"embed_dim": 192, "vision_cfg": {"width": 768,
                            "layers": 2, "head_width": 32}}})",
                        "width"}}) {
        const auto model = load(vit(), config);
        EXPECT_EQ(model->layers[0].attention.heads, 3) << config;
        ASSERT_EQ(model->warnings.size(), 1U) << config;
        EXPECT_NE(model->warnings[0].find('"' + key + '"'), std::string::npos)
            << model->warnings[0];
        EXPECT_EQ(fact(*model, "config not used").value, "config.json") << config;
    }
}

// timm's model_args, all of which the tensors show as well.
TEST(ForeignConfigs, contradict_by_arguments_of_the_model_too) {
    const auto left_aside = [](const std::string& arguments) {
        const auto model =
            load(vit(), R"({"architecture": "vit_a", "model_args": {)" + arguments + "}}");
        EXPECT_EQ(model->warnings.size(), fact(*model, "config not used").value.empty() ? 0U : 1U);
        return model->warnings.empty() ? "" : model->warnings[0];
    };
    for (const char* wrong :
         {R"("img_size": 224)", R"("img_size": [2, 4])", R"("patch_size": [7, 7])", R"("depth": 9)",
          R"("embed_dim": 96)", R"("class_token": false)", R"("global_pool": "map")",
          R"("global_pool": "avg")", R"("reg_tokens": 4)", R"("qkv_bias": false)",
          R"("init_values": 1e-5)", R"("qk_norm": true)", R"("in_chans": 1)", R"("mlp_ratio": 4)",
          R"("pre_norm": true)", R"("no_embed_class": true)"}) {
        const std::string key = std::string(wrong).substr(0, std::string(wrong).find(':'));
        EXPECT_NE(left_aside(wrong).find(key + " is "), std::string::npos) << wrong;
        Folder folder;
        folder.with("m", safetensors_of(vit()));
        const ModelConfig given = parse_given_config(
            bytes_of(std::string(R"({"model_args": {)") + wrong + "}}"), "c.json");
        EXPECT_THROW(load_model("m", folder.reader(), {}, given), CheckpointError) << wrong;
    }
    for (const char* right :
         {R"("patch_size": [2, 2], "depth": 2, "embed_dim": 192, "class_token": true)",
          R"("global_pool": "token", "reg_tokens": 0, "init_values": null, "in_chans": 3)",
          R"("global_pool": "avg", "fc_norm": false, "qkv_bias": true)"})
        EXPECT_EQ(left_aside(right), "") << right;
}

TEST(ForeignConfigs, are_not_those_that_only_choose_heads) {
    EXPECT_NE(error_of(vit(), R"({"num_heads": 5})").find("num_heads"), std::string::npos);
}

TEST(ForeignConfigs, take_the_processor_beside_them_along) {
    Folder folder;
    folder.with("a/model.safetensors", safetensors_of(vit()))
        .with("a/config.json", R"({"hidden_size": 384})")
        .with("a/preprocessor_config.json", R"({"image_mean": [0.1, 0.2, 0.3]})");
    const auto model = load_model("a/model.safetensors", folder.reader());
    EXPECT_NE(model->preprocessing.mean[0], 0.1F);
}

TEST(ForeignConfigs, that_are_given_are_refused) {
    const auto given = [](const std::string& json) {
        Folder folder;
        folder.with("m", safetensors_of(vit()));
        const ModelConfig config = parse_given_config(bytes_of(json), "c.json");
        return load_model("m", folder.reader(), {}, config)->layers[0].attention.heads;
    };
    EXPECT_THROW(given(R"({"num_hidden_layers": 12, "num_attention_heads": 3})"), CheckpointError);
    EXPECT_THROW(given(R"({"hidden_size": 384, "num_attention_heads": 6})"), CheckpointError);
    EXPECT_THROW(given(R"({"num_heads": 5})"), CheckpointError);
    EXPECT_EQ(given(R"({"num_heads": 6})"), 6);
    EXPECT_EQ(given(R"({"depth": 2, "embed_dim": 192, "heads": 6})"), 6);
}

TEST(ForeignConfigs, are_told_from_those_of_the_model) {
    for (const char* config :
         {R"({"hidden_size": 192, "num_hidden_layers": 2, "intermediate_size": 8,
              "num_attention_heads": 6, "patch_size": 2})",
          // A language model's own sizes are beside those of its vision tower.
          R"({"hidden_size": 4096, "num_hidden_layers": 32, "vision_config": {"hidden_size": 192,
              "num_attention_heads": 6}})",
          R"({"embed_dim": 192, "hidden_size": 3584, "num_heads": 6})",
          R"({"num_heads": 6, "depth": null, "patch_size": [2, 2]})"}) {
        const auto model = load(vit(), config);
        EXPECT_EQ(model->layers[0].attention.heads, 6) << config;
        EXPECT_TRUE(model->warnings.empty()) << config;
    }
}

// ---- several encoders

Shapes encoders(const std::vector<std::string>& prefixes) {
    Shapes all;
    int layers = 1;
    for (const std::string& prefix : prefixes) all.merge(vit(prefix, layers++));
    return all;
}

// Which encoder is read: it has as many layers as its place in the list.
std::string chosen(const std::vector<std::string>& prefixes,
                   const std::optional<std::string>& part = {}) {
    ModelOptions options;
    options.part = part;
    const auto model = load(encoders(prefixes), "", options);
    return prefixes[model->layers.size() - 1];
}

TEST(Encoders, are_chosen_by_whole_words) {
    const std::vector<std::vector<std::string>> files{
        {"encoder.", "target_encoder."},
        {"encoder.module.", "target_encoder.module."},
        {"student.backbone.", "teacher.backbone."},
        {"model.", "model_ema."},
        {"", "ema."},
        {"module.encoder.", "module.ema_model."},
        {"online_model.", "ema_model."},
        {"target_encoder.", "online_encoder."},
        {"module.momentum_encoder.", "module.base_encoder."},
        {"encoder_k.", "encoder_q."},
        {"depth_encoder.", "rgb_encoder."},
        {"backbone_thermal.", "backbone_rgb."},
        {"audioEncoder.", "imageEncoder."},
        {"depth.encoder.", "encoder."},
        {"decoder.", "encoder."}};
    for (const auto& prefixes : files) {
        EXPECT_EQ(chosen(prefixes), prefixes.back());
        EXPECT_EQ(chosen({prefixes.back(), prefixes.front()}), prefixes.back());
        const auto model = load(encoders(prefixes));
        EXPECT_EQ(model->encoders.size(), 2U);
        EXPECT_TRUE(model->warnings.empty());
    }
}

TEST(Encoders, without_a_rule_say_so) {
    const auto model = load(encoders({"semantic_encoder.", "appearance_encoder."}));
    EXPECT_EQ(model->encoder, "appearance_encoder");
    ASSERT_EQ(model->warnings.size(), 1U);
    EXPECT_NE(model->warnings[0].find("--part"), std::string::npos);
    EXPECT_EQ(fact(*model, "other part").value, "semantic_encoder");
}

TEST(Encoders, can_be_asked_for) {
    const std::vector<std::string> prefixes{"student.backbone.", "teacher.backbone."};
    for (const char* part : {"student", "student.", "student.backbone"})
        EXPECT_EQ(chosen(prefixes, part), prefixes[0]) << part;
    EXPECT_EQ(chosen({"", "ema."}, "."), "");
    EXPECT_EQ(chosen({"a.model.", "a.ema."}, "model"), "a.model.");
    EXPECT_EQ(chosen({"model.", "ema."}, "model"), "model.");
    for (const char* part : {"teach", "backbone", "x", "ema"})
        EXPECT_THROW(chosen(prefixes, part), CheckpointError) << part;
    EXPECT_EQ(chosen({"vit."}, "vit"), "vit.");
    // Names as in the file, although wrappers inside them are skipped in reading.
    EXPECT_EQ(chosen({"encoder.module.", "target_encoder.module."}, "encoder.module"),
              "encoder.module.");
    EXPECT_THROW(chosen({"vit."}, "teacher"), CheckpointError);
}

TEST(Encoders, of_two_namings_do_not_mix) {
    Shapes both = huggingface("rgb.");
    both.merge(vit("depth."));
    EXPECT_EQ(load(both)->family, "hf-vit");
    ModelOptions options;
    options.part = "depth";
    EXPECT_EQ(load(both, "", options)->layers.size(), 2U);
}

// ---- additions

// The weight of the first layer's first product, after merging these additions.
Matrix qkv_of(const Shapes& additions, const std::string& adapter_config = "",
              const std::string& base = "") {
    Shapes shapes;
    for (const auto& [name, shape] : vit("m.", 1)) {
        const std::string at = "m.blocks.0.attn.qkv.";
        shapes[name.starts_with(at) ? at + base + name.substr(at.size()) : name] = shape;
    }
    for (const auto& [name, shape] : additions) shapes["m.blocks.0.attn.qkv." + name] = shape;
    Folder folder;
    folder.with("a/model.safetensors", safetensors_of(shapes));
    if (!adapter_config.empty()) folder.with("a/adapter_config.json", adapter_config);
    return load_model("a/model.safetensors", folder.reader())->layers[0].qkv.weight->view().eigen();
}

// As safetensors_of() fills a tensor.
double filled(Index i) { return 0.001 * static_cast<double>(i % 997); }

constexpr Index kOut = 3 * 192, kIn = 192, kRank = 2;

double product(Index row, Index col) {
    double sum = 0;
    for (Index r = 0; r < kRank; ++r) sum += filled(row * kRank + r) * filled(r * kIn + col);
    return sum;
}

void expect_lora(const Matrix& found, double scale) {
    for (Index row = 0; row < kOut; ++row)
        for (Index col = 0; col < kIn; ++col)
            ASSERT_NEAR(found(row, col), filled(row * kIn + col) + scale * product(row, col), 2e-5);
}

const Shapes kLora{{"lora_A.default.weight", {kRank, kIn}},
                   {"lora_B.default.weight", {kOut, kRank}}};

TEST(Additions, of_low_rank_are_merged) {
    const std::string base = "base_layer.";
    expect_lora(qkv_of(kLora, R"({"lora_alpha": 8, "r": 2})", base), 4);
    expect_lora(qkv_of(kLora, R"({"lora_alpha": 8, "use_rslora": true})", base), 8 / std::sqrt(2));
    expect_lora(qkv_of(kLora, R"({"lora_alpha": 8, "alpha_pattern": {"attn.qkv": 2}})", base), 1);
    expect_lora(qkv_of(kLora, R"({"lora_alpha": 6})"), 3);
    expect_lora(qkv_of({{"lora_A.weight", {kRank, kIn}}, {"lora_B.weight", {kOut, kRank}}}), 1);
    // kohya's files keep alpha beside them: here 0, the only number of such a tensor.
    expect_lora(
        qkv_of(
            {{"lora_down.weight", {kRank, kIn}}, {"lora_up.weight", {kOut, kRank}}, {"alpha", {}}},
            R"({"lora_alpha": 8})"),
        0);
}

TEST(Additions, whose_scale_is_assumed_say_so) {
    Shapes shapes = vit("", 1);
    for (const auto& [name, shape] : kLora) shapes["blocks.0.attn.qkv." + name] = shape;
    const auto model = load(shapes);
    ASSERT_EQ(model->warnings.size(), 1U);
    EXPECT_NE(model->warnings[0].find("lora_alpha"), std::string::npos);
    EXPECT_NE(fact(*model, "additions").value.find("LoRA"), std::string::npos);
    EXPECT_TRUE(load(shapes, R"({"lora_alpha": 2})")->warnings.empty());
}

TEST(Additions, with_magnitudes_are_merged) {
    Shapes dora = kLora;
    dora["lora_magnitude_vector.default.weight"] = {kOut};
    const Matrix found = qkv_of(dora, R"({"lora_alpha": 2})", "base_layer.");
    for (Index row = 0; row < kOut; ++row) {
        double squares = 0;
        const auto sum = [&](Index col) { return filled(row * kIn + col) + product(row, col); };
        for (Index col = 0; col < kIn; ++col) squares += sum(col) * sum(col);
        for (Index col = 0; col < kIn; ++col)
            ASSERT_NEAR(found(row, col), filled(row) * sum(col) / std::sqrt(squares), 2e-5);
    }
}

TEST(Additions, of_factors_are_merged) {
    const Matrix outputs = qkv_of({{"ia3_l.default", {kOut, 1}}}, "", "base_layer.");
    const Matrix inputs = qkv_of({{"ia3_l.default", {1, kIn}}}, "", "base_layer.");
    for (Index row = 0; row < kOut; ++row)
        for (Index col = 0; col < kIn; ++col) {
            ASSERT_NEAR(outputs(row, col), filled(row * kIn + col) * filled(row), 1e-6);
            ASSERT_NEAR(inputs(row, col), filled(row * kIn + col) * filled(col), 1e-6);
        }
}

TEST(Additions, in_a_file_beside_the_model_are_merged) {
    Folder folder;
    Shapes adapter;
    const Shapes additions{{"lora_A.weight", {kRank, kIn}}, {"lora_B.weight", {kOut, kRank}}};
    for (const auto& [name, shape] : additions)
        adapter["base_model.model.blocks.0.attn.qkv." + name] = shape;
    folder.with("a/model.safetensors", safetensors_of(vit("", 1)))
        .with("a/adapter_model.safetensors", safetensors_of(adapter))
        .with("a/adapter_config.json", R"({"lora_alpha": 4})");
    const auto model = load_model("a/model.safetensors", folder.reader());
    expect_lora(model->layers[0].qkv.weight->view().eigen(), 2);
    EXPECT_FALSE(model->warnings.empty());
    const std::string alone = error_of("b/adapter_model.safetensors", safetensors_of(adapter));
    EXPECT_NE(alone.find("only an adapter"), std::string::npos) << alone;
}

TEST(Additions, of_which_only_a_config_speaks_are_missed) {
    Folder folder;
    folder.with("a/model.safetensors", safetensors_of(vit("", 1)))
        .with("a/adapter_config.json", R"({"lora_alpha": 4})");
    const auto model = load_model("a/model.safetensors", folder.reader());
    ASSERT_EQ(model->warnings.size(), 1U);
    EXPECT_NE(model->warnings[0].find("adapter_config.json"), std::string::npos);
}

TEST(Additions, that_are_merged_already_leave_plain_names) {
    EXPECT_EQ(qkv_of({}, "", "base_layer."), qkv_of({}));
}

TEST(Additions, that_have_no_known_place_are_refused_by_name) {
    for (const char* name :
         {"lora.0.A", "adapters.0.down.weight", "blocks.0.adapter.up.weight", "prompt_embeddings",
          "blocks.0.attn.qkv.hada_w1_a", "blocks.0.attn.qkv.lokr_w1", "deep_prompts",
          "blocks.0.attn.qkv.lora_A.one.weight", "blocks.0.attn.qkv.oft_r.default",
          "prompt_learner.ctx", "prompt_encoder.default.embedding.weight", "w_As.0.weight",
          "w_b.0.weight", "blocks.0.attn.qkv.linear_a_q.weight"}) {
        Shapes shapes = vit("backbone.", 1);
        const std::string inside = std::string(name).starts_with("blocks") ? "backbone." : "";
        shapes[inside + name] = {2, 192};
        const std::string error = error_of(shapes);
        EXPECT_NE(error.find(name), std::string::npos) << error;
        EXPECT_NE(error.find("merge"), std::string::npos) << error;
    }
    for (const char* name : {"prompt_encoder.x.weight", "prompt_encoder.point_embeddings.0.weight",
                             "semantic.weight", "explora.weight"}) {
        Shapes shapes = vit("backbone.", 1);
        shapes[name] = {2, 192};
        EXPECT_EQ(error_of(shapes), "no error");
    }
}

TEST(Additions, beside_a_part_that_is_asked_for_are_said) {
    Shapes shapes = vit("backbone.", 1);
    shapes["lora.0.A"] = {2, 192};
    ModelOptions options;
    options.part = "backbone";
    const auto model = load(shapes, "", options);
    ASSERT_EQ(model->warnings.size(), 1U);
    EXPECT_NE(model->warnings[0].find("lora.0.A"), std::string::npos);
}

// ---- an adapter beside the model

const std::string kPeftName = "base_model.model.";

struct AdapterFiles {
    Shapes base = vit("", 1), adapter;
    std::string config = R"({"peft_type": "LORA", "r": 2, "lora_alpha": 4})";
    ModelOptions options{};

    AdapterFiles(const std::string& base_prefix, const std::string& adapter_prefix,
                 const std::string& name = "") {
        base = vit(base_prefix, 1);
        const std::string at = adapter_prefix + "blocks.0.attn.qkv.lora_";
        adapter[at + "A." + name + "weight"] = {kRank, kIn};
        adapter[at + "B." + name + "weight"] = {kOut, kRank};
    }
    [[nodiscard]] std::shared_ptr<const Model> load() const {
        Folder folder;
        folder.with("a/model.safetensors", safetensors_of(base))
            .with("a/adapter_model.safetensors", safetensors_of(adapter))
            .with("a/adapter_config.json", config);
        return load_model("a/model.safetensors", folder.reader(), options);
    }
    [[nodiscard]] std::string error() const {
        try {
            (void)load();
        } catch (const CheckpointError& error) {
            return error.what();
        }
        return "no error";
    }
};

Matrix qkv_of(const AdapterFiles& files) {
    return files.load()->layers[0].qkv.weight->view().eigen();
}

TEST(Adapters, are_placed_though_their_names_begin_otherwise) {
    for (const auto& [base, adapter] : std::vector<std::pair<std::string, std::string>>{
             {"", kPeftName},
             {"", kPeftName + "vit."},
             {"", kPeftName + "model.vit."},
             {"", "backbone."},
             {"", "module." + kPeftName},
             {"", kPeftName + "_orig_mod."},
             {"", kPeftName + "0."},
             {"vit.", kPeftName},
             {"model.", kPeftName + "backbone."},
             {"model.backbone.", kPeftName + "vit."}}) {
        SCOPED_TRACE(base + " " + adapter);
        expect_lora(qkv_of(AdapterFiles(base, adapter)), 2);
        expect_lora(qkv_of(AdapterFiles(base, adapter, "default.")), 2);
    }
}

TEST(Adapters, that_fit_nowhere_or_in_two_places_are_refused_with_both_names) {
    for (const char* prefix : {"x.y.3.", "text_model.", "blocks.1.x."}) {
        const std::string error = AdapterFiles("", kPeftName + prefix).error();
        EXPECT_NE(error.find(kPeftName + prefix + "blocks.0.attn.qkv.lora_A"), std::string::npos)
            << error;
        EXPECT_NE(error.find("\"blocks.0.attn.qkv.weight\""), std::string::npos) << error;
    }
    AdapterFiles later("", kPeftName);  // of a layer that the model has not
    later.adapter = {{kPeftName + "blocks.3.attn.qkv.lora_A.weight", {kRank, kIn}},
                     {kPeftName + "blocks.3.attn.qkv.lora_B.weight", {kOut, kRank}}};
    EXPECT_NE(later.error().find("no match"), std::string::npos);

    AdapterFiles two("student.", kPeftName);
    two.base.merge(vit("teacher.", 1));
    EXPECT_NE(two.error().find("\"student.blocks.0.attn.qkv\" and \"teacher."), std::string::npos)
        << two.error();
    two.options.part = "student";
    expect_lora(qkv_of(two), 2);
    // The names belong to one encoder, and another is opened.
    AdapterFiles other("", kPeftName);
    other.base.merge(vit("ema.", 1));
    EXPECT_NE(other.error().find("--part"), std::string::npos) << other.error();
}

TEST(Adapters, whose_settings_contradict_their_tensors_are_refused_with_both_numbers) {
    AdapterFiles files("", kPeftName);
    files.config = R"({"peft_type": "LORA", "r": 8, "lora_alpha": 4})";
    EXPECT_NE(files.error().find("expected rank 8"), std::string::npos) << files.error();
    EXPECT_NE(files.error().find("found 2"), std::string::npos) << files.error();
    files.config = R"({"r": 8, "lora_alpha": 4, "rank_pattern": {"blocks\\.[0-3]\\.attn.qkv": 2}})";
    expect_lora(qkv_of(files), 2);
    files.config = R"({"r": 2, "lora_alpha": 4, "rank_pattern": {"qkv": 3}})";
    EXPECT_NE(files.error().find("\"rank_pattern\""), std::string::npos) << files.error();
    for (const char* setting :
         {R"("fan_in_fan_out": true)", R"("use_dora": true)", R"("use_qalora": true)",
          R"("bias": "lora_only")", R"("bias": "some")", R"("modules_to_save": ["head"])",
          R"("modules_to_save": ["a", "b"])", R"("init_lora_weights": "pissa")",
          R"("peft_type": "LOHA")", R"("layer_replication": [[0, 1]])", R"("lora_bias": true)",
          R"("alpha_pattern": {"(": 2})"}) {
        files.config = std::string(R"({"r": 2, "lora_alpha": 4, )") + setting + "}";
        const std::string key = std::string(setting).substr(0, std::string(setting).find(':'));
        EXPECT_NE(files.error().find(key), std::string::npos) << setting << ": " << files.error();
    }
    for (const char* setting : {R"("fan_in_fan_out": false, "init_lora_weights": "gaussian")",
                                R"("bias": "none", "modules_to_save": null, "lora_bias": false)",
                                R"("peft_version": "0.18", "target_modules": ["qkv"])"}) {
        files.config = std::string(R"({"r": 2, "lora_alpha": 4, )") + setting + "}";
        expect_lora(qkv_of(files), 2);
        EXPECT_EQ(fact(*files.load(), "settings not read").value, "") << setting;
    }
}

TEST(Adapters, give_each_module_its_own_alpha) {
    AdapterFiles files("", kPeftName + "vit.");
    for (const auto& [pattern, scale] : {std::pair{"qkv", 3.0},
                                         {"attn.qkv", 3.0},
                                         {"^vit\\\\.blocks.*qkv", 3.0},
                                         {"kv", 2.0},
                                         {"blocks.0", 2.0},
                                         {"proj|qkv", 3.0}}) {
        files.config =
            std::string(R"({"r": 2, "lora_alpha": 4, "alpha_pattern": {")") + pattern + R"(": 6}})";
        expect_lora(qkv_of(files), scale);
    }
    files.config = R"({"peft_type": "LORA", "r": 2})";  // 8 without a lora_alpha
    expect_lora(qkv_of(files), 4);
    EXPECT_EQ(files.load()->warnings.size(), 2U);
}

TEST(Adapters, may_hold_biases_and_whole_modules) {
    AdapterFiles files("", kPeftName + "vit.");
    const std::string at = kPeftName + "vit.";
    files.adapter[at + "blocks.0.attn.qkv.lora_B.bias"] = {kOut};
    files.base["blocks.0.attn.qkv.bias"] = {kOut};
    const Matrix scaled = files.load()->layers[0].qkv.bias->view().eigen();
    for (Index i = 0; i < kOut; ++i) EXPECT_NEAR(scaled(0, i), 3 * filled(i), 1e-5);

    files.adapter.erase(at + "blocks.0.attn.qkv.lora_B.bias");
    files.adapter[at + "blocks.0.attn.qkv.base_layer.bias"] = {kOut};
    files.adapter[at + "head.modules_to_save.default.weight"] = {5, 192};
    files.adapter[at + "head.modules_to_save.default.bias"] = {5};
    EXPECT_NE(files.error().find("vit.head."), std::string::npos) << files.error();
    files.config = R"({"r": 2, "lora_alpha": 4, "bias": "lora_only", "modules_to_save": ["head"]})";
    const auto model = files.load();
    EXPECT_EQ(model->classifier.weight->view().rows, 5);
    EXPECT_NEAR(model->layers[0].qkv.bias->view().eigen()(0, 7), filled(7), 1e-6);
}

TEST(Adapters, alone_ask_for_their_model) {
    for (const char* ending : {"lora_A.default.weight", "lora_A.weight", "lora_down.weight",
                               "ia3_l", "ia3_l.default", "hada_w1_a"}) {
        const std::string name = kPeftName + "blocks.0.attn.qkv." + ending;
        Folder folder;
        folder.with("a/adapter_model.safetensors", safetensors_of(Shapes{{name, {2, 192}}}))
            .with("a/adapter_config.json", R"({"r": 2, "base_model_name_or_path": "some/vit"})");
        try {
            load_model("a/adapter_model.safetensors", folder.reader());
            FAIL() << name;
        } catch (const CheckpointError& error) {
            const std::string text = error.what();
            EXPECT_NE(text.find("only an adapter"), std::string::npos) << text;
            EXPECT_NE(text.find("\"some/vit\""), std::string::npos) << text;
        }
    }
}

// ---- packed weights

TEST(QuantizedWeights, are_refused_in_words) {
    for (const auto& [ending, words] :
         {std::pair{"weight.absmax", "bitsandbytes"},
          std::pair{"weight.quant_state.bitsandbytes__nf4", "nf4"},
          std::pair{"weight.quant_map", "bitsandbytes"}, std::pair{"SCB", "int8"},
          std::pair{"qweight", "GPTQ"}, std::pair{"qzeros", "GPTQ"}, std::pair{"scales", "AWQ"},
          std::pair{"g_idx", "GPTQ"}}) {
        Shapes shapes = vit("", 1);
        shapes.erase("blocks.0.mlp.fc1.weight");
        shapes["blocks.0.mlp.fc1." + std::string(ending)] = {4};
        const std::string error = error_of(shapes);
        EXPECT_NE(error.find(words), std::string::npos) << error;
        EXPECT_NE(error.find("quantized"), std::string::npos) << error;
    }
    // A language model beside it may be packed.
    Shapes shapes = vit("visual.", 1);
    shapes["language.layers.0.mlp.qweight"] = {4};
    EXPECT_EQ(error_of(shapes), "no error");
}

}  // namespace
}  // namespace headlight::file_parts_test
