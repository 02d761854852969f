#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/cli.h"
#include "files/safetensors.h"

// Runs commands as in a shell, but in this process.
#include "tests/scratch_folder.h"
#include "tests/source_path.h"

namespace headlight {

namespace fs = std::filesystem;

struct Outcome {
    std::optional<int> status;
    std::string out, error;
};

inline Outcome headlight(std::vector<std::string> arguments) {
    CLI::App app("headlight", "headlight");
    cli::add_commands(app);
    std::vector<const char*> argv{"headlight"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    Outcome outcome;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    outcome.status = cli::run(app, static_cast<int>(argv.size()), argv.data());
    outcome.out = testing::internal::GetCapturedStdout();
    outcome.error = testing::internal::GetCapturedStderr();
    return outcome;
}

// Expects this status, and one line with this message.
inline void expect_failure(const Outcome& outcome, int status, const std::string& says) {
    EXPECT_EQ(outcome.status, status) << outcome.error;
    EXPECT_NE(outcome.error.find(says), std::string::npos) << outcome.error;
    EXPECT_EQ(outcome.error.find('\n'), outcome.error.size() - 1) << outcome.error;
    EXPECT_EQ(outcome.out, "");
}

inline std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::byte> bytes_of(const std::string& path) {
    const std::string text = content_of(path);
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

inline TensorMap read(const std::string& path) { return read_safetensors(bytes_of(path), path); }

inline std::string golden(const std::string& name) { return source_path("tests/golden/") + name; }

// The message about the array that layers/convolutions reads.
inline std::string said_of_maps() {
    return golden("layers/convolutions.input.npy") +
           ": read as 2 feature maps of 3 × 4 cells with 8 numbers each.\n";
}

// max |a − b| / max |b| over finite numbers; the others must be equal.
inline double relative_error(const std::vector<float>& found, const std::vector<float>& expected) {
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (found[i] == expected[i]) continue;
        worst = std::max(worst, std::abs(static_cast<double>(found[i]) - expected[i]));
        if (std::isnan(found[i])) return std::numeric_limits<double>::infinity();
    }
    for (const float number : expected)
        if (std::isfinite(number)) largest = std::max(largest, std::abs<double>(number));
    return worst == 0 ? 0 : worst / largest;
}

// A folder of its own for every test.
class Cli : public testing::Test {
  protected:
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

    std::string write(const std::string& name, const std::string& text) {
        std::ofstream(path(name), std::ios::binary) << text;
        return path(name);
    }

    struct ToWrite {
        std::string name;
        std::vector<std::int64_t> shape;
        std::vector<float> values;
        std::string type = "F32";  // or one of a byte each
    };
    std::string write(const std::string& name, const std::vector<ToWrite>& tensors) {
        std::string header = "{", data;
        for (const ToWrite& t : tensors) {
            const std::size_t begin = data.size();
            if (t.type == "F32")
                data.append(reinterpret_cast<const char*>(t.values.data()), 4 * t.values.size());
            else
                for (const float value : t.values) data += static_cast<char>(value);
            header += (header.size() == 1 ? "" : ",") + ('"' + t.name) + R"(":{"dtype":")" +
                      t.type + R"(","shape":)" + shape_text(t.shape) + R"(,"data_offsets":[)" +
                      std::to_string(begin) + "," + std::to_string(data.size()) + "]}";
        }
        header += "}";
        header.resize((header.size() + 7) / 8 * 8, ' ');
        const std::uint64_t length = header.size();
        return write(name, std::string(reinterpret_cast<const char*>(&length), 8) + header + data);
    }

    // A layer from `dim` input numbers to `channels`.
    std::string layer(int dim, int channels, const std::string& name = "model") {
        return write(name, std::vector<ToWrite>{
                               {"qkv.weight", {3 * channels, dim}, ramp(3 * channels * dim)},
                               {"proj.weight", {channels, channels}, ramp(channels * channels)}});
    }
    static std::vector<float> ramp(int count) {
        std::vector<float> values(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) values[i] = static_cast<float>(i % 17 - 8) / 16;
        return values;
    }

    Outcome trace(std::vector<std::string> more) {
        more.insert(more.begin(), "trace");
        more.insert(more.end(), {"--out", path("out")});
        return headlight(std::move(more));
    }
    Outcome trace_golden(const std::string& name, const std::string& attention,
                         const std::string& input = ".input.safetensors") {
        std::vector<std::string> words{"--model", golden(name + ".model.safetensors"), "--input",
                                       golden(name + input)};
        if (!attention.empty()) words.insert(words.end(), {"--attention", attention});
        return trace(std::move(words));
    }
    // Expects every step of tests/golden/NAME within 1e-5 of its largest absolute value, and no
    // other output on standard error.
    void expect_as_golden(const std::string& name, const std::string& attention,
                          const std::string& input = ".input.safetensors",
                          const std::string& says = "") {
        const Outcome outcome = trace_golden(name, attention, input);
        ASSERT_EQ(outcome.status, 0) << name << ": " << outcome.error;
        EXPECT_EQ(outcome.error, says);
        const TensorMap found = read(path("out"));
        for (const auto& [step, expected] : read(golden(name + ".safetensors"))) {
            ASSERT_TRUE(found.contains(step)) << name << " " << step;
            EXPECT_EQ(found.at(step).shape, expected.shape) << name << " " << step;
            EXPECT_LE(headlight::relative_error(found.at(step).values, expected.values), 1e-5)
                << name << " " << step;
        }
    }
    void expect_no_output() { EXPECT_FALSE(fs::exists(path("out"))); }

    ScratchFolder scratch_;
    const fs::path folder_ = scratch_.path();
};

}  // namespace headlight
