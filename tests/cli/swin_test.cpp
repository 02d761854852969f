#include <map>

#include "cli/front.h"
#include "cli_fixture.h"
#include "encoder/runner.h"
#include "families/load.h"

// Tests `headlight trace` and `headlight info` on Swin, whose layers attend within windows of
// several maps.
namespace headlight {
namespace {

class CliSwin : public Cli {
  protected:
    static std::string file(const std::string& name) { return golden("families/" + name); }

    static std::vector<std::string> options(const std::string& name) {
        return {"--model", file(name + ".model.safetensors"), "--config",
                file(name + ".config.json")};
    }
    Outcome traced(const std::string& name, std::vector<std::string> more = {}) {
        std::vector<std::string> all = options(name);
        all.insert(all.end(), {"--input", file(name + ".input.safetensors")});
        all.insert(all.end(), more.begin(), more.end());
        return trace(all);
    }
    TensorMap read_back(const std::string& name, std::vector<std::string> more = {}) {
        const Outcome outcome = traced(name, std::move(more));
        EXPECT_EQ(outcome.status, 0) << outcome.error;
        return outcome.status == 0 ? read(path("out")) : TensorMap();
    }
};

std::shared_ptr<const Model> load(const std::string& name) {
    const std::string path = golden("families/" + name), model = path + ".model.safetensors";
    return load_model(
        model,
        [&](const std::string& file) -> FileBytes {
            if (file != model) throw FileMissing(file);
            return FileBytes(bytes_of(file));
        },
        {}, parse_config(bytes_of(path + ".config.json"), "--config"));
}

// The engine's results for one layer and all pairs of tokens: scores, attention and bias of each
// head.
struct Squares {
    std::map<std::string, std::vector<Matrix>> of;
    PatchGrid grid;
    Window window;
    Index heads = 0;
};

Squares squares_of(const std::string& name, int layer) {
    cli::Source source;
    source.model = load(name);
    source.input_path = golden("families/" + name + ".input.safetensors");
    source.input = read(source.input_path);
    Squares squares;
    (void)Runner::run(cli::beginning_of(source), [&](const Trace& trace) {
        if (trace.layer != layer) return;
        squares.grid = trace.grid;
        squares.window = trace.model_layer().window;
        squares.heads = trace.shape.heads;
        for (const auto& [called, tensor] : {std::pair{"scores", Tensor::scores},
                                             {"attention", Tensor::attention},
                                             {"relative_bias", Tensor::relative_bias}}) {
            const Index batch = tensor == Tensor::relative_bias ? 1 : trace.shape.batch;
            for (Index b = 0; b < batch; ++b)
                for (Index h = 0; h < squares.heads; ++h)
                    squares.of[called].emplace_back(trace.view(tensor, b, h).eigen());
        }
    });
    return squares;
}

// Compares every number of the file with its place according to torch.roll and window partition.
void expect_windows(const std::vector<Matrix>& samples, const NamedTensor& written,
                    const Squares& all) {
    const int size = all.window.size, rows = all.grid.rows, cols = all.grid.cols;
    const int shift = std::min(rows, cols) > size ? all.window.shift : 0;
    const std::int64_t area = std::int64_t{size} * size, windows = rows * cols / area,
                       heads = all.heads;
    const auto batch = static_cast<std::int64_t>(samples.size()) / heads;
    ASSERT_EQ(written.shape, (std::vector<std::int64_t>{batch * windows, heads, area, area}));
    const auto token = [&](std::int64_t window, std::int64_t place) {
        const auto row = (window / (cols / size)) * size + place / size,
                   col = (window % (cols / size)) * size + place % size;
        return (row + shift) % rows * cols + (col + shift) % cols;
    };
    std::size_t at = 0;
    for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t w = 0; w < windows; ++w)
            for (std::int64_t h = 0; h < heads; ++h)
                for (std::int64_t q = 0; q < area; ++q)
                    for (std::int64_t k = 0; k < area; ++k, ++at)
                        ASSERT_EQ(written.values[at],
                                  samples[static_cast<std::size_t>(b * heads + h)](token(w, q),
                                                                                   token(w, k)))
                            << "window " << w << ", head " << h << ", " << q << " reads " << k;
}

// Bit for bit. What the file leaves out is zero attention between different windows.
TEST_F(CliSwin, squares_are_written_window_by_window) {
    for (const auto& [name, layer] : {std::pair{"hf_swin", 1},
                                      {"hf_swin", 4},
                                      {"torchvision_swin", 1},
                                      {"swin_authors", 3},
                                      {"swin", 0}}) {
        const Squares all = squares_of(name, layer);
        const TensorMap found = read_back(name);
        for (const auto& [tensor, samples] : all.of)
            expect_windows(samples, found.at("layer." + std::to_string(layer) + "." + tensor), all);
        double within = 0, whole = 0;
        for (const Matrix& map : all.of.at("attention")) whole += map.cast<double>().sum();
        for (const float number : found.at("layer." + std::to_string(layer) + ".attention").values)
            within += number;
        EXPECT_NEAR(within, whole, 1e-3) << name;
    }
}

// Swin adds −100, so that softmax leaves almost nothing, but the score is not −∞.
TEST_F(CliSwin, what_does_not_touch_is_100_less) {
    const TensorMap found = read_back("torchvision_swin");
    const auto far = [&](const std::string& name) {
        const auto& values = found.at(name).values;
        EXPECT_TRUE(std::ranges::all_of(values, [](float x) { return std::isfinite(x); }));
        return std::ranges::count_if(values, [](float x) { return x < -80; });
    };
    EXPECT_EQ(far("layer.0.scores"), 0);
    // Of the 16 windows of the 8 × 8 map, one has four regions and 6 have two; 2 samples, 2 heads.
    EXPECT_EQ(far("layer.1.scores"), 2 * 2 * (12 + 6 * 8));
}

TEST_F(CliSwin, tokens_and_outputs_are_in_the_order_of_the_map) {
    const TensorMap found = read_back("hf_swin");
    EXPECT_EQ(found.at("layer.1.output").shape, (std::vector<std::int64_t>{1, 64, 12}));
    EXPECT_EQ(found.at("layer.1.query").shape, (std::vector<std::int64_t>{1, 3, 64, 4}));
    EXPECT_EQ(found.at("layer.2.merge_gathered").shape, (std::vector<std::int64_t>{1, 16, 48}));
    EXPECT_EQ(found.at("layer.2.input").shape, (std::vector<std::int64_t>{1, 16, 24}));
    EXPECT_FALSE(found.contains("layer.1.input") || found.contains("layer.0.merge_gathered"));
    EXPECT_EQ(found.at("layer.4.output").shape, (std::vector<std::int64_t>{1, 4, 48}));
    const TensorMap some = read_back("hf_swin", {"--layers", "4"});
    EXPECT_TRUE(some.contains("layer.3.attention") && some.contains("logits"));
    EXPECT_FALSE(some.contains("layer.1.attention"));
}

TEST_F(CliSwin, tokens_without_their_picture_are_refused) {
    const TensorMap whole = read_back("hf_swin");
    const std::vector<float>& rows = whole.at("tokens.input").values;
    const std::string tokens = write("tokens", std::vector<ToWrite>{{"tokens", {1, 64, 12}, rows}});
    std::vector<std::string> all = options("hf_swin");
    all.insert(all.end(), {"--input", tokens});
    expect_failure(trace(all), 1,
                   "tensor \"tokens\": expected pixels for Hugging Face Swin, whose windows need a "
                   "grid of patches, found tokens.");
    EXPECT_EQ(read(path("out")).at("tokens.input").values, rows);  // what was there
}

TEST_F(CliSwin, rollout_needs_the_same_tokens_in_all_layers) {
    const Outcome plain = traced("swin");
    EXPECT_EQ(plain.error,
              "headlight: no rollout was written, because the layers have different tokens.\n");
    EXPECT_FALSE(read(path("out")).contains("rollout"));
    EXPECT_TRUE(read_back("swin_positions").contains("rollout"));
    expect_failure(traced("swin", {"--rollout", R"({"fusion": "max"})"}), 2,
                   "--rollout: expected a model with the same tokens in all layers, found Swin, "
                   "which merges tokens between layers.");
    EXPECT_EQ(traced("swin_positions", {"--rollout", R"({"fusion": "max"})"}).status, 0);
}

TEST_F(CliSwin, pictures_of_broken_windows_are_refused) {
    const std::string pixels =
        write("in", std::vector<ToWrite>{{"pixels", {1, 3, 12, 16}, ramp(576)}});
    std::vector<std::string> all = options("swin");
    all.insert(all.end(), {"--input", pixels});
    const Outcome outcome = trace(all);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.error.find("multiples of 8"), std::string::npos) << outcome.error;
    expect_no_output();
}

TEST_F(CliSwin, info_says_the_stages) {
    std::vector<std::string> all = options("hf_swin");
    const Outcome outcome = headlight({"info", all[1], all[2], all[3]});
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    for (const char* line : {"hf-swin (Hugging Face Swin)", "3, of 2, 1, 2 layers", "12, 24, 48",
                             "3, 6, 6, each 4, 4, 8 wide",
                             "2 × 2 tokens; every second layer of a stage shifts them by 1",
                             "merging into stage 2", "2 layers of stage 3: attention"})
        EXPECT_NE(outcome.out.find(line), std::string::npos) << line << '\n' << outcome.out;
    EXPECT_EQ(outcome.out.find("unused"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace headlight
