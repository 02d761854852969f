#include "cli/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <ostream>
#include <vector>

#include "cli/errors.h"
#include "cli/files.h"
#include "cli/json.h"
#include "files/tensor_file.h"
#include "reference/reference.h"

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

TensorFile open_tensors(const std::string& path) { return open_tensor_file(path, read_file); }

// A trace of one layer that stands alone, and of nothing else.
bool is_of_layer_alone(const StoredTensors& tensors) {
    return std::ranges::all_of(tensors, [](const auto& entry) {
        return entry.first.starts_with("layer.0.") || entry.first.starts_with("tokens.") ||
               entry.first == "positions";
    });
}

Deviation deviation_of(const StoredTensor& found, const StoredTensor& expected) {
    DeviationSum sum;
    sum.add(floats_of(found), floats_of(expected));
    return sum.deviation();
}

struct Pair {
    std::string name, other;
    const StoredTensor& found;
    const StoredTensor& expected;
};

std::vector<Pair> common(const StoredTensors& found, const StoredTensors& expected,
                         const Names& names) {
    const auto expect_name = [](const StoredTensors& file, const char* which,
                                const std::string& name) {
        if (!file.contains(name))
            throw UsageError(std::string("--map: expected names of the ") + which +
                             " file's tensors, found \"" + name.substr(0, 80) + "\".");
    };
    for (const auto& [name, other] : names) {
        expect_name(found, "first", name);
        expect_name(expected, "second", other);
    }
    const bool alone = is_of_layer_alone(found);
    std::vector<Pair> pairs;
    for (const auto& [name, tensor] : found) {
        const auto mapped = names.find(name);
        const auto* its = mapped == names.end() ? counterpart(expected, name, alone)
                                                : &*expected.find(mapped->second);
        if (its) pairs.push_back({name, its->first, tensor, its->second});
    }
    const auto output = found.find(std::string(kOutputAlone));
    const auto* only = only_tensor(expected, alone);
    if (pairs.empty() && only && output != found.end())
        pairs.push_back({output->first, only->first, output->second, only->second});
    return pairs;
}

}  // namespace

void run_compare(const CompareOptions& options, std::ostream& out) {
    const Names names = parse_map(options.map);
    const TensorFile found = open_tensors(options.found), expected = open_tensors(options.expected);
    const std::vector<Pair> pairs = common(found.tensors(), expected.tensors(), names);
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
        if (!same_extents(a.shape, b.shape)) {
            out << fmt::format("{} against {}\n", shape_text(a.shape), shape_text(b.shape));
            most = std::numeric_limits<double>::infinity();
            worst = fmt::format("{}: expected {}, found {}", name, shape_text(b.shape),
                                shape_text(a.shape));
            continue;
        }
        const Deviation error = deviation_of(a, b);
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
