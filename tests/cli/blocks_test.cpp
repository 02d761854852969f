#include <nlohmann/json.hpp>

#include "cli_fixture.h"
#include "files/npy.h"
#include "tests/source_path.h"

// Tests `headlight trace` on transformer layers without a model, and on tokens from an array.
namespace headlight {
namespace {

TEST_F(Cli, trace_of_a_torch_encoder_is_pytorchs) {
    expect_as_golden("blocks/post_norm", R"({"heads": 3})");
    expect_as_golden("blocks/pre_norm",
                     R"({"heads": 3, "norm_first": true, "activation": "gelu"})");
    expect_as_golden("blocks/swish", R"({"heads": 3, "activation": "silu"})");
    expect_as_golden("blocks/batch_norm", R"({"heads": 3})");
    expect_as_golden("blocks/encoder", R"({"heads": 3, "norm_first": true})");
    expect_as_golden("blocks/encoder_post", R"({"heads": 3})");
}

TEST_F(Cli, trace_of_a_torch_decoder_is_pytorchs) {
    expect_as_golden("blocks/decoder_post_norm", R"({"heads": 3, "mask": "causal"})");
    expect_as_golden("blocks/decoder_pre_norm",
                     R"({"heads": 3, "norm_first": true, "activation": "gelu"})");
    expect_as_golden("blocks/decoder", R"({"heads": 3, "norm_first": true, "mask": "causal"})");
    expect_as_golden("blocks/decoder_post", R"({"heads": 3, "mask": "causal"})");
}

TEST_F(Cli, trace_of_a_lone_token_transformer_runs_its_norms_and_mlp) {
    expect_as_golden("blocks/t2t", "{}");
    expect_as_golden("blocks/lanl", "{}");
    expect_as_golden("blocks/lanl_block", "{}");
    expect_as_golden("blocks/performer", "{}");
}

TEST_F(Cli, trace_of_a_performer_has_no_scores_and_its_skip_is_no_residual) {
    expect_as_golden("blocks/performer", "{}");
    const TensorMap found = read(path("out"));
    EXPECT_FALSE(found.contains("layer.0.scores"));
    EXPECT_FALSE(found.contains("layer.0.residual1"));
    for (const char* attention :
         {R"({"temperature": 2})", R"({"scale": 1})", R"({"mask": "causal"})",
          R"({"score": "dot"})", R"({"weights_from": "max"})", R"({"projections": "none"})"}) {
        const Outcome outcome = trace_golden("blocks/performer", attention);
        EXPECT_EQ(outcome.status, 1) << attention << outcome.error;
        EXPECT_NE(outcome.error.find("xpected "), std::string::npos) << outcome.error;
    }
}

// Names in the file and --config give the same result.
TEST_F(Cli, trace_takes_norm_first_from_a_config_too) {
    write("config.json", R"({"norm_first": true, "activation": "gelu", "num_heads": 3})");
    const std::string name = golden("blocks/pre_norm");
    ASSERT_EQ(trace({"--model", name + ".model.safetensors", "--input", name + ".input.safetensors",
                     "--config", path("config.json")})
                  .status,
              0);
    const TensorMap found = read(path("out")), expected = read(name + ".safetensors");
    EXPECT_LE(headlight::relative_error(found.at("layer.0.output").values,
                                        expected.at("layer.0.output").values),
              1e-5);
}

TEST_F(Cli, trace_writes_only_the_layers_of_a_stack_that_are_asked_for) {
    const std::string name = golden("blocks/encoder");
    ASSERT_EQ(trace({"--model", name + ".model.safetensors", "--input", name + ".input.safetensors",
                     "--attention", R"({"heads": 3, "norm_first": true})", "--layers", "2"})
                  .status,
              0);
    const TensorMap found = read(path("out"));
    EXPECT_TRUE(found.contains("layer.1.output"));
    EXPECT_FALSE(found.contains("layer.0.output"));
    EXPECT_FALSE(found.contains("layer.2.output"));
    EXPECT_TRUE(found.contains("norm"));
}

// A script that counts from 0 must reveal itself in the output.
TEST_F(Cli, trace_says_which_layers_it_wrote) {
    const std::string name = golden("blocks/encoder");
    const auto facts_of = [&](const std::string& layers, const std::string& said) {
        const Outcome done =
            trace({"--model", name + ".model.safetensors", "--input", name + ".input.safetensors",
                   "--attention", R"({"heads": 3, "norm_first": true})", "--layers", layers});
        EXPECT_EQ(done.status, 0) << done.error;
        EXPECT_EQ(done.error.empty(), said.empty()) << done.error;
        EXPECT_NE(done.error.find(said), std::string::npos) << done.error;
        const std::string file = content_of(path("out"));
        return nlohmann::json::parse(file.substr(8, file.find("   ", 8) - 8))
            .at("__metadata__")
            .at("layers")
            .get<std::string>();
    };
    EXPECT_EQ(facts_of("2", "layer 2 written as layer.1."), "2");
    EXPECT_EQ(facts_of("3,1", "layers 1,3 written as layer.0, layer.2."), "1,3");
    EXPECT_EQ(facts_of("all", ""), "1,2,3");
}

TEST_F(Cli, trace_refuses_what_a_layer_alone_has_not) {
    expect_failure(trace_golden("t2t_1", R"({"norm_first": true})"), 2,
                   "applies only to torch.nn.TransformerEncoder");
    expect_failure(trace_golden("t2t_1", R"({"activation": "gelu"})"), 2,
                   "applies only to a layer with norms and an MLP");
    expect_failure(trace_golden("blocks/post_norm", R"({"heads": 3, "norm_first": 1})"), 2,
                   "expected one of \"false\", \"true\", found 1");
    expect_failure(trace_golden("blocks/post_norm", R"({"heads": 3, "projections": "none"})"), 1,
                   "this one also has norms and an MLP");
}

// A picture gives one kind of tokens; cutting keys and values with other weights from them would
// give meaningless numbers.
TEST_F(Cli, trace_of_a_layer_of_two_kinds_of_tokens_takes_no_picture) {
    const auto weight = [](const char* name, int rows, int cols) {
        return ToWrite{name, {rows, cols}, ramp(rows * cols)};
    };
    const std::string model = write(
        "model",
        std::vector<ToWrite>{weight("q_proj_weight", 12, 12), weight("k_proj_weight", 12, 5),
                             weight("v_proj_weight", 12, 7), weight("out_proj.weight", 12, 12)});
    expect_failure(trace({"--model", model, "--image", source_path("assets/images/cat.jpg"),
                          "--attention", R"({"heads": 3, "patch": 2, "image_size": 16})"}),
                   1, "expected --input with query and value");
    expect_no_output();
}

TEST_F(Cli, info_counts_no_zeros_between_keys_and_values) {
    const Outcome outcome = headlight({"info", golden("layers/mha_three.model.safetensors")});
    // 6·6 + 6·3 + 6·4 with 18 in the bias, 6·6 + 6.
    EXPECT_NE(outcome.out.find("parameters                 138"), std::string::npos) << outcome.out;
}

// These tensors belong together: if one is missing the file is damaged, although the rest could be
// computed.
TEST_F(Cli, trace_refuses_a_block_without_one_of_its_tensors) {
    const auto without = [&](const std::string& name, const std::string& tensor) {
        std::vector<ToWrite> rest;
        for (const auto& [own, values] : read(golden(name + ".model.safetensors")))
            if (own != tensor) rest.push_back({own, values.shape, values.values});
        return trace({"--model", write("model", rest), "--input",
                      golden(name + ".input.safetensors"), "--attention", R"({"heads": 3})"});
    };
    for (const char* bias :
         {"self_attn.in_proj_bias", "self_attn.out_proj.bias", "linear1.bias", "norm2.bias"})
        expect_failure(without("blocks/post_norm", bias), 1,
                       std::string("\"") + bias + "\": expected this tensor together with");
    expect_failure(without("blocks/batch_norm", "norm1.running_mean"), 1, "norm1.running_");
    expect_failure(without("blocks/lanl_block", "attn.proj.bias"), 1,
                   "\"attn.proj.bias\": expected this tensor together with");
    expect_failure(without("blocks/performer", "mlp.2.bias"), 1,
                   "expected this tensor together with");
    expect_no_output();
}

// The epsilon of a config applies to batch norms too: output − β scales with 1 / √(variance + ε).
TEST_F(Cli, trace_of_a_batch_norm_follows_the_epsilon_that_is_given) {
    const std::string name = golden("blocks/batch_norm");
    const auto output = [&](const std::string& eps) {
        write("config.json", R"({"num_heads": 3, "layer_norm_eps": )" + eps + "}");
        EXPECT_EQ(trace({"--model", name + ".model.safetensors", "--input",
                         name + ".input.safetensors", "--config", path("config.json")})
                      .status,
                  0);
        return read(path("out")).at("layer.0.norm1").values;
    };
    TensorMap model = read(name + ".model.safetensors");
    const std::vector<float> variance = model.at("norm1.running_var").values,
                             usual = output("1e-5"), wide = output("0.5"),
                             beta = model.at("norm1.bias").values;
    for (std::size_t i = 0; i < usual.size(); ++i) {
        const std::size_t c = i % variance.size();
        const double ratio = std::sqrt((variance[c] + 1e-5) / (variance[c] + 0.5));
        EXPECT_NEAR(wide[i] - beta[c], (usual[i] - beta[c]) * ratio, 1e-4);
    }
}

TEST_F(Cli, trace_refuses_an_order_of_norms_where_there_is_no_choice) {
    for (const char* name : {"blocks/t2t", "blocks/lanl_block", "blocks/performer"}) {
        expect_failure(trace_golden(name, R"({"norm_first": false})"), 2, "norm_first");
        write("config.json", R"({"norm_first": false})");
        expect_failure(trace({"--model", golden(std::string(name) + ".model.safetensors"),
                              "--input", golden(std::string(name) + ".input.safetensors"),
                              "--config", path("config.json")}),
                       1, "expected norm_first only for torch.nn.TransformerEncoder");
    }
    expect_no_output();
}

// ---- arrays of tokens

std::string array(const std::vector<std::int64_t>& shape, const std::vector<float>& numbers) {
    return npy_header("<f4", shape) +
           std::string(reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size());
}

// The same numbers as a safetensors file, row by row.
TEST_F(Cli, trace_reads_rows_and_maps_from_an_array) {
    const std::string model = golden("t2t_1.model.safetensors");
    const TensorMap tensors = read(golden("t2t_1.model.safetensors"));
    const std::int64_t dim = tensors.at("qkv.weight").shape[1];
    std::vector<float> numbers;
    for (std::int64_t i = 0; i < 6 * dim; ++i)
        numbers.push_back(static_cast<float>(i % 17) / 8 - 1);
    std::vector<std::vector<float>> outputs;
    for (const auto& shape : {std::vector<std::int64_t>{6, dim}, {2, 3, dim}, {1, 2, 3, dim}}) {
        write("in.npy", array(shape, numbers));
        const Outcome outcome = trace({"--model", model, "--input", path("in.npy")});
        ASSERT_EQ(outcome.status, 0) << outcome.error;
        const TensorMap found = read(path("out"));
        EXPECT_EQ(found.at("tokens.input").shape, (std::vector<std::int64_t>{1, 6, dim}));
        outputs.push_back(found.at("layer.0.skip").values);
    }
    EXPECT_EQ(outputs[0], outputs[1]);
    EXPECT_EQ(outputs[0], outputs[2]);
}

// A cell attends to those at most one row and one column away: the others are blocked.
TEST_F(Cli, trace_masks_a_map_by_the_distance_of_its_cells) {
    const std::string name = golden("layers/convolutions");
    const auto run = [&](const std::string& input) {
        return trace({"--model", name + ".model.safetensors", "--input", input, "--attention",
                      R"({"mask": {"local": 1}})"});
    };
    ASSERT_EQ(run(name + ".input.npy").status, 0);
    const NamedTensor scores = read(path("out")).at("layer.0.scores");  // [2, 1, 12, 12] of 3 × 4
    for (std::size_t i = 0; i < scores.values.size(); ++i) {
        const auto query = static_cast<int>(i / 12 % 12), key = static_cast<int>(i % 12);
        const bool far = std::abs(query / 4 - key / 4) > 1 || std::abs(query % 4 - key % 4) > 1;
        EXPECT_EQ(std::isinf(scores.values[i]), far) << i;
    }
    std::vector<float> rows(96, 0.5F);
    write("rows.npy", array({12, 8}, rows));
    expect_failure(run(path("rows.npy")), 1, "needs tokens in a grid");
}

TEST_F(Cli, trace_refuses_arrays_that_are_no_tokens) {
    const std::string model = golden("layers/convolutions.model.safetensors");
    const auto expect = [&](const std::string& bytes, const std::string& says) {
        write("in.npy", bytes);
        expect_failure(trace({"--model", model, "--input", path("in.npy")}), 1, says);
    };
    expect(array({8}, std::vector<float>(8)), "expected an array of tokens [N, D], a feature map");
    expect(array({1, 1, 1, 1, 8}, std::vector<float>(8)), "found [1, 1, 1, 1, 8].");
    expect(array({0, 8}, {}), "found [0, 8].");
    expect(array({2, 7}, std::vector<float>(14)),
           "expected [B, N, 8] for this layer, found [1, 2, 7]");
    expect(array({1, 8}, std::vector<float>(8, std::nanf(""))), "found NaN at index 0");
    expect(array({2, 8}, std::vector<float>(8)), "expected 64 bytes");
    expect(npy_header("|O", {2, 8}), "Python objects, which Headlight does not run");
    expect_no_output();
}

// ---- two inputs

TEST_F(Cli, trace_refuses_inputs_that_cross_attention_cannot_take) {
    const auto run = [&](const std::string& name, const std::vector<ToWrite>& input) {
        return trace({"--model", golden(name + ".model.safetensors"), "--input", write("in", input),
                      "--attention", R"({"heads": 2})"});
    };
    const auto ones = [](const std::string& name, const std::vector<std::int64_t>& shape) {
        std::size_t count = 1;
        for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
        return ToWrite{name, shape, std::vector<float>(count, 1.0F)};
    };
    const ToWrite query = ones("query", {2, 5, 6}), value = ones("value", {2, 9, 4}),
                  key = ones("key", {2, 9, 3});
    expect_failure(run("layers/mha_apart", {ones("tokens", {2, 5, 6})}), 1,
                   "expected query and value instead, whose widths differ");
    expect_failure(run("blocks/decoder", {ones("tokens", {2, 5, 12})}), 1,
                   "expected query (the decoder's tokens) and value (its memory) instead");
    expect_failure(run("layers/mha_apart", {query, ones("value", {2, 9, 6})}), 1,
                   "tensor \"value\": expected [B, N, 4]");
    expect_failure(run("layers/mha_apart", {query, ones("value", {1, 9, 4})}), 1,
                   "expected 2 samples, as in query");
    expect_failure(run("layers/mha_apart", {query, value, key}), 1, "expected no \"key\"");
    expect_failure(run("layers/mha_three", {query, value}), 1,
                   "expected \"key\" as well as \"value\", found only \"value\"");
    expect_failure(run("layers/mha_three", {query, value, ones("key", {2, 8, 3})}), 1,
                   "expected 9 tokens, as in value");
    expect_failure(run("blocks/post_norm", {ones("query", {2, 5, 12}), ones("value", {2, 5, 12})}),
                   1, "only a decoder or a single attention layer takes query and value");
    expect_failure(
        trace({"--model", golden("layers/mha_apart.model.safetensors"), "--input",
               write("in", {query, value}), "--attention", R"({"projections": "none"})"}),
        1, "Expected the same width for both, found 6 and 4 numbers.");
    expect_no_output();
}

}  // namespace
}  // namespace headlight
