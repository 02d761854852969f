#include <sys/wait.h>

#include <cstdlib>
#include <map>

#include "cli_fixture.h"
#include "disk/read_file.h"
#include "encoder/runner.h"
#include "files/tensor_file.h"
#include "program/program.h"
#include "pytorch/script.h"
#include "tests/source_path.h"

// Tests `headlight torch`: the scripts, and their results if PyTorch is installed.
namespace headlight {
namespace {

class CliTorch : public Cli {
  protected:
    // Writes NAME.py, checks standard error, and returns the path.
    std::string script(const std::string& name, std::vector<std::string> options,
                       const std::string& says = "") {
        std::string file = name;
        std::ranges::replace(file, '/', '_');
        options.insert(options.begin(), "torch");
        options.insert(options.end(), {"--out", path(file + ".py")});
        const auto layer = std::ranges::find(options, "--layer");
        const std::string number = layer == options.end() ? "" : *std::next(layer);
        const Outcome outcome = headlight(options);
        EXPECT_EQ(outcome.status, 0) << name << ": " << outcome.error;
        if (layer == options.end())
            EXPECT_EQ(outcome.error + outcome.out, says) << name;
        else  // numbers from 1 are named as in a trace
            EXPECT_NE(outcome.error.find("layer." + std::to_string(std::stoi(number) - 1)),
                      std::string::npos)
                << outcome.error;
        return path(file + ".py");
    }

    void add(const std::string& name, std::vector<std::string> options,
             const std::string& says = "") {
        scripts_ += " '" + script(name, std::move(options), says) + "'";
    }
    void add_golden(const std::string& name, const std::string& attention,
                    const std::string& as = "") {
        add(as.empty() ? name : as,
            {"--model", golden(name + ".model.safetensors"), "--input",
             golden(name + ".input.safetensors"), "--attention", attention});
    }
    void add_family(const std::string& name, std::vector<std::string> more = {},
                    const std::string& as = "") {
        const std::string files = golden("families/" + name);
        const bool npz = fs::exists(files + ".model.npz");
        more.insert(more.end(), {"--model", files + (npz ? ".model.npz" : ".model.safetensors"),
                                 "--input", files + ".input.safetensors"});
        if (fs::exists(files + ".config.json"))
            more.insert(more.end(), {"--config", files + ".config.json"});
        add(as.empty() ? name : as, std::move(more));
    }

    // Runs a command; returns its status and both output streams.
    std::pair<int, std::string> run(const std::string& command) {
        const int status = std::system((command + " > '" + path("said") + "' 2>&1").c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(path("said"))};
    }

    // Skips the test without PyTorch. On a build server, which sets CI, this is a failure, because
    // unchecked scripts would go unnoticed.
    static void skip_without_torch(const std::string& said) {
        if (std::getenv("CI") != nullptr)
            FAIL() << "CI is set, so PyTorch is required (python3-torch): " << said;
        GTEST_SKIP() << "No PyTorch here: " << said;
    }

    // Runs all scripts and expects agreement with PyTorch.
    void expect_agreement() {
        const auto [status, said] =
            run("/usr/bin/python3 '" + source_path("tests/cli/run_scripts.py'") + scripts_);
        if (status == 77 || status == 127) return skip_without_torch(said);
        EXPECT_EQ(status, 0) << said;
    }

    std::string scripts_;
};

// The layer's class with the model's weights gives the same as a trace.
TEST_F(CliTorch, the_class_of_a_layer_agrees_with_pytorch) {
    struct Case {
        std::string model, input, attention, layer, prefix;
    };
    const std::string scenes = source_path("assets/models/scenes/model.safetensors"),
                      cat = source_path("assets/images/cat.jpg");
    const std::string four = golden("t2t_4.model.safetensors");
    for (const Case& each :
         {Case{scenes, "--image " + cat, "", "0", "blocks.0."},
          Case{scenes, "--image " + cat, "", "2", "blocks.2."},
          Case{scenes, "--image " + cat, R"({"mask": "causal"})", "0", "blocks.0."},
          Case{four, "--input " + golden("t2t_4.input.safetensors"), R"({"heads": 4})", "0", ""}}) {
        std::vector<std::string> words{"--model", each.model, each.input.substr(0, 7),
                                       each.input.substr(8)};
        if (!each.attention.empty()) words.insert(words.end(), {"--attention", each.attention});
        std::vector<std::string> listed{"torch"}, traced{"trace"};
        for (auto* command : {&listed, &traced})
            command->insert(command->end(), words.begin(), words.end());
        listed.insert(listed.end(),
                      {"--module", "--layer", std::to_string(std::stoi(each.layer) + 1), "--out",
                       path("layer.py")});
        traced.insert(traced.end(), {"--layers", "all", "--out", path("trace.safetensors")});
        ASSERT_EQ(headlight(listed).status, 0);
        ASSERT_EQ(headlight(traced).status, 0);
        const auto [status, said] =
            run("/usr/bin/python3 '" + source_path("tests/cli/run_module.py'") + " '" +
                path("layer.py") + "' '" + each.model + "' '" + path("trace.safetensors") + "' " +
                each.layer + " " + each.prefix);
        if (status == 77 || status == 127) return skip_without_torch(said);
        EXPECT_EQ(status, 0) << each.model << " " << each.attention << "\n" << said;
    }
}

TEST_F(CliTorch, scripts_of_bare_layers_agree_with_pytorch) {
    add_golden("t2t_1", "{}");
    add_golden("t2t_4", R"({"heads": 4})");
    add_golden("t2t_bias", R"({"heads": 3, "scale": 0.3, "skip": "value"})");
    add_golden("mha", R"({"heads": 2})");
    add_golden("cross", R"({"heads": 2})");
    add_golden("added", R"({"heads": 2})");
    add_golden("layers/kqvl", R"({"heads": 2})");
    add_golden("layers/mhsa", R"({"heads": 3})");
    add_golden("layers/keras", "{}");
    add_golden("layers/keras_cross", "{}");
    add_golden("layers/kqvl_cross", R"({"heads": 2})");
    add_golden("layers/mha_apart", R"({"heads": 2})");
    add_golden("layers/mha_three", R"({"heads": 2})");
    add("convolutions",
        {"--model", golden("layers/convolutions.model.safetensors"), "--input",
         golden("layers/convolutions.input.npy"), "--attention", R"({"activation_after": "relu"})"},
        said_of_maps());
    expect_agreement();
}

// Products in einsum, and changes of shape in einops, as the panel PYTORCH of Walk shows them.
TEST_F(CliTorch, scripts_assert_that_other_notations_give_the_same) {
    const auto expect_lines = [&](const std::string& name, std::vector<std::string> lines) {
        const std::string text = content_of(path(name + ".py"));
        for (const std::string& line : lines)
            EXPECT_NE(text.find("\nassert " + line + "\n"), std::string::npos) << line << text;
    };
    const std::string product = "same(q @ k.transpose(-2, -1), torch.einsum(";
    add_golden("mha", R"({"heads": 2})");
    expect_lines(
        "mha",
        {"same(F.linear(X, W_qkv), torch.einsum(\"bnc,oc->bno\", X, W_qkv))",
         product + "\"bhqd,bhkd->bhqk\", q, k))",
         "same(A @ v, torch.einsum(\"bhqk,bhkd->bhqd\", A, v))",
         "rearrange is None or torch.equal(O.transpose(1, 2).flatten(2), "
         "rearrange(O, \"b h n d -> b n (h d)\"))",
         "rearrange is None or torch.equal(qkv.reshape(B, N, 3, H, hd).permute(2, 0, 3, 1, 4), "
         "rearrange(qkv, \"b n (k h d) -> k b h n d\", k=3, h=H))"});
    add_golden("scores/location", R"({"heads": 3, "score": "location"})");
    expect_lines("scores_location", {product + "\"bhqd,hkd->bhqk\", q, k))"});
    add_golden("scores/additive", R"({"heads": 3, "score": "additive"})");
    expect_lines("scores_additive", {"same(k @ W_score[..., hd:].transpose(-2, -1), "
                                     "torch.einsum(\"bhnd,hed->bhne\", k, W_score[..., hd:]))"});
    expect_agreement();
}

TEST_F(CliTorch, scripts_of_every_score_agree_with_pytorch) {
    for (const char* score : {"dot", "cosine", "general", "additive", "location"})
        add_golden("scores/" + std::string(score),
                   R"({"heads": 3, "score": ")" + std::string(score) + "\"}");
    add_golden("scores/max", R"({"heads": 3, "weights_from": "max"})");
    add_golden("scores/queries", R"({"heads": 3, "sum_over": "queries"})");
    add_golden("scores/relu", R"({"heads": 3, "activation_after": "relu"})");
    add_golden("scores/plain", R"({"projections": "none"})");
    expect_agreement();
}

TEST_F(CliTorch, scripts_of_what_is_changed_agree_with_pytorch) {
    const auto mha = [&](const std::string& name, const std::string& attention) {
        add_golden("mha", R"({"heads": 2, )" + attention + "}", name);
    };
    mha("causal", R"("mask": "causal")");
    mha("masks", R"("mask": ["no_self", {"keys": [3, 7]}], "temperature": 0.5)");
    mha("hidden", R"("mask": {"keys": [0]}, "weights_from": "max")");
    mha("painted", R"("mask": ["causal", {"blocked": "80x80 0-9.0-20 40.3 70-79.60-79"}])");
    mha("dropout", R"("dropout": {"attention": 0.3, "output": 0.2, "seed": 5})");
    mha("no_skip", R"("skip": "none")");
    add_golden("cross", R"({"heads": 2, "mask": "causal"})", "cross_causal");
    add_golden("scores/plain", R"({"projections": "none", "dropout": {"output": 0.5}})",
               "plain_dropped");
    expect_agreement();
}

TEST_F(CliTorch, scripts_of_transformer_layers_agree_with_pytorch) {
    add_golden("blocks/post_norm", R"({"heads": 3})");
    add_golden("blocks/pre_norm", R"({"heads": 3, "norm_first": true, "activation": "gelu"})");
    add_golden("blocks/swish", R"({"heads": 3, "activation": "silu"})");
    add_golden("blocks/batch_norm", R"({"heads": 3})");
    add_golden("blocks/encoder", R"({"heads": 3, "norm_first": true})");
    // The other two of its three layers are in a loop.
    const std::string text = content_of(path("blocks_encoder.py"));
    EXPECT_NE(text.find("for i in range(1, 3):\n"), std::string::npos) << text;
    EXPECT_NE(text.find("check(f\"layer.{i}\", output=Y)"), std::string::npos) << text;
    add_golden("blocks/encoder_post", R"({"heads": 3})");
    for (const char* name : {"t2t", "lanl", "lanl_block", "performer"})
        add_golden("blocks/" + std::string(name), "{}");
    expect_agreement();
}

TEST_F(CliTorch, scripts_of_every_family_agree_with_pytorch) {
    const std::string ending = ".input.safetensors";
    int count = 0;
    for (const auto& file : fs::directory_iterator(golden("families"))) {
        const std::string name = file.path().filename().string();
        if (!name.ends_with(ending)) continue;
        add_family(name.substr(0, name.size() - ending.size()));
        ++count;
    }
    EXPECT_GE(count, 30);
    add_family("timm", {"--layer", "2"}, "timm_layer_2");
    expect_agreement();
}

// --gradient-of: the scripts compare the gradients of their results with autograd's.
TEST_F(CliTorch, gradients_of_every_family_agree_with_autograd) {
    const std::string ending = ".input.safetensors";
    int count = 0;
    for (const auto& file : fs::directory_iterator(golden("families"))) {
        std::string name = file.path().filename().string();
        if (!name.ends_with(ending)) continue;
        name.resize(name.size() - ending.size());
        const std::string of = name + "_gradients";
        const bool npz = fs::exists(golden("families/" + name + ".model.npz"));
        std::vector<std::string> words{
            "torch",
            "--model",
            golden("families/" + name + (npz ? ".model.npz" : ".model.safetensors")),
            "--input",
            file.path().string(),
            "--out",
            path(of + ".py"),
            "--gradient-of",
            "1"};
        if (fs::exists(golden("families/" + name + ".config.json")))
            words.insert(words.end(), {"--config", golden("families/" + name + ".config.json")});
        Outcome outcome = headlight(words);
        if (outcome.error.find("expected pooled") != std::string::npos) {
            *std::next(std::ranges::find(words, "--gradient-of")) = "pooled";
            outcome = headlight(words);
        }
        if (outcome.status == 0) {
            scripts_ += " '" + path(of + ".py") + "'";
            ++count;
        } else {  // maps and single layers
            EXPECT_NE(outcome.error.find("radient"), std::string::npos) << name << outcome.error;
        }
    }
    EXPECT_GE(count, 30);
    const std::string scenes = source_path("assets/models/scenes"),
                      picture = golden("images/rgb.png");
    add("scenes_gradients",
        {"--model", scenes, "--image", picture, "--layer", "3", "--gradient-of", "2"});
    add_family("swin", {"--layer", "3", "--gradient-of", "1"}, "swin_merged_gradients");
    const std::string text = content_of(path("scenes_gradients.py"));
    EXPECT_NE(text.find("y = followed[\"head.logits\"][:, 2].sum()\ncheck_gradients(y)\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("compare(\"pixels.gradient\""), std::string::npos) << text;
    const TensorMap numbers = read(path("scenes_gradients.safetensors"));
    for (const char* name : {"softmax.attention.gradient", "layer.1.output.gradient",
                             "embed.embedded.gradient", "pixels.gradient"})
        EXPECT_TRUE(numbers.contains(name)) << name;
    expect_agreement();
    for (const auto& [more, says] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"--gradient-of", "99"}, "--gradient-of"},
             {{"--gradient-of", "1", "--module"}, "--module"}}) {
        std::vector<std::string> words{"torch", "--model",         scenes, "--image", picture,
                                       "--out", path("refused.py")};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = headlight(words);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_NE(outcome.error.find(says), std::string::npos) << outcome.error;
        EXPECT_FALSE(fs::exists(path("refused.py")));
    }
}

// --gradient-of cosine:IMAGE: of logits, of a class token, of a pooled output and of merged
// patches.
TEST_F(CliTorch, gradients_of_a_cosine_agree_with_autograd) {
    const std::string picture = golden("images/rgb.png"),
                      other = source_path("assets/images/cat.jpg");
    const auto add_cosine = [&](const std::string& name, const std::string& model) {
        std::vector<std::string> words{
            "--model",         model,     "--image", picture, "--gradient-of",
            "cosine:" + other, "--layer", "1"};
        const std::string config = golden("families/" + name + ".config.json");
        if (fs::exists(config)) words.insert(words.end(), {"--config", config});
        add(name + "_cosine", words);
    };
    for (const char* name : {"timm", "dino", "clip_openai", "swin"})
        add_cosine(name, golden("families/" + std::string(name) + ".model.safetensors"));
    const std::string scenes = source_path("assets/models/scenes");
    add_cosine("scenes", scenes);
    expect_agreement();
    const std::string text = content_of(path("scenes_cosine.py"));
    EXPECT_NE(text.find("y = torch.cosine_similarity(followed[\"head.logits\"], "
                        "given[\"other.output\"]).sum()\ncheck_gradients(y)\n"),
              std::string::npos)
        << text;
    // The other row is the output for the other image.
    const Outcome outcome = headlight({"trace", "--model", scenes, "--image", other, "--layers",
                                       "1", "--out", path("other.safetensors")});
    ASSERT_EQ(outcome.status, 0) << outcome.error;
    EXPECT_EQ(read(path("scenes_cosine.safetensors")).at("other.output").values,
              read(path("other.safetensors")).at("logits").values);
    fs::copy_file(picture, path("picture.py"));
    for (const auto& [image, status] :
         {std::pair(path("no.png"), 1), std::pair(path("picture.py"), 2)}) {
        const Outcome refused = headlight({"torch", "--model", scenes, "--image", picture, "--out",
                                           path("picture.py"), "--gradient-of", "cosine:" + image});
        EXPECT_EQ(refused.status, status) << refused.error;
        EXPECT_NE(refused.error.find(image), std::string::npos) << refused.error;
        EXPECT_FALSE(fs::exists(path("picture.safetensors")));
    }
}

// A golden trunk with another head (tests/golden/make_classifiers.py).
TEST_F(CliTorch, scripts_of_fine_tuned_heads_agree_with_pytorch) {
    const auto add_head = [&](const std::string& name, const std::string& trunk,
                              const std::string& own_head, const std::string& prefix,
                              const std::string& activation) {
        std::vector<ToWrite> tensors;
        for (const auto& [tensor, read] : read(golden("families/" + trunk + ".model.safetensors")))
            if (!tensor.starts_with(own_head))
                tensors.push_back({prefix + tensor, read.shape, read.values});
        for (const auto& [tensor, read] : read(golden("classifiers.safetensors")))
            if (tensor.starts_with(name + "/") && !tensor.starts_with(name + "//"))
                tensors.push_back({tensor.substr(name.size() + 1), read.shape, read.values});
        write(name + ".safetensors", tensors);
        const std::string said =
            activation.empty() ? "" : R"(, "head_activation": ")" + activation + "\"";
        write(name + ".json", R"({"num_heads": 3)" + said + "}");
        add("head_" + name,
            {"--model", path(name + ".safetensors"), "--config", path(name + ".json"), "--input",
             golden("families/" + trunk + ".input.safetensors")});
    };
    const std::string torchvision = "torchvision", heads = "heads.";
    for (const char* name : {"dropout", "norm"}) add_head(name, torchvision, heads, "", "");
    add_head("composed", torchvision, heads, "", "none");
    add_head("relu", torchvision, heads, "", "relu");
    add_head("gelu", torchvision, heads, "", "gelu");
    add_head("tanh", torchvision, heads, "", "tanh");
    add_head("silu", "timm", "head.", "", "silu");
    add_head("batch_norm_after", "timm", "head.", "", "relu");
    add_head("around", "timm", "head.", "backbone.", "");
    add_head("around_both", "timm", "head.", "backbone.", "");
    const std::string relu = content_of(path("head_relu.py"));
    EXPECT_NE(relu.find("p = F.relu(p)"), std::string::npos) << relu;
    EXPECT_NE(relu.find("model[\"heads.2.weight\"]"), std::string::npos) << relu;
    expect_agreement();
}

TEST_F(CliTorch, scripts_of_changed_models_agree_with_pytorch) {
    const auto timm = [&](const std::string& name, const std::string& attention) {
        add_family("timm", {"--attention", attention}, name);
    };
    timm("local", R"({"mask": {"local": 1}})");
    timm("warm", R"({"temperature": 2, "scale": 0.2, "mask": "causal"})");
    timm("sinusoidal", R"({"positions": {"kind": "sinusoidal", "base": 100}})");
    for (const std::string_view kind : kNames<PositionKind>)
        if (kind != name_of(PositionKind::model))
            timm("positions_" + std::string(kind),
                 R"({"positions": ")" + std::string(kind) + R"("})");
    timm("rows_first", R"({"positions": {"kind": "sincos_2d", "first": "rows"}})");
    timm("relative", R"({"positions": {"kind": "relative", "seed": 3}})");
    timm("relative_by_distance",
         R"({"positions": {"kind": "relative", "bias": "distance", "strength": 2},
             "mask": {"local": 1}})");
    add_family("beit", {"--attention", R"({"positions": "relative"})"}, "beit_relative");
    add_family("t2t", {"--attention", R"({"mask": {"local": 1}})"}, "t2t_local");
    add_family("swin", {"--layer", "3"}, "swin_merged");
    add_family("swin_authors", {"--layer", "3", "--attention", R"({"mask": {"local": 1}})"},
               "swin_local");
    add_family("swin", {"--layer", "2", "--attention", R"({"positions": "relative"})"},
               "swin_relative");
    add_family("hf_swin", {"--layer", "2", "--attention", R"({"positions": "none"})"},
               "swin_without_bias");
    expect_agreement();
}

TEST_F(CliTorch, scripts_of_pictures_agree_with_pytorch) {
    const std::string models = source_path("assets/models/");
    const std::string picture = golden("images/rgb.png");
    add("t2t_layer", {"--model", models + "t2t-layer", "--image", picture});
    add("t2t_layer_padded", {"--model", models + "t2t-layer", "--image", picture, "--attention",
                             R"({"stride": 8, "mask": {"local": 2}})"});
    add("scenes", {"--model", models + "scenes", "--image", picture, "--layer", "3"});
    for (const char* name : {"timm", "t2t"})
        add(std::string(name) + "_picture",
            {"--model", golden("families/" + std::string(name) + ".model.safetensors"), "--image",
             picture, "--config", golden("families/" + std::string(name) + ".config.json")});
    expect_agreement();
}

// Computed by a Runner as for the window, with heads switched off.
TEST_F(CliTorch, scripts_of_a_runners_walks_agree_with_pytorch) {
    const auto add_walk = [&](const std::string& name, const Recipe& recipe) {
        Runner runner(read_file);
        const auto walk = runner.run(recipe);
        const Counterfactual change = counterfactual_of(recipe, *walk->model);
        std::optional<TensorFile> file;
        if (!recipe.weights.empty()) file = open_tensor_file(recipe.weights, read_file);
        const PythonScript script = python_script({*walk, change, file ? &*file : nullptr});
        write_script(path(name + ".py"), script);
        scripts_ += " '" + path(name + ".py") + "'";
        return script.text;
    };
    Recipe recipe;
    recipe.image = golden("images/rgb.png");
    recipe.weights = golden("families/timm.model.safetensors");
    recipe.model.num_heads = 3;
    recipe.layer = 1;
    recipe.switched_off = {{0, 1}, {1, 0}};
    recipe.temperature = 0.5F;
    const std::string heads_off = add_walk("heads_off", recipe);
    EXPECT_NE(heads_off.find("O[:, (1,)] = 0"), std::string::npos) << heads_off;
    EXPECT_NE(heads_off.find("O[:, (0,)] = 0"), std::string::npos) << heads_off;

    recipe = {};
    recipe.image = golden("images/rgb.png");
    recipe.layers = 2;
    recipe.layer = 1;
    recipe.qkv_bias = true;
    recipe.value_channels = 32;
    recipe.switched_off = {{0, 3}};
    recipe.position.kind = PositionKind::sincos_2d;
    recipe.variant.dropout = {0.2F, 0.1F, 3};
    EXPECT_EQ(add_walk("drawn", recipe).find("model["), std::string::npos);
    recipe.variant = {};
    recipe.variant.score = Score::additive;
    recipe.patches.stride = 12;
    add_walk("drawn_additive", recipe);
    recipe.variant = {};
    recipe.position = {PositionKind::relative, kUsualBase, {BiasStart::drawn, 2, 5}};
    add_walk("drawn_relative", recipe);
    recipe.position = {PositionKind::learned, kUsualBase, {BiasStart::drawn, 1, 5}};
    EXPECT_NE(add_walk("drawn_positions", recipe).find("PE_drawn"), std::string::npos);

    recipe = {};
    recipe.image = golden("images/rgb.png");
    recipe.weights = golden("families/t2t.model.safetensors");
    recipe.layer = 1;
    add_walk("token_transformer", recipe);
    expect_agreement();
}

// The script must resolve an index of shards, also from the name of a shard.
TEST_F(CliTorch, scripts_of_a_model_in_shards_agree_with_pytorch) {
    std::map<std::string, std::vector<ToWrite>> shards;
    std::string index = "{\"weight_map\": {";
    for (const auto& [name, tensor] : read(golden("mha.model.safetensors"))) {
        const std::string file = shards.empty() ? "model-00001-of-00002.safetensors"
                                                : "model-00002-of-00002.safetensors";
        shards[file].push_back({name, tensor.shape, tensor.values});
        index += (index.back() == '{' ? "\"" : ", \"") + name + "\": \"" + file + "\"";
    }
    ASSERT_EQ(shards.size(), 2U);
    for (const auto& [file, tensors] : shards) write(file, tensors);
    write("model.safetensors.index.json", index + "}}");
    const auto of = [&](const std::string& file) {
        return std::vector<std::string>{"--model",     path(file),
                                        "--input",     golden("mha.input.safetensors"),
                                        "--attention", R"({"heads": 2})"};
    };
    add("index", of("model.safetensors.index.json"));
    add("shard", of("model-00002-of-00002.safetensors"));
    expect_agreement();
}

// A script reports a different number, and only then exits with an error.
TEST_F(CliTorch, a_script_says_which_step_disagrees) {
    const std::string file =
        script("mha", {"--model", golden("mha.model.safetensors"), "--input",
                       golden("mha.input.safetensors"), "--attention", R"({"heads": 2})"});
    const auto right = run("/usr/bin/python3 '" + file + "'");
    if (right.first == 127 || right.second.find("No module named") != std::string::npos)
        return skip_without_torch(right.second);
    EXPECT_EQ(right.first, 0) << right.second;
    EXPECT_TRUE(right.second.ends_with("steps agree\n")) << right.second;

    std::string text = content_of(file);
    const std::string line = "S = R / math.sqrt(";
    ASSERT_NE(text.find(line), std::string::npos) << text;
    text.replace(text.find(line), line.size(), "S = R / math.sqrt(1.01 * ");
    write("mha.py", text);
    const auto wrong = run("/usr/bin/python3 '" + file + "'");
    EXPECT_EQ(wrong.first, 1) << wrong.second;
    EXPECT_NE(wrong.second.find(
                  "scale.scores: expected an error of at most 1e-05 times the largest number"),
              std::string::npos)
        << wrong.second;
    EXPECT_EQ(wrong.second.find("agree"), std::string::npos) << wrong.second;
}

// A projection may have a bias, as in EVA-CLIP; needs no Python.
TEST_F(CliTorch, a_projection_is_written_with_its_bias_where_it_has_one) {
    const auto text = [&](const std::string& name) {
        const std::string files = golden("families/" + name);
        return content_of(
            script(name, {"--model", files + ".model.safetensors", "--input",
                          files + ".input.safetensors", "--config", files + ".config.json"}));
    };
    const std::string eva = text("eva02_authors"), clip = text("clip_openai");
    EXPECT_NE(eva.find("e = c @ proj + b_h"), std::string::npos) << eva;
    EXPECT_NE(eva.find("model[\"visual.head.bias\"]"), std::string::npos) << eva;
    EXPECT_NE(clip.find("e = c @ proj"), std::string::npos) << clip;
}

// Has every step of the walk in order; needs no Python.
TEST_F(CliTorch, a_script_has_every_step_and_the_lines_of_the_window) {
    const std::string text =
        content_of(script("timm", {"--model", golden("families/timm.model.safetensors"), "--input",
                                   golden("families/timm.input.safetensors"), "--config",
                                   golden("families/timm.config.json"), "--layer", "2"}));
    std::size_t at = 0;
    for (const char* step :
         {"patches",  "embed",      "prefix",  "position",  "layer.0", "norm1",   "qkv",  "heads",
          "products", "scale",      "softmax", "mix",       "concat",  "project", "skip", "norm2",
          "mlp_in",   "activation", "mlp_out", "residual2", "norm",    "pool",    "head"}) {
        const std::size_t next = text.find("check(\"" + std::string(step) + "\"", at);
        ASSERT_NE(next, std::string::npos) << step << "\n" << text;
        at = next;
    }
    for (const char* line :
         {"qkv = F.linear(N1, W_qkv, b_qkv)", "A = S.softmax(dim=-1)", "O = A @ v",
          "W_qkv = model[\"blocks.1.attn.qkv.weight\"]", "print(f\"all {steps} steps agree\")"})
        EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST_F(CliTorch, torch_refuses_what_it_cannot_write_down) {
    const auto torch = [&](std::vector<std::string> options) {
        options.insert(options.begin(), "torch");
        return headlight(std::move(options));
    };
    const std::string model = golden("mha.model.safetensors"),
                      input = golden("mha.input.safetensors");
    expect_failure(torch({"--model", model, "--input", input, "--out", path("script")}), 2,
                   "--out: expected a name that ends in .py");
    expect_failure(torch({"--model", model, "--out", path("a.py")}), 2, "found neither");
    expect_failure(torch({"--model", model, "--input", input, "--attention", R"({"heads": 2})",
                          "--layer", "2", "--out", path("a.py")}),
                   2, "--layer: expected 1");
    expect_failure(torch({"--model", model, "--input", input, "--attention", R"({"heads": 2})",
                          "--layer", "0", "--out", path("a.py")}),
                   2, "--layer 1");
    expect_failure(
        torch({"--model", golden("families/maps.model.safetensors"), "--out", path("a.py")}), 1,
        "found attention maps. These contain no computation");
    fs::copy_file(model, path("same.safetensors"));
    expect_failure(torch({"--model", path("same.safetensors"), "--input", input, "--attention",
                          R"({"heads": 2})", "--out", path("same.py")}),
                   2, "--out: expected a file other than that of --model");
    EXPECT_FALSE(fs::exists(path("a.py")));
}

}  // namespace
}  // namespace headlight
