#include "encoder/runner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "naive.h"
#include "ops/limits.h"
#include "picture.h"
#include "tests/source_path.h"
#include "written_file.h"

namespace headlight::runner_test {
namespace {

using Change = std::function<void(Recipe&)>;

Recipe small_recipe() {
    Recipe recipe;
    recipe.image = "a.ppm";
    recipe.image_height = recipe.image_width = 48;
    recipe.patches.size = recipe.patches.stride = 8;
    recipe.channels = 16;
    recipe.heads = 4;
    return recipe;
}

// A runner over files in memory that counts how often each is read.
class RunnerTest : public ::testing::Test {
  protected:
    std::map<std::string, Bytes> files{{"a.ppm", picture(60, 70)},
                                       {"b.ppm", picture(50, 50, 99)},
                                       {"text.png", Bytes(500, std::byte{'x'})},
                                       {"empty.png", {}}};
    std::map<std::string, int> reads;
    Bytes read(const std::string& name) {
        ++reads[name];
        const auto file = files.find(name);
        if (file == files.end()) throw FileMissing(name + ": no such file.");
        return file->second;
    }
    Runner runner{[this](const std::string& name) { return read(name); }};
    Recipe recipe = small_recipe();

    std::shared_ptr<const Trace> run() { return runner.run(recipe); }
    std::string error() {
        return naive::sentence_of<std::runtime_error>([&] { run(); });
    }

    // A layer's weights as a file: `dim` input numbers, 24 channels.
    void add_weights(const std::string& name, int dim, bool bias) {
        AttentionConfig config;
        config.dim = dim;
        config.channels = 24;
        config.qkv_bias = bias;
        const AttentionWeights w = draw_weights(config, 11);
        std::vector<TensorToWrite> tensors{{"qkv.weight", {72, dim}, {w.qkv}},
                                           {"proj.weight", {24, 24}, {w.projection}}};
        const Matrix projection_bias = w.projection_bias, qkv_bias = w.qkv_bias;
        tensors.push_back({"proj.bias", {24}, {projection_bias}});
        if (bias) tensors.push_back({"qkv.bias", {72}, {qkv_bias}});
        const std::string path =
            std::filesystem::temp_directory_path() /
            ("headlight_runner_" + std::to_string(::getpid()) + ".safetensors");
        write_safetensors(path, tensors);
        std::ifstream file(path, std::ios::binary);
        Bytes bytes;
        for (char c = 0; file.get(c);) bytes.push_back(static_cast<std::byte>(c));
        std::filesystem::remove(path);
        files[name] = bytes;
    }
};

// The results of each step, to see whether it was recomputed.
std::vector<SharedResult> results_of(const Trace& t, Step step) {
    switch (step) {
        case Step::position:
            return {t.result(Tensor::positions), t.result(Tensor::tokens)};
        case Step::mix:
            return {t.result(Tensor::head_output)};
        case Step::heads:
        case Step::concat:
            return {};  // no result of its own
        default:
            if (!t.has(step)) return {nullptr};
            return {t.result(t.node(step)->result())};
    }
}

// Expects that every step from `first` on has new results, and that earlier ones are unchanged.
void expect_recomputed_from(const Trace& before, const Trace& after, std::optional<Step> first) {
    bool again = false;
    for (const Step step : after.steps()) {
        const std::string_view name = info(step).name;
        again = again || step == first;
        EXPECT_EQ(after.recomputed[static_cast<std::size_t>(step)], again) << name;
        const auto was = results_of(before, step), is = results_of(after, step);
        for (std::size_t r = 0; r < is.size(); ++r) {
            EXPECT_EQ(was[r] == is[r], !again) << name;
            if (was[r] && is[r]) {
                EXPECT_EQ(was[r]->version() == is[r]->version(), !again) << name;
            }
        }
    }
}

// --- Which steps run.

TEST_F(RunnerTest, the_first_run_computes_everything) {
    const auto trace = run();
    EXPECT_EQ(trace->nodes.size(), 12U);
    for (const Node& step : trace->nodes) {
        EXPECT_TRUE(trace->recomputed[static_cast<std::size_t>(step.id)]) << step.name();
        EXPECT_TRUE(trace->has(step.result())) << step.name();
        EXPECT_GE(trace->milliseconds[static_cast<std::size_t>(step.id)], 0.0) << step.name();
    }
    EXPECT_EQ(trace->shape, (AttentionShape{1, 36, 36, 4, 4, 4}));
    EXPECT_EQ(runner.last(), trace);
    EXPECT_FALSE(runner.running());
}

TEST_F(RunnerTest, each_field_recomputes_from_the_first_step_that_it_touches) {
    const std::vector<std::pair<Step, Change>> changes{
        {Step::image, [](auto& r) { r.image = "b.ppm"; }},
        {Step::image, [](auto& r) { r.image_height = 56; }},
        {Step::image, [](auto& r) { r.image_width = 40; }},
        {Step::image, [](auto& r) { r.framing = Framing::stretch; }},
        {Step::image, [](auto& r) { r.grey = true; }},
        {Step::patches,
         [](auto& r) {
             r.mean = {0.5F, 0.5F, 0.4F};
         }},
        {Step::patches,
         [](auto& r) {
             r.std = {0.3F, 0.5F, 0.5F};
         }},
        {Step::patches, [](auto& r) { r.patches.size = 12; }},
        {Step::patches, [](auto& r) { r.patches.stride = 5; }},
        {Step::patches, [](auto& r) { r.patches.ragged = Ragged::crop; }},
        {Step::position, [](auto& r) { r.position.kind = PositionKind::none; }},
        {Step::qkv, [](auto& r) { r.channels = 32; }},
        {Step::qkv, [](auto& r) { r.qkv_bias = true; }},
        {Step::qkv, [](auto& r) { r.seed = 4; }},
        {Step::image, [](auto& r) { r.weights = "w.safetensors"; }},
        {Step::heads, [](auto& r) { r.heads = 2; }},
        {Step::scale, [](auto& r) { r.scale = 0.1F; }},
        {Step::scale, [](auto& r) { r.temperature = 2.0F; }},
        // One pass computes both, and the mask replaces the scale's result.
        {Step::scale, [](auto& r) { r.mask = {{MaskKind::causal}}; }},
        {Step::skip, [](auto& r) { r.skip = Skip::none; }},
    };
    add_weights("w.safetensors", 192, true);
    for (std::size_t i = 0; i < changes.size(); ++i) {
        SCOPED_TRACE("change " + std::to_string(i));
        recipe = small_recipe();
        const auto before = run();
        changes[i].second(recipe);
        const auto after = run();
        if (recipe.skip == Skip::none) {
            EXPECT_EQ(after->result(Tensor::output),
                      after->result(Tensor::projection));  // nothing is added or computed
            EXPECT_EQ(after->node(Step::skip)->title, "Output");
        }
        expect_recomputed_from(*before, *after, changes[i].first);
    }
}

TEST_F(RunnerTest, of_several_changes_the_first_step_decides) {
    const auto before = run();
    recipe.skip = Skip::none;
    recipe.heads = 8;
    recipe.temperature = 3;
    expect_recomputed_from(*before, *run(), Step::heads);
}

TEST_F(RunnerTest, an_equal_recipe_computes_nothing) {
    const auto before = run();
    const auto after = run();
    expect_recomputed_from(*before, *after, std::nullopt);
}

// Whatever changes led to a recipe, its numbers equal those of a run from scratch.
TEST_F(RunnerTest, decodes_again_where_transparency_is_treated_otherwise) {
    std::ifstream stream(source_path("tests/golden/images/rgba.png"), std::ios::binary);
    const std::string png(std::istreambuf_iterator<char>(stream), {});
    const auto bytes = std::as_bytes(std::span(png));
    files["clear.png"] = Bytes(bytes.begin(), bytes.end());
    recipe.image = "clear.png";
    const auto dropped = run();
    EXPECT_EQ(dropped->source->alpha, Alpha::drop);
    for (const Alpha alpha : {Alpha::white, Alpha::black, Alpha::drop}) {
        recipe.alpha = alpha;
        const auto trace = run();
        EXPECT_EQ(trace->source->alpha, alpha);
        EXPECT_EQ(trace->source->values,
                  decode_image(files["clear.png"], "clear.png", kMaxPixels, alpha).values);
        EXPECT_EQ(naive::identical(trace->view(Tensor::pixels), dropped->view(Tensor::pixels)),
                  alpha == Alpha::drop);
    }
    EXPECT_EQ(reads["clear.png"], 4);
    recipe.image = "a.ppm";
    run();
    recipe.alpha = Alpha::white;
    EXPECT_EQ(run()->source->alpha, std::nullopt);
    EXPECT_EQ(reads["a.ppm"], 1);
}

TEST_F(RunnerTest, the_numbers_do_not_depend_on_the_way) {
    add_weights("w.safetensors", 192, false);
    const std::vector<Change> way{[](auto& r) { r.temperature = 0.5F; },
                                  [](auto& r) { r.heads = 8; },
                                  [](auto& r) { r.image = "b.ppm"; },
                                  [](auto& r) { r.skip = Skip::none; },
                                  [](auto& r) { r.weights = "w.safetensors"; },
                                  [](auto& r) { r.heads = 3; },
                                  [](auto& r) { r.position.kind = PositionKind::none; },
                                  [](auto& r) { r.framing = Framing::fit; },
                                  [](auto& r) { r.scale = 0.2F; },
                                  [](auto& r) {
                                      r.weights = "";
                                      r.heads = 2;
                                  },
                                  [](auto& r) { r.qkv_bias = true; },
                                  [](auto& r) { r.patches.stride = 4; },
                                  [](auto& r) { r.seed = 9; },
                                  [](auto& r) { r.grey = true; },
                                  [](auto& r) { r.skip = Skip::value; }};
    for (std::size_t i = 0; i < way.size(); ++i) {
        way[i](recipe);
        const auto trace = run();
        Runner fresh([this](const std::string& name) { return read(name); });
        const auto expected = fresh.run(recipe);
        for (const TensorInfo& tensor : all_tensors()) {
            ASSERT_EQ(trace->has(tensor.id), expected->has(tensor.id)) << i << ": " << tensor.name;
            const Index head = tensor.per_head ? recipe.heads.value() - 1 : 0;
            ASSERT_TRUE(naive::identical(trace->view(tensor.id, 0, head),
                                         expected->view(tensor.id, 0, head)))
                << "after change " << i << ": " << tensor.name;
        }
        EXPECT_EQ(trace->config, expected->config) << i;
        EXPECT_EQ(factor_of(*trace), factor_of(*expected)) << i;
    }
}

TEST_F(RunnerTest, a_finished_trace_never_changes) {
    const auto first = run();
    const Matrix output = first->all(Tensor::output).eigen(),
                 attention = first->all(Tensor::attention).eigen();
    for (const float temperature : {0.1F, 5.0F, 20.0F}) {
        recipe.temperature = temperature;
        run();
    }
    recipe.image = "b.ppm";
    run();
    EXPECT_TRUE(naive::identical(first->all(Tensor::output), output));
    EXPECT_TRUE(naive::identical(first->all(Tensor::attention), attention));
}

TEST_F(RunnerTest, weights_that_stay_are_not_drawn_again) {
    const auto before = run();
    recipe.image = "b.ppm";
    const auto after = run();
    EXPECT_EQ(before->result(Tensor::qkv_weight), after->result(Tensor::qkv_weight));
    EXPECT_EQ(before->model, after->model);
    recipe.patches.size = 4;  // other tokens need other weights
    EXPECT_NE(before->result(Tensor::qkv_weight), run()->result(Tensor::qkv_weight));
}

TEST_F(RunnerTest, files_are_read_only_when_their_name_changes) {
    add_weights("w.safetensors", 192, true);
    recipe.weights = "w.safetensors";
    run();
    recipe.framing = Framing::stretch;
    run();
    recipe.heads = 8;
    run();
    EXPECT_EQ(reads["a.ppm"], 1);
    EXPECT_EQ(reads["w.safetensors"], 1);
    recipe.image = "b.ppm";
    run();
    recipe.image = "a.ppm";
    run();
    EXPECT_EQ(reads["a.ppm"], 2);
}

TEST_F(RunnerTest, a_weights_file_decides_channels_and_bias) {
    add_weights("w.safetensors", 192, true);
    recipe.weights = "w.safetensors";
    const auto trace = run();
    EXPECT_EQ(trace->config.channels, 24);
    EXPECT_TRUE(trace->config.qkv_bias);
    EXPECT_TRUE(trace->has(Tensor::qkv_bias));
    EXPECT_EQ(trace->view(Tensor::output).cols, 24);
    recipe.temperature = 2;  // also when only a later step runs
    EXPECT_EQ(run()->config.channels, 24);
}

TEST_F(RunnerTest, without_positions_the_tokens_are_the_patches) {
    recipe.position.kind = PositionKind::none;
    const auto trace = run();
    EXPECT_FALSE(trace->has(Tensor::positions));
    EXPECT_EQ(trace->result(Tensor::tokens), trace->result(Tensor::patches));
}

TEST_F(RunnerTest, a_grey_picture_has_one_channel) {
    recipe.grey = true;
    const auto trace = run();
    EXPECT_EQ(trace->view(Tensor::pixels).cols, 48);
    EXPECT_EQ(trace->view(Tensor::patches).cols, 64);
    EXPECT_EQ(trace->mean.size(), 1U);
}

// --- Slices, stopping, dropping.

TEST_F(RunnerTest, advances_one_step_at_a_time) {
    runner.begin(recipe);
    EXPECT_EQ(runner.progress(), 0.0F);
    int slices = 1;
    for (float last = 0; runner.advance(); ++slices) {
        EXPECT_TRUE(runner.running());
        EXPECT_GT(runner.progress(), last);
        last = runner.progress();
        EXPECT_EQ(runner.last(), nullptr);  // no partial result is visible
    }
    EXPECT_EQ(slices, 15);  // the model, 12 steps, the layer's beginning and its end
    EXPECT_NE(runner.last(), nullptr);
    EXPECT_EQ(runner.progress(), 1.0F);
    EXPECT_FALSE(runner.advance());
}

TEST_F(RunnerTest, an_unfinished_run_is_dropped) {
    const auto before = run();
    recipe.image = "b.ppm";
    runner.begin(recipe);
    runner.advance();
    runner.advance();
    EXPECT_EQ(runner.last(), before);
    // The next run starts from the last finished one, not from the dropped one.
    recipe = small_recipe();
    recipe.temperature = 2;
    const auto after = run();
    expect_recomputed_from(*before, *after, Step::scale);
}

TEST_F(RunnerTest, a_stopped_run_leaves_the_last_trace) {
    const auto before = run();
    recipe.seed = 5;
    int asked = 0;
    EXPECT_THROW(runner.run(recipe, [&] { return ++asked > 3; }), Stopped);
    EXPECT_FALSE(runner.running());
    EXPECT_EQ(runner.last(), before);
    expect_recomputed_from(*before, *run(), Step::qkv);
}

TEST_F(RunnerTest, a_failed_run_leaves_the_last_trace) {
    const auto before = run();
    recipe.image = "text.png";
    EXPECT_NE(error(), "");
    EXPECT_FALSE(runner.running());
    EXPECT_EQ(runner.last(), before);
    recipe.image = "a.ppm";
    recipe.skip = Skip::none;
    EXPECT_TRUE(run()->recomputed[static_cast<std::size_t>(Step::skip)]);
    EXPECT_EQ(reads["a.ppm"], 1) << "the good picture is still there";
}

// --- Errors: one sentence.

TEST_F(RunnerTest, each_impossible_recipe_is_refused_in_a_sentence) {
    add_weights("w.safetensors", 100, false);
    files["broken.safetensors"] = Bytes(40, std::byte{7});
    const std::vector<std::pair<Change, std::string>> faults{
        {[](auto& r) { r.heads = 5; }, "16 channels cannot be divided evenly among 5 heads"},
        {[](auto& r) { r.heads = 0; }, "at least 1 head; found 0"},
        {[](auto& r) { r.channels = 0; }, "at least 1 channel; found 0"},
        {[](auto& r) { r.channels = -16; }, "at least 1 channel; found -16"},
        {[](auto& r) { r.channels = 2'000'000'000; }, "These weights would need"},
        {[](auto& r) { r.temperature = 0; }, "temperature must be"},
        {[](auto& r) { r.scale = 0.0F; }, "scale must be"},
        {[](auto& r) { r.skip = Skip::input; }, "The skip from X adds tokens of 192 numbers"},
        {[](auto& r) { r.skip = Skip::both; }, "The skip from X adds tokens of 192 numbers"},
        {[](auto& r) { r.image_height = 0; }, ""},
        {[](auto& r) { r.image_width = -3; }, ""},
        {[](auto& r) { r.image_width = r.image_height = 2'000'000'000; }, ""},
        {[](auto& r) { r.patches.size = 0; }, ""},
        {[](auto& r) { r.patches.stride = 0; }, ""},
        {[](auto& r) { r.patches.size = r.patches.stride = 2'000'000'000; }, ""},
        {[](auto& r) {
             r.std = {0, 0.5F, 0.5F};
         },
         ""},
        {[](auto& r) { r.image = "missing.png"; }, "missing.png"},
        {[](auto& r) { r.image = "text.png"; }, "text.png"},
        {[](auto& r) { r.image = "empty.png"; }, "empty.png"},
        {[](auto& r) { r.weights = "missing.safetensors"; }, "missing.safetensors"},
        {[](auto& r) { r.weights = "broken.safetensors"; }, "broken.safetensors"},
        {[](auto& r) { r.weights = "w.safetensors"; },
         "w.safetensors: its layer takes tokens of 100 numbers, but these patches have 64"},
    };
    for (const bool after_a_run : {false, true}) {
        if (after_a_run) {
            recipe = small_recipe();
            run();
        }
        const auto before = runner.last();
        for (std::size_t i = 0; i < faults.size(); ++i) {
            recipe = small_recipe();
            faults[i].first(recipe);
            const std::string sentence = error();
            EXPECT_NE(sentence, "") << "fault " << i << " was not refused";
            EXPECT_NE(sentence.find(faults[i].second), std::string::npos)
                << "fault " << i << " said: " << sentence;
            EXPECT_EQ(runner.last(), before) << "fault " << i;
        }
    }
}

TEST_F(RunnerTest, sizes_beyond_memory_are_refused_before_anything_is_allocated) {
    const std::vector<Change> sizes{
        [](auto& r) {
            r.image_height = r.image_width = 4000;
            r.patches.size = r.patches.stride = 1;
        },
        [](auto& r) {
            r.image_height = r.image_width = 1000;
            r.patches.stride = 1;
        },
        [](auto& r) {
            r.image_height = r.image_width = 400;
            r.patches.size = r.patches.stride = 4;
            r.heads = 16;
        },
    };
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        recipe = small_recipe();
        sizes[i](recipe);
        const std::string sentence = error();
        EXPECT_NE(sentence.find("the limit is 6.0 GB. Choose a smaller image"), std::string::npos)
            << i << " said: " << sentence;
    }
    // More heads alone may exceed the limit too.
    recipe = small_recipe();
    recipe.image_height = recipe.image_width = 336;
    recipe.patches.size = recipe.patches.stride = 8;  // 1764 tokens
    recipe.channels = 256;
    recipe.heads = 1;
    run();
    recipe.heads = 256;
    EXPECT_NE(error().find("fewer heads or fewer tokens"), std::string::npos) << error();
}

TEST(TraceBytes, count_the_matrices_that_a_trace_keeps) {
    // patches, positions, tokens [N, D]; [Q K V] [N, 3C]; concat, projection, output [N, C] and one
    // to spare; products, scores, attention [H·N, M]; the weights.
    const double expected = 4.0 * (3 * 10 * 6 + 7 * 10 * 8 + 3 * 2 * 10 * 10 + 3 * 8 * 6 + 8 * 8);
    EXPECT_EQ(trace_bytes({1, 10, 10, 2, 4}, 6), expected);
    EXPECT_GT(trace_bytes({1, 1'000'000, 1'000'000, 64, 64}, 768), kMaxTraceBytes);
}

}  // namespace
}  // namespace headlight::runner_test
