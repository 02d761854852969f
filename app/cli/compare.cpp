#include "cli/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ostream>
#include <vector>

#include "cli/errors.h"
#include "cli/files.h"
#include "cli/json.h"
#include "files/safetensors.h"

namespace headlight::cli {

namespace {

using Names = std::map<std::string, std::string>;

Names parse_map(const std::string& text) {
    Names names;
    if (text.empty()) return names;
    const Json object = parse_object(text, "--map");
    for (const auto& item : object.items()) {
        if (!item.value().is_string())
            JsonValue(item.value(), "--map", item.key()).refuse("the name of a tensor");
        names[item.key()] = item.value().get<std::string>();
    }
    return names;
}

TensorMap read_tensors(const std::string& path) {
    return read_safetensors(read_file(path).bytes(), path);
}

struct Error {
    double largest = 0, relative = 0, norm = 0;
};

// 0 for two numbers that are the same, even if they are none.
double apart(float a, float b) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
    const double difference = std::abs(static_cast<double>(a) - b);
    return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

Error error_of(const std::vector<float>& found, const std::vector<float>& expected) {
    Error error;
    double reach = 0, squares = 0, own_squares = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double difference = apart(found[i], expected[i]);
        error.largest = std::max(error.largest, difference);
        squares += difference * difference;
        if (!std::isfinite(expected[i])) continue;
        reach = std::max(reach, std::abs(static_cast<double>(expected[i])));
        own_squares += static_cast<double>(expected[i]) * expected[i];
    }
    // Of nothing but zeros any error is too large.
    const auto over = [](double a, double b) { return a == 0 ? 0 : a / b; };
    error.relative = over(error.largest, reach);
    error.norm = over(std::sqrt(squares), std::sqrt(own_squares));
    return error;
}

struct Pair {
    std::string name, other;
    const NamedTensor& found;
    const NamedTensor& expected;
};

std::vector<Pair> common(const TensorMap& found, const TensorMap& expected, const Names& names) {
    const auto expect_name = [](const TensorMap& file, const char* which, const std::string& name) {
        if (!file.contains(name))
            throw UsageError(std::string("--map: expected names of the ") + which +
                             " file's tensors, found \"" + name.substr(0, 80) + "\".");
    };
    for (const auto& [name, other] : names) {
        expect_name(found, "first", name);
        expect_name(expected, "second", other);
    }
    std::vector<Pair> pairs;
    for (const auto& [name, tensor] : found) {
        const auto mapped = names.find(name);
        const std::string& other = mapped == names.end() ? name : mapped->second;
        if (const auto its = expected.find(other); its != expected.end())
            pairs.push_back({name, other, tensor, its->second});
    }
    return pairs;
}

}  // namespace

void run_compare(const CompareOptions& options, std::ostream& out) {
    const Names names = parse_map(options.map);
    const TensorMap found = read_tensors(options.found), expected = read_tensors(options.expected);
    const std::vector<Pair> pairs = common(found, expected, names);
    if (pairs.empty())
        throw WorkError(options.found + ": expected tensors that " + options.expected +
                        " has too, found none.");
    std::size_t width = 6;
    for (const Pair& pair : pairs) width = std::max(width, pair.name.size());
    out << fmt::format("{:<{}}  {:>9}  {:>9}  {:>9}\n", "tensor", width, "largest", "relative",
                       "norm");
    std::string worst;
    double most = options.tolerance;
    for (const auto& [name, other, a, b] : pairs) {
        out << fmt::format("{:<{}}  ", one_line(name), width);
        if (a.shape != b.shape) {
            out << fmt::format("{} against {}\n", shape_text(a.shape), shape_text(b.shape));
            most = std::numeric_limits<double>::infinity();
            worst = fmt::format("{}: expected {}, found {}", name, shape_text(b.shape),
                                shape_text(a.shape));
            continue;
        }
        const Error error = error_of(a.values, b.values);
        out << fmt::format("{:>9.2e}  {:>9.2e}  {:>9.2e}\n", error.largest, error.relative,
                           error.norm);
        if (!(error.relative > most)) continue;
        most = error.relative;
        worst = fmt::format(
            "{}: expected an error of at most {:g} of its largest value, found "
            "{:.2e}",
            name, options.tolerance, error.relative);
    }
    if (!worst.empty()) throw WorkError(worst + ".");
}

}  // namespace headlight::cli
