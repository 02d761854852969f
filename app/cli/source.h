#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "cli/front.h"
#include "cli/model_file.h"
#include "kernels/stop.h"

// What a run is made from, as the options of several commands say it.
namespace headlight::cli {

struct SourceOptions {
    std::string model;
    std::string image, input;  // one of them is given; of attention maps none need be
    std::string attention;     // JSON, or empty
    std::string config;        // JSON file, or empty
    std::string part;          // an encoder of the file, or empty
    std::string reference;     // a file that is read when all is done, or empty
    LayoutOptions layout;      // of attention maps
};

// Throws UsageError where `out` is the file that the option names.
void expect_another_file(const std::string& out, std::string_view option, const std::string& path);
// Throws UsageError where `out` is one of the files that are read.
void expect_own_output(const std::string& out, const SourceOptions& options);

// One line of warnings where an array is taken as feature maps, and the model's. Throws UsageError
// where the options contradict each other; what open_model, read_input and parse_attention throw.
Source read_source(const SourceOptions& options, std::ostream& warnings, const StopFlag& stop);

}  // namespace headlight::cli
