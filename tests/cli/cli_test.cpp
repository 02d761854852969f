#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "cli_fixture.h"
#include "image/image.h"
#include "patches/patches.h"
#include "positions/positions.h"

// `headlight trace` and `headlight info` of one attention layer.
namespace headlight {
namespace {

struct GoldenCase {
    const char *name, *attention;
};

TEST_F(Cli, trace_writes_what_pytorch_computes) {
    for (const auto& [name, attention] :
         {GoldenCase{"t2t_1", "{}"},
          GoldenCase{"t2t_4", R"({"heads": 4})"},
          GoldenCase{"t2t_bias", R"({"heads": 3, "scale": 0.3, "skip": "value"})"},
          GoldenCase{"mha", R"({"heads": 2, "mask": "none"})"},
          GoldenCase{"cross", R"({"heads": 2, "scale": null})"},
          GoldenCase{"added", R"({"heads": 2})"},
          GoldenCase{"scores/dot", R"({"heads": 3, "score": "dot"})"},
          GoldenCase{"scores/cosine", R"({"heads": 3, "score": "cosine"})"},
          GoldenCase{"scores/general", R"({"heads": 3, "score": "general"})"},
          GoldenCase{"scores/additive", R"({"heads": 3, "score": "additive"})"},
          GoldenCase{"scores/location", R"({"heads": 3, "score": "location"})"},
          GoldenCase{"scores/max", R"({"heads": 3, "weights_from": "max"})"},
          GoldenCase{"scores/queries", R"({"heads": 3, "sum_over": "queries"})"},
          GoldenCase{"scores/relu", R"({"heads": 3, "activation_after": "relu"})"},
          GoldenCase{"scores/plain", R"({"projections": "none"})"},
          GoldenCase{"layers/kqvl", R"({"heads": 2})"},
          GoldenCase{"layers/mhsa", R"({"heads": 3})"},
          GoldenCase{"layers/keras", "{}"},
          GoldenCase{"layers/keras_cross", "{}"},
          GoldenCase{"layers/kqvl_cross", R"({"heads": 2})"},
          GoldenCase{"layers/mha_apart", R"({"heads": 2})"},
          GoldenCase{"layers/mha_three", R"({"heads": 2})"}})
        expect_as_golden(name, attention);
    expect_as_golden("layers/convolutions", R"({"activation_after": "relu"})", ".input.npy",
                     said_of_maps());
}

TEST_F(Cli, trace_refuses_a_score_that_the_file_has_no_weights_for) {
    const auto expect = [&](const char* name, const char* attention, const std::string& says) {
        expect_failure(trace_golden(name, attention), 1, says);
    };
    expect("t2t_bias", R"({"heads": 3, "score": "general"})",
           "expected score.weight [H, head_dim, head_dim] for the score general, found none.");
    expect("scores/general", R"({"heads": 3, "score": "additive"})",
           "expected score.weight [H, A, 2·head_dim] for the score additive, found 3 heads of "
           "[4, 4] for 3 heads of 4 channels.");
    expect("scores/general", R"({"heads": 2, "score": "general"})",
           "found 3 heads of [4, 4] for 2 heads of 6 channels.");
    expect("scores/location", R"({"heads": 3, "score": "dot", "scale": 2})",
           "The score \"dot\" has no scale; only the scaled dot product has one.");
    expect("scores/plain", R"({"projections": "none", "heads": 2})",
           "Without projections there is one head, as wide as a token");
    expect("scores/dot", R"({"heads": 3, "dropout": {"attention": 1}})",
           "A dropout probability must be at least 0 and below 1.");
    expect("scores/dot", R"({"heads": 3, "mask": {"local": 1}})",
           "The mask local needs tokens in a grid of patches");
    expect("scores/dot", R"({"heads": 3, "mask": {"keys": [7]}})",
           "The mask keys blocks key 7, but there are only keys 0 to 6.");
    expect_no_output();
}

// The same seed drops the same cells, another seed others; the remaining values scale by 1 / (1 −
// p).
TEST_F(Cli, trace_drops_out_as_the_seed_says) {
    const auto traced = [&](const std::string& dropout) {
        const Outcome outcome =
            trace_golden("mha", R"({"heads": 2, "dropout": {)" + dropout + "}}");
        EXPECT_EQ(outcome.status, 0) << outcome.error;
        return read(path("out"));
    };
    const TensorMap first = traced(R"("attention": 0.25, "output": 0.5, "seed": 3)"),
                    again = traced(R"("attention": 0.25, "output": 0.5, "seed": 3)"),
                    other = traced(R"("attention": 0.25, "output": 0.5, "seed": 4)");
    for (const auto& [before, after, p] :
         {std::tuple{"layer.0.attention", "layer.0.attention_dropped", 0.25F},
          std::tuple{"layer.0.projection", "layer.0.projection_dropped", 0.5F}}) {
        const std::vector<float>&x = first.at(before).values, &y = first.at(after).values;
        std::size_t dropped = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (y[i] == 0)
                ++dropped;
            else
                EXPECT_FLOAT_EQ(y[i], x[i] / (1 - p));
        }
        const auto count = static_cast<double>(x.size());
        EXPECT_NEAR(static_cast<double>(dropped) / count, p, 5 * std::sqrt(p * (1 - p) / count));
        EXPECT_EQ(again.at(after).values, y);
        EXPECT_NE(other.at(after).values, y);
    }
    EXPECT_FALSE(traced("").contains("layer.0.attention_dropped"));
}

TEST_F(Cli, trace_names_its_tensors_as_documented) {
    ASSERT_EQ(trace_golden("t2t_bias", R"({"heads": 3})").status, 0);
    TensorMap found = read(path("out"));
    std::vector<std::string> names;
    for (const auto& [name, tensor] : found) names.push_back(name);
    EXPECT_EQ(names, (std::vector<std::string>{
                         "layer.0.attention", "layer.0.concat", "layer.0.heads", "layer.0.key",
                         "layer.0.output", "layer.0.projection", "layer.0.query", "layer.0.scores",
                         "layer.0.skip", "layer.0.value", "tokens.input"}));
    const TensorMap input = read(golden("t2t_bias.input.safetensors"));
    EXPECT_EQ(found.at("tokens.input").values, input.at("tokens").values);
    EXPECT_EQ(found.at("tokens.input").shape, input.at("tokens").shape);
    EXPECT_EQ(found.at("layer.0.skip").values, found.at("layer.0.output").values);
}

TEST_F(Cli, trace_cuts_an_image_into_patches) {
    const std::string picture = golden("images/rgb.png");
    // 27 = 3·3·3: the patch size follows from the layer.
    const Outcome outcome =
        trace({"--model", layer(27, 4), "--image", picture, "--attention",
               R"({"heads": 2, "stride": 2, "image_size": [10, 12], "framing": "stretch",
                   "ragged": "crop", "positions": "sinusoidal"})"});
    ASSERT_EQ(outcome.status, 0) << outcome.error;
    const Image image =
        frame_image(to_rgb(decode_image(bytes_of(picture), picture)), 10, 12, Framing::stretch);
    const std::vector<float> half(3, 0.5F);
    const Matrix patches =
        extract_patches(image, make_patch_grid(10, 12, {3, 2, Ragged::crop}), half, half);
    const Matrix positions = sinusoidal_positions(20, 27);
    const Matrix tokens = patches + positions;
    const TensorMap found = read(path("out"));
    const std::vector<std::int64_t> shape{1, 20, 27};
    for (const auto& [name, expected] :
         {std::pair<const char*, const Matrix&>{"tokens.patches", patches},
          {"positions", positions},
          {"tokens.input", tokens}}) {
        EXPECT_EQ(found.at(name).shape, shape);
        EXPECT_EQ(found.at(name).values,
                  std::vector<float>(expected.data(), expected.data() + expected.size()))
            << name;
    }
    EXPECT_EQ(found.at("layer.0.attention").shape, (std::vector<std::int64_t>{1, 2, 20, 20}));
}

TEST_F(Cli, trace_takes_normalised_pixels) {
    // Two samples, one channel, 2 × 4 pixels; patches of 2 × 2 next to each other.
    const std::string input = write(
        "input",
        std::vector<ToWrite>{
            {"pixels", {2, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8}}});
    ASSERT_EQ(trace({"--model", layer(4, 4), "--input", input}).status, 0);
    const NamedTensor patches = read(path("out")).at("tokens.patches");
    EXPECT_EQ(patches.shape, (std::vector<std::int64_t>{2, 2, 4}));
    EXPECT_EQ(patches.values,
              (std::vector<float>{1, 2, 5, 6, 3, 4, 7, 8, -1, -2, -5, -6, -3, -4, -7, -8}));
}

TEST_F(Cli, masks_of_all_kinds_block_together) {
    const std::string input = write(
        "input", std::vector<ToWrite>{{"tokens", {2, 3, 4}, ramp(24)},
                                      {"mask", {3, 3}, {0, 0, 0, 1, 0, 0, 0, 0, 0}, "BOOL"},
                                      {"key_padding_mask", {2, 3}, {0, 0, 0, 0, 1, 0}, "U8"}});
    ASSERT_EQ(
        trace({"--model", layer(4, 4), "--input", input, "--attention", R"({"mask": "causal"})"})
            .status,
        0);
    const NamedTensor scores = read(path("out")).at("layer.0.scores");
    std::string blocked;
    for (const float score : scores.values)
        blocked += score == -std::numeric_limits<float>::infinity() ? 'x' : '.';
    EXPECT_EQ(blocked,
              ".xx"
              "x.x"
              "..."
              ".xx"
              "xxx"
              ".x.");
    const NamedTensor attention = read(path("out")).at("layer.0.attention");
    for (std::size_t i = 12; i < 15; ++i)
        EXPECT_EQ(attention.values[i], 0) << "a fully blocked row";
}

// As in PyTorch: floating point masks are added to the scaled scores, and bool masks block.
TEST_F(Cli, masks_of_numbers_are_added) {
    const float inf = std::numeric_limits<float>::infinity();
    const std::string model = layer(4, 4);
    const ToWrite tokens{"tokens", {2, 3, 4}, ramp(24)};
    const auto scores = [&](std::vector<ToWrite> masks, const std::string& attention) {
        masks.insert(masks.begin(), tokens);
        const Outcome done =
            trace({"--model", model, "--input", write("input", masks), "--attention", attention});
        EXPECT_EQ(done.status, 0) << done.error;
        EXPECT_EQ(done.error, "");  // −inf of a mask is no damage
        return read(path("out")).at("layer.0.scores").values;
    };
    const std::string two_heads = R"({"heads": 2, "temperature": 2})";
    const std::vector<float> plain = scores({}, two_heads);
    ASSERT_EQ(plain.size(), 2 * 2 * 3 * 3);
    std::vector<float> own(36);  // for every head of every sample
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = 10 * static_cast<float>(i);
    own[7] = -inf;
    const std::vector<float> shared{0, 1, 2, 3, 4, 5, 6, 7, 8}, keys{100, 200, 300, 400, 500, 600};

    const auto one = scores({{"mask", {3, 3}, shared}}, two_heads);
    const auto each = scores({{"mask", {4, 3, 3}, own}}, two_heads);
    const auto both =
        scores({{"mask", {4, 3, 3}, own}, {"key_padding_mask", {2, 3}, keys}}, two_heads);
    const auto mixed = scores(
        {{"mask", {3, 3}, {0, 0, 0, 1, 0, 0, 0, 0, 0}, "BOOL"}, {"key_padding_mask", {2, 3}, keys}},
        R"({"heads": 2, "temperature": 2, "mask": "causal"})");
    for (std::size_t i = 0; i < plain.size(); ++i) {
        const float key = keys[i / 18 * 3 + i % 3];
        EXPECT_EQ(one[i], plain[i] + shared[i % 9]) << i;
        EXPECT_EQ(each[i], plain[i] + own[i]) << i;
        EXPECT_EQ(both[i], plain[i] + (own[i] + key)) << i;
        const bool blocked = i % 9 == 3 || i % 3 > i % 9 / 3;
        EXPECT_EQ(mixed[i], blocked ? -inf : plain[i] + key) << i;
    }
}

TEST_F(Cli, masks_that_pytorch_does_not_know_are_refused) {
    const std::string model = layer(4, 4);
    const auto expect = [&](const ToWrite& mask, const std::string& says) {
        const std::string input =
            write("input", std::vector<ToWrite>{{"tokens", {2, 3, 4}, ramp(24)}, mask});
        expect_failure(
            trace({"--model", model, "--input", input, "--attention", R"({"heads": 2})"}), 1, says);
    };
    expect({"mask", {2, 3, 3}, ramp(18)},
           "\"mask\": expected [3, 3] or [4, 3, 3], found [2, 3, 3]");
    expect({"mask", {4, 3, 3}, ramp(36), "BOOL"},
           "\"mask\": expected [3, 3] or [2, 3, 3], found [4, 3, 3]");
    expect({"mask", {3, 3}, ramp(9), "I8"},
           "\"mask\": expected BOOL or U8, which blocks, or floating point numbers, which are "
           "added, found I8");
    expect({"key_padding_mask", {2, 3}, ramp(6), "I8"}, "found I8");
    std::vector<float> bad(9);
    bad[4] = std::nanf("");
    expect({"mask", {3, 3}, bad}, "expected finite numbers or -inf, which are added to the scores");
    bad[4] = std::numeric_limits<float>::infinity();
    expect({"mask", {3, 3}, bad}, "found +inf");
    expect({"key_padding_mask", {2, 3}, {0, 0, 0, 0, bad[4], 0}}, "found +inf");
    expect_no_output();
}

TEST_F(Cli, later_sources_override_earlier_ones) {
    const std::string model = layer(4, 8);
    const std::string input = write("input", std::vector<ToWrite>{{"tokens", {1, 3, 4}, ramp(12)}});
    const auto heads = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--model", model, "--input", input});
        const Outcome outcome = trace(more);
        EXPECT_EQ(outcome.status, 0) << outcome.error;
        return read(path("out")).at("layer.0.query").shape[1];
    };
    EXPECT_EQ(heads({}), 1);
    write("config.json", R"({"num_attention_heads": 2, "hidden_size": 8, "model_type": "vit"})");
    EXPECT_EQ(heads({}), 2);
    const std::string config = write("mine.json", R"({"num_heads": 4, "layer_norm_eps": 1e-6})");
    EXPECT_EQ(heads({"--config", config}), 4);
    EXPECT_EQ(heads({"--config", config, "--attention", R"({"heads": 8})"}), 8);
}

TEST_F(Cli, config_says_how_an_image_is_normalised) {
    const std::string model = layer(4, 4);
    write("preprocessor_config.json",
          R"({"image_mean": 0.25, "image_std": [2, 2, 2], "size": {"shortest_edge": 9},
              "crop_size": {"height": 4, "width": 6}})");
    ASSERT_EQ(trace({"--model", model, "--image", golden("images/grey.png")}).status, 0);
    EXPECT_EQ(read(path("out")).at("tokens.patches").shape, (std::vector<std::int64_t>{1, 6, 4}));
    const std::string info = headlight({"info", model}).out;
    EXPECT_NE(info.find("4 × 6"), std::string::npos) << info;
    EXPECT_NE(info.find("0.25"), std::string::npos) << info;
    EXPECT_NE(info.find("preprocessor_config.json"), std::string::npos) << info;
}

TEST_F(Cli, wrong_usage_is_status_two) {
    const std::string model = golden("mha.model.safetensors");
    const std::string input = golden("mha.input.safetensors");
    expect_failure(trace({"--model", model}), 2, "neither");
    expect_failure(trace({"--input", input}), 2, "--model is required");
    expect_failure(trace({"--model", model, "--input", input, "--image", "x"}), 2, "excludes");
    expect_failure(trace({"--model", model, "--input", input, "--layers", "first"}), 2,
                   "\"first\"");
    expect_failure(trace({"--model", model, "--input", input, "--layers", "1,"}), 2, "\"1,\"");
    for (const auto& [old, now] : {std::pair("0", "1"), std::pair("0,2", "1,3"),
                                   std::pair("3,0-1", "4,1-2"), std::pair("0-0", "1")})
        expect_failure(trace({"--model", model, "--input", input, "--layers", old}), 2,
                       std::string("--layers ") + now);
    expect_failure(trace({"--model", model, "--image", "a", "--image", "b"}), 2, "--image");
    expect_failure(headlight({"trace", "--model", model, "--input", input}), 2, "--out");
    expect_failure(headlight({"info"}), 2, "MODEL");
    const auto attention = [&](const std::string& json, const std::string& says) {
        expect_failure(trace_golden("mha", json), 2, says);
    };
    for (const char* option : {"--attention", "--rollout", "--reference", "--layers"})
        expect_failure(trace({"--model", model, "--input", input, option, ""}), 2,
                       std::string(option) + ": expected");
    attention("{", "not JSON");
    attention("[1]", "found an array");
    attention(R"({"headz": 2})", "expected heads, temperature, scale, mask, skip");
    attention(R"({"heads": "two"})",
              R"("heads": expected a whole number of at least 1, found "two")");
    attention(R"({"heads": 0})", "found 0");
    attention(R"({"heads": 2.5})", "found 2.5");
    attention(R"({"heads": 4294967298})", "found 4294967298");
    attention(R"({"scale": "big"})", "a number or null");
    attention(R"({"scale": 1e300})", "a finite number");
    attention(R"({"temperature": [1]})", "found an array");
    attention(R"({"skip": "x"})", R"(one of "none", "value", "input", "both", found "x")");
    attention(R"({"mask": true})",
              R"(expected a word, an object such as {"local": 2}, or a list of them, found true)");
    attention(R"({"patch": 7})", "applies only to pixels or an image");
    attention(R"({"a\nb": 1})", "found \"a b\"");
    attention("{\"heads\":" + std::string(100'000, '['), "not JSON");
    attention("{\"heads\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}",
              "found an array");
    expect_no_output();
}

TEST_F(Cli, trace_writes_over_nothing_it_reads) {
    const std::string model = layer(4, 4);
    const std::string input = write("in", std::vector<ToWrite>{{"tokens", {1, 2, 4}, ramp(8)}});
    const std::string config = write("config", "{}");
    const std::string image = path("photo.png");
    fs::copy_file(golden("images/rgb.png"), image);
    fs::create_symlink(model, path("link"));
    const auto expect = [&](const std::string& option, const std::string& out,
                            const std::vector<std::string>& source) {
        const std::string file = content_of(out);
        std::vector<std::string> all{"trace", "--model", model, "--config", config, "--out", out};
        all.insert(all.end(), source.begin(), source.end());
        expect_failure(headlight(all), 2, "--out: expected a file other than that of " + option);
        EXPECT_EQ(content_of(out), file);
    };
    expect("--model", model, {"--input", input});
    expect("--model", path("./link"), {"--input", input});
    expect("--input", input, {"--input", input});
    expect("--config", config, {"--input", input});
    expect("--image", image, {"--image", image});
}

TEST_F(Cli, trace_says_where_numbers_begin_to_be_none) {
    const auto warning = [&](std::vector<float> weights, std::vector<float> tokens) {
        const std::string model =
            write("m", std::vector<ToWrite>{{"qkv.weight", {12, 4}, std::move(weights)},
                                            {"proj.weight", {4, 4}, ramp(16)}});
        const std::string input =
            write("in", std::vector<ToWrite>{{"tokens", {1, 2, 4}, std::move(tokens)}});
        const Outcome done =
            trace({"--model", model, "--input", input, "--attention", R"({"mask": "causal"})"});
        EXPECT_EQ(done.status, 0) << done.error;
        EXPECT_TRUE(fs::exists(path("out")));
        return done.error;
    };
    EXPECT_EQ(warning(ramp(48), ramp(8)), "");  // a masked score is −inf by right
    std::vector<float> large = ramp(48), bad_tokens = ramp(8);
    std::fill_n(large.begin() + 28, 4, 3e38F);  // one key's values
    bad_tokens[7] = std::numeric_limits<float>::infinity();
    EXPECT_EQ(warning(large, ramp(8)),
              "headlight: layer.0.key is the first tensor with NaN or infinite numbers.\n");
    EXPECT_EQ(warning(large, bad_tokens),
              "headlight: tokens.input is the first tensor with NaN or infinite numbers.\n");
    EXPECT_EQ(warning(std::vector<float>(48, 3e19F), std::vector<float>(8, 1.0F)),
              "headlight: layer.0.scores is the first tensor with NaN or infinite numbers.\n");
}

TEST_F(Cli, work_that_fails_is_status_one) {
    const std::string model = golden("mha.model.safetensors");
    const std::string input = golden("mha.input.safetensors");
    const std::vector<std::string> good{"--model", model, "--input", input};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), good.begin(), good.end());
        return trace(more);
    };
    expect_failure(trace({"--model", "/no/such", "--input", input}), 1, "/no/such: ");
    fs::create_directory(path("nothing"));
    expect_failure(trace({"--model", path("nothing"), "--input", input}), 1,
                   "found no model.safetensors");
    expect_failure(trace({"--model", model, "--input", model}), 1, "found \"in_proj_weight\"");
    expect_failure(trace({"--model", input, "--input", input}), 1, "\"tokens\" (");
    expect_failure(with({}), 1, "Give the number with --attention");
    expect_failure(with({"--attention", R"({"heads": 5})"}), 1, "12 channels");
    expect_failure(with({"--attention", R"({"heads": 2, "scale": 0})"}), 1, "scale");
    expect_failure(with({"--attention", R"({"heads": 2, "temperature": -1})"}), 1, "temperature");
    expect_failure(with({"--attention", R"({"heads": 2})", "--layers", "1,3"}), 1, "found 3");
    expect_failure(with({"--config", write("c", R"({"heads": 2})")}), 1, "found \"heads\"");
    expect_failure(with({"--config", write("c", R"({"num_heads": "2"})")}), 1, "found \"2\"");
    expect_failure(with({"--config", write("c", R"({"family": "vit"})")}), 1, "found vit (");
    expect_failure(with({"--config", write("c", R"({"std": 0})")}), 1, "expected positive numbers");
    expect_failure(trace({"--model", layer(5, 4), "--input", input}), 1, "[B, N, 5]");
    expect_failure(trace({"--model", layer(5, 4), "--image", golden("images/rgb.png")}), 1,
                   "expected patches of 5 numbers");
    expect_failure(trace({"--model", layer(27, 4), "--image", golden("images/rgb.png"),
                          "--attention", R"({"patch": 4})"}),
                   1, "3·4² (rgb) or 4² (gray)");
    expect_failure(trace({"--model", layer(27, 4), "--image", model}), 1, "mha.model");
    // Rejected by its size before patches are cut.
    expect_failure(trace({"--model", layer(27, 4), "--image", golden("images/rgb.png"),
                          "--attention", R"({"stride": 1, "image_size": 2000})"}),
                   1, "the limit is 6.0 GB");
    expect_no_output();
    Outcome outcome = headlight({"trace", "--model", model, "--input", input, "--attention",
                                 R"({"heads": 2})", "--out", "/no/such/folder/out"});
    expect_failure(outcome, 1, "/no/such/folder/out: cannot be written");
}

TEST_F(Cli, inputs_that_do_not_fit_are_named) {
    const std::string model = layer(4, 4);
    const auto expect = [&](const std::vector<ToWrite>& tensors, const std::string& says) {
        expect_failure(trace({"--model", model, "--input", write("input", tensors)}), 1, says);
    };
    const ToWrite tokens{"tokens", {1, 3, 4}, ramp(12)};
    const ToWrite query{"query", {1, 3, 4}, ramp(12)};
    expect({}, "found nothing");
    expect({tokens, query}, "found query, tokens");
    expect({query}, "found query");
    expect({tokens, {"attn_mask", {3, 3}, ramp(9)}}, "found \"attn_mask\"");
    expect({{"tokens", {3, 4}, ramp(12)}},
           "\"tokens\": expected [B, N, 4] for this layer, found [3, 4]");
    expect({query, {"value", {2, 2, 4}, ramp(16)}}, "1 samples, as in query, found [2, 2, 4]");
    expect({query, {"value", {1, 2, 4}, ramp(8)}}, "skip from V");
    expect({tokens, {"mask", {3, 2}, ramp(6)}},
           "\"mask\": expected [3, 3] or [1, 3, 3], found [3, 2]");
    expect({tokens, {"key_padding_mask", {3}, ramp(3)}}, "expected [1, 3], found [3]");
    expect({{"pixels", {1, 3, 4, 4}, ramp(48)}}, "expected [B, 1, H, W] for this layer");
    expect_no_output();
}

TEST_F(Cli, info_says_what_is_known_and_what_is_not) {
    const Outcome t2t = headlight({"info", golden("t2t_4.model.safetensors")});
    EXPECT_EQ(t2t.status, 0) << t2t.error;
    for (const char* fact :
         {"t2t", "13568", "9408", "dim·chan·3 = 49·64·3", "4096", "chan² = 64²", "0.125",
          "head_dim^-0.5", "7 × 7, gray", "convention of t2t", "160 × 160"})
        EXPECT_NE(t2t.out.find(fact), std::string::npos) << fact << "\n" << t2t.out;
    const Outcome mha = headlight({"info", golden("mha.model.safetensors")});
    EXPECT_EQ(mha.status, 0) << mha.error;
    EXPECT_NE(mha.out.find("missing"), std::string::npos) << mha.out;
    expect_failure(headlight({"info", "/no/such"}), 1, "/no/such");
}

TEST_F(Cli, help_is_no_failure_and_no_subcommand_opens_the_window) {
    const Outcome help = headlight({"trace", "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_NE(help.out.find("--attention"), std::string::npos);
    EXPECT_EQ(headlight({}).status, std::nullopt);
}

}  // namespace
}  // namespace headlight
