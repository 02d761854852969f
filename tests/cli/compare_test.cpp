#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "analysis/rollout.h"
#include "cli/position_file.h"
#include "cli_fixture.h"
#include "files/npy.h"
#include "positions/positions.h"
#include "positions/rotary.h"

// `headlight compare`, `trace --reference` and `--rollout`, and `headlight positions`.
namespace headlight {
namespace {

class CliCompare : public Cli {
  protected:
    std::string file(const std::string& name, std::vector<float> x,
                     const std::string& tensor = "x") {
        const auto count = static_cast<std::int64_t>(x.size());
        return write(name, std::vector<ToWrite>{{tensor, {1, count}, std::move(x)}});
    }
    static void expect_beyond(const Outcome& outcome, const std::string& says) {
        EXPECT_EQ(outcome.status, 1);
        EXPECT_NE(outcome.error.find(says), std::string::npos) << outcome.error;
        EXPECT_EQ(outcome.error.find('\n'), outcome.error.size() - 1) << outcome.error;
        EXPECT_TRUE(outcome.out.starts_with("tensor")) << outcome.out;
    }
};

TEST_F(CliCompare, prints_how_far_tensors_are_apart) {
    const std::string a = file("a", {1, 2, 3.5F, -4}), b = file("b", {1, 2, 3, -4});
    const Outcome outcome = headlight({"compare", a, b, "--tolerance", "0.2"});
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    // ½, ½ of 4, and ½ of √30.
    EXPECT_EQ(outcome.out,
              "tensor    largest   relative       norm\n"
              "x        5.00e-01   1.25e-01   9.13e-02\n");
    expect_beyond(headlight({"compare", a, b}),
                  "x: expected an error of at most 1e-05 times its largest value, found 1.25e-01.");
}

TEST_F(CliCompare, holds_what_is_no_number_to_be_the_same) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float nan = std::nanf("");
    const std::string b = file("b", {-infinity, nan, 2});
    EXPECT_EQ(headlight({"compare", file("same", {-infinity, nan, 2}), b}).status, 0);
    struct Other {
        std::vector<float> numbers;
        const char* says;
    };
    for (const auto& [numbers, says] :
         {Other{{0, nan, 2}, "x: expected -inf at [0, 0], found 0."},
          {{infinity, nan, 2}, "x: expected -inf at [0, 0], found inf."},
          {{-infinity, 1, 2}, "x: expected nan at [0, 1], found 1."},
          {{-infinity, nan, nan}, "x: expected 2 at [0, 2], found nan."},
          {{nan, nan, nan}, "x: expected -inf at [0, 0], found nan, the first of 2 such numbers."}})
        expect_beyond(headlight({"compare", file("other", numbers), b}), says);
}

TEST_F(CliCompare, an_error_where_only_zeros_are_expected_is_too_large) {
    const std::string zeros = file("b", {0, 0});
    EXPECT_EQ(headlight({"compare", file("a", {0, 0}), zeros}).status, 0);
    expect_beyond(headlight({"compare", file("c", {0, 1e-30F}), zeros}),
                  "x: expected zeros, found up to 1e-30.");
}

// The index is within the tensor, and the table has one for each tensor.
TEST_F(CliCompare, says_where_the_first_number_is_none) {
    const auto of = [&](const std::string& name, std::vector<float> y, std::vector<float> z) {
        return write(name, std::vector<ToWrite>{{"y", {2, 2, 3}, std::move(y)},
                                                {"z", {2, 2}, std::move(z)}});
    };
    std::vector<float> numbers(12, 0.25F), broken = numbers;
    broken[8] = broken[10] = std::nanf("");
    const Outcome outcome = headlight(
        {"compare", of("a", broken, {1, 2, std::nanf(""), 4}), of("b", numbers, {1, 2, 3, 4})});
    expect_beyond(outcome,
                  "y: expected 0.25 at [1, 0, 2], found nan, the first of 2 such numbers.");
    EXPECT_NE(outcome.out.find("expected 3 at [1, 0], found nan\n"), std::string::npos)
        << outcome.out;
}

TEST_F(CliCompare, finds_tensors_by_other_names) {
    const std::string a = file("a", {1, 2}, "layer.0.query"), b = file("b", {1, 2}, "q");
    expect_failure(headlight({"compare", a, b}), 1, "expected tensors with the same names");
    const Outcome outcome = headlight({"compare", a, b, "--map", R"({"layer.0.query": "q"})"});
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    EXPECT_NE(outcome.out.find("layer.0.query"), std::string::npos);
}

TEST_F(CliCompare, refuses_what_cannot_be_compared) {
    const std::string a = file("a", {1, 2}), b = file("b", {1, 2, 3});
    expect_beyond(headlight({"compare", a, b}), "x: expected [1, 3], found [1, 2].");
    expect_failure(headlight({"compare", a, path("none")}), 1, path("none"));
    expect_failure(headlight({"compare", a, a, "--map", R"({"y": "x"})"}), 2,
                   "expected the name of a tensor in the first file, found \"y\"");
    expect_failure(headlight({"compare", a, a, "--map", R"({"x": "y"})"}), 2,
                   "the name of a tensor in the second file, found \"y\".");
    expect_failure(headlight({"compare", a, a, "--map", R"({"x": 1})"}), 2,
                   "\"x\": expected the name of a tensor, found 1");
    expect_failure(headlight({"compare", a, a, "--map", "x"}), 2, "not JSON");
    for (const char* tolerance : {"-1", "nan", "inf", "1e999", "0x1", ""})
        expect_failure(headlight({"compare", a, a, "--tolerance", tolerance}), 2,
                       "--tolerance: expected a finite number of at least 0, found \"" +
                           std::string(tolerance) + "\"");
    EXPECT_EQ(headlight({"compare", a}).status, 2);
}

TEST_F(CliCompare, a_trace_is_held_against_its_reference) {
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(),
                    {"--model", golden("mha.model.safetensors"), "--input",
                     golden("mha.input.safetensors"), "--attention", R"({"heads": 2})"});
        return trace(more);
    };
    const Outcome outcome = with({"--reference", golden("mha.safetensors")});
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    EXPECT_NE(outcome.out.find("layer.0.attention"), std::string::npos);
    expect_beyond(with({"--reference", golden("mha.safetensors"), "--tolerance", "1e-12"}),
                  "expected an error of at most 1e-12");
    EXPECT_TRUE(fs::exists(path("out")));
    const std::string own = write("out", content_of(golden("mha.safetensors")));
    expect_failure(with({"--reference", own}), 2, "expected a file other than that of --reference");
}

// The numpy.save of PyTorch's output; the batch dimension of a single sample may be missing.
TEST_F(CliCompare, an_array_alone_is_what_the_layer_gives) {
    const NamedTensor output = read(golden("mha.safetensors")).at("layer.0.output");
    const auto save = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
        const std::size_t bytes = output.values.size() * sizeof(float);
        return write(name,
                     npy_header("<f4", shape) +
                         std::string(reinterpret_cast<const char*>(output.values.data()), bytes));
    };
    const auto against = [&](const std::string& reference) {
        return trace({"--model", golden("mha.model.safetensors"), "--input",
                      golden("mha.input.safetensors"), "--attention", R"({"heads": 2})",
                      "--reference", reference});
    };
    const Outcome outcome = against(save("mine.npy", output.shape));
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    EXPECT_NE(outcome.out.find("layer.0.output"), std::string::npos) << outcome.out;
    EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 2) << outcome.out;
    std::vector<std::int64_t> turned = output.shape;
    std::swap(turned[1], turned[2]);
    expect_beyond(against(save("other.npy", turned)), "layer.0.output: expected");
    // An array with a result's name is compared with that result only.
    const Outcome named = against(save("attention.npy", output.shape));
    expect_beyond(named, "layer.0.attention: expected");
    EXPECT_EQ(named.out.find("layer.0.output"), std::string::npos) << named.out;
}

TEST_F(CliCompare, a_rollout_is_made_as_it_was_asked_for) {
    const std::string maps =
        write("maps", std::vector<ToWrite>{{"attention",
                                            {2, 1, 3, 3},
                                            {0.5F, 0.25F, 0.25F, 0, 1, 0, 0.2F, 0.2F, 0.6F, 0.1F,
                                             0.8F, 0.1F, 0.3F, 0.3F, 0.4F, 1, 0, 0}}});
    const auto rollout = [&](const std::string& json) {
        const Outcome outcome = trace({"--model", maps, "--rollout", json});
        EXPECT_EQ(outcome.status, 0) << outcome.error;
        return read(path("out")).at("rollout").values;
    };
    const std::vector<float> all = read(maps).at("attention").values;
    Rollout expected({HeadFusion::max, 0.5, RolloutNormalisation::vit_explain});
    for (const int layer : {0, 1})
        expected.add({all.data() + std::ptrdiff_t{9} * layer, 3, 3, 3}, 1, {});
    const std::vector<float> found =
        rollout(R"({"fusion": "max", "discard_ratio": 0.5, "normalisation": "vit_explain"})");
    const Matrix& result = expected.result();
    EXPECT_EQ(found, std::vector<float>(result.data(), result.data() + result.size()));
    EXPECT_NE(found, rollout("{}"));
    for (const auto& [json, says] : {std::pair{R"({"fusion": "sum"})", "one of"},
                                     {R"({"discard_ratio": 1})", "below 1"},
                                     {R"({"heads": 1})", "expected the key fusion, discard_ratio"},
                                     {"[]", "object"}})
        expect_failure(trace({"--model", maps, "--rollout", json}), 2, says);
    const std::string tokens =
        write("tokens", std::vector<ToWrite>{{"tokens", {1, 2, 4}, ramp(8)}});
    expect_failure(trace({"--model", layer(4, 4), "--input", tokens, "--rollout", "{}"}), 2,
                   "--rollout can be used only with a whole model or maps, found one layer.");
}

TEST_F(CliCompare, a_table_of_positions_is_written_alone) {
    const auto table = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"positions", "--rows", "3", "--cols", "5", "--dim", "8", "--out",
                                   path("table.npy")});
        const Outcome outcome = headlight(more);
        EXPECT_EQ(outcome.status, 0) << outcome.error;
        const std::vector<std::byte> bytes = bytes_of(path("table.npy"));
        const StoredTensor stored = read_npy(FileBytes(Bytes(bytes)), "table.npy");
        EXPECT_EQ(stored.shape, (std::vector<std::int64_t>{15, 8}));
        const std::string text = content_of(path("table.npy"));
        Matrix found(15, 8);
        std::memcpy(found.data(), text.data() + text.size() - 480, 480);
        return found;
    };
    EXPECT_EQ(table({"--kind", "sinusoidal"}), sinusoidal_positions(15, 8));
    EXPECT_EQ(table({"--kind", "sinusoidal", "--base", "100"}), sinusoidal_positions(15, 8, 100));
    EXPECT_EQ(table({"--kind", "learned", "--seed", "4"}), drawn_positions(15, 8, 4));
    PositionSpec spec{{0, 3, 5}, 15, 8, 10000};
    EXPECT_EQ(table({"--kind", "sincos_2d"}), sincos_2d_positions(spec));
    spec.first = WavesFirst::rows;
    EXPECT_EQ(table({"--kind", "sincos_2d", "--first", "rows"}), sincos_2d_positions(spec));
}

TEST_F(CliCompare, rotary_positions_are_sine_and_cosine) {
    const auto written = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"positions", "--kind", "rope", "--rows", "3", "--cols", "5",
                                   "--dim", "8", "--out", path("rope.npy")});
        const Outcome outcome = headlight(more);
        EXPECT_EQ(outcome.status, 0) << outcome.error;
        const StoredTensor stored =
            read_npy(FileBytes(Bytes(bytes_of(path("rope.npy")))), "rope.npy");
        EXPECT_EQ(stored.shape, (std::vector<std::int64_t>{2, 15, 8}));
        const std::string text = content_of(path("rope.npy"));
        Matrix found(30, 8);
        std::memcpy(found.data(), text.data() + text.size() - 960, 960);
        return found;
    };
    for (const double base : {100.0, 40.0}) {
        const auto [sine, cosine] = rotary_tables(dinov3_rotary(8, base), {0, 3, 5}, 15);
        const Matrix found = written(base == 100 ? std::vector<std::string>{}
                                                 : std::vector<std::string>{"--base", "40"});
        EXPECT_EQ(found.topRows(15), sine);
        EXPECT_EQ(found.bottomRows(15), cosine);
    }
}

TEST_F(CliCompare, a_table_that_cannot_be_is_refused) {
    const auto with = [&](const char* kind, const char* dim, const char* base) {
        return headlight({"positions", "--kind", kind, "--rows", "2", "--cols", "2", "--dim", dim,
                          "--base", base, "--out", path("out")});
    };
    expect_failure(with("model", "8", "100"), 2,
                   "--kind: expected " + alternatives(cli::kinds_of_files()) + ", found \"model\"");
    expect_failure(with("sincos_2d", "6", "100"), 1, "a multiple of 4; these tokens are 6 wide");
    expect_failure(with("sinusoidal", "8", "1"), 1, "a number above 1");
    expect_failure(with("rotary", "6", "100"), 1, "a multiple of 4; these are 6 wide");
    expect_failure(with("rope", "8", "1"), 1, "a number above 1");
    expect_failure(with("sinusoidal", "8", "nan"), 2, "--base: expected a finite number");
    expect_failure(with("sinusoidal", "8", ""), 2, "--base: expected a finite number");
    // Options without effect are rejected.
    expect_failure(with("learned", "8", "5"), 2, "--base has no effect with --kind learned");
    for (const char* kind : {"sinusoidal", "sincos_2d", "rope"})
        expect_failure(headlight({"positions", "--kind", kind, "--rows", "2", "--cols", "2",
                                  "--dim", "8", "--seed", "0", "--out", path("out")}),
                       2, std::string("--seed has no effect with --kind ") + kind);
    EXPECT_EQ(with("sinusoidal", "0", "100").status, 2);
    const auto first = [&](const char* kind, const char* waves) {
        return headlight({"positions", "--kind", kind, "--rows", "2", "--cols", "2", "--dim", "8",
                          "--first", waves, "--out", path("out")});
    };
    expect_failure(first("sincos_2d", "cols"), 2,
                   "--first: expected columns or rows, found \"cols\"");
    expect_failure(first("learned", "rows"), 2,
                   "--first can be used only with --kind sincos_2d, found \"learned\"");
    const Outcome huge = headlight({"positions", "--kind", "sinusoidal", "--rows", "65536",
                                    "--cols", "65536", "--dim", "65536", "--out", path("out")});
    expect_failure(huge, 1, "the limit is 6.0 GB");
    expect_no_output();
}

}  // namespace
}  // namespace headlight
