#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "cli/errors.h"
#include "cli/front.h"
#include "cli/model_file.h"
#include "kernels/stop.h"

// The input of a run, as options that several commands share.
namespace headlight::cli {

struct SourceOptions {
    std::string model;
    std::string image, input;  // exactly one is given; optional for attention maps
    std::string attention;     // JSON, or empty
    std::string config;        // JSON file, or empty
    std::string part;          // an encoder of the file, or empty
    std::string reference;     // a file read at the end, or empty
    LayoutOptions layout;      // of attention maps
    std::optional<std::uint64_t> random_weights{};  // seed; empty: the weights of the file
};

// Throws UsageError if `out` is the file given by the option.
void expect_another_file(const std::string& out, std::string_view option, const std::string& path);
// Throws UsageError if `out` is one of the input files.
void expect_own_output(const std::string& out, const SourceOptions& options);

// Prints one line to `warnings` if an array is interpreted as feature maps, and the model's
// warnings. Throws UsageError for contradictory options, and what open_model, read_input and
// parse_attention throw.
Source read_source(const SourceOptions& options, std::ostream& warnings, const StopFlag& stop);

// Calls `read`, whose errors name the option --attention. If --before-attention gave the settings,
// they name that one instead.
template <class Read>
auto with_before_attention(bool given, const Read& read) {
    constexpr std::string_view kNow = "--attention", kBefore = "--before-attention";
    try {
        return read();
    } catch (const UsageError& error) {
        std::string sentence = error.what();
        if (given && sentence.starts_with(kNow)) sentence.replace(0, kNow.size(), kBefore);
        throw UsageError(sentence);
    }
}

}  // namespace headlight::cli
