#include "cli/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <vector>

#include "cli/errors.h"
#include "cli/files.h"
#include "cli/json.h"
#include "files/tensor_file.h"
#include "reference/deviation.h"
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

// Whether it is a trace of a single layer and nothing else.
bool is_of_layer_alone(const StoredTensors& tensors) {
    return std::ranges::all_of(tensors, [](const auto& entry) {
        return entry.first.starts_with("layer.0.") || entry.first.starts_with("tokens.") ||
               entry.first == "positions";
    });
}

struct Compared {
    Deviation error;
    std::optional<Mismatch> mismatch;
};
Compared compare(const StoredTensor& found, const StoredTensor& expected) {
    const std::vector<float> a = floats_of(found), b = floats_of(expected);
    DeviationSum sum;
    sum.add(a, b);
    return {sum.deviation(), first_mismatch(a, b)};
}

// The index of a number given by its position in the flat array: "[0, 2, 5]".
std::string index_text(std::size_t place, const std::vector<std::int64_t>& shape) {
    std::string text;
    for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
        const auto size = static_cast<std::size_t>(*extent);
        text = std::to_string(place % size) + (text.empty() ? "" : ", ") + text;
        place /= size;
    }
    return "[" + text + "]";
}

// Why an error is infinite: "expected 0.25 at [0, 2, 5], found nan, the first of 12 such numbers".
std::string why_infinite(const Compared& compared, const std::vector<std::int64_t>& shape) {
    if (!compared.mismatch)
        return fmt::format("expected zeros, found up to {:g}", compared.error.largest);
    const auto [index, found, expected, count] = *compared.mismatch;
    return fmt::format("expected {:g} at {}, found {:g}{}", expected, index_text(index, shape),
                       found,
                       count == 1 ? "" : fmt::format(", the first of {} such numbers", count));
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
            throw UsageError(std::string("--map: expected the name of a tensor in the ") + which +
                             " file, found \"" + name.substr(0, 80) + "\".");
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

// An output format for the results.
class Report {
  public:
    Report() = default;
    virtual ~Report() = default;
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;

    // why: the reason for an infinite error, or empty.
    virtual void add(const Pair& pair, const Deviation& error, const std::string& why) = 0;
    virtual void add_shapes(const Pair& pair) = 0;  // if shapes differ
    virtual void end(bool /*agrees*/) {}
};

class TableReport : public Report {
  public:
    TableReport(const std::vector<Pair>& pairs, std::ostream& out) : out_(out) {
        for (const Pair& pair : pairs) width_ = std::max(width_, pair.name.size());
        out_ << fmt::format("{:<{}}  {:>9}  {:>9}  {:>9}\n", "tensor", width_, "largest",
                            "relative", "norm");
    }
    void add(const Pair& pair, const Deviation& error, const std::string& why) override {
        out_ << fmt::format("{:<{}}  {:>9.2e}  {:>9.2e}  {:>9.2e}{}\n", one_line(pair.name), width_,
                            error.largest, error.relative, error.norm,
                            why.empty() ? "" : "  " + why);
    }
    void add_shapes(const Pair& pair) override {
        out_ << fmt::format("{:<{}}  expected {}, found {}\n", one_line(pair.name), width_,
                            shape_text(pair.expected.shape), shape_text(pair.found.shape));
    }

  private:
    std::ostream& out_;
    std::size_t width_ = 6;
};

class JsonReport : public Report {
  public:
    JsonReport(const CompareOptions& options, std::ostream& out) : out_(out) {
        json_ = {{"found", options.found},
                 {"expected", options.expected},
                 {"tolerance", options.tolerance},
                 {"tensors", Json::array()}};
    }
    void add(const Pair& pair, const Deviation& error, const std::string& why) override {
        json_["tensors"].push_back({{"name", pair.name},
                                    {"expected_name", pair.other},
                                    {"shape", pair.found.shape},
                                    {"largest", error.largest},
                                    {"relative", error.relative},
                                    {"norm", error.norm}});
        if (!why.empty()) json_["tensors"].back()["why"] = why;
    }
    void add_shapes(const Pair& pair) override {
        json_["tensors"].push_back({{"name", pair.name},
                                    {"expected_name", pair.other},
                                    {"shape", pair.found.shape},
                                    {"expected_shape", pair.expected.shape}});
    }
    void end(bool agrees) override {
        json_["agrees"] = agrees;
        out_ << printed(json_) << '\n';
    }

  private:
    std::ostream& out_;
    Json json_;
};

std::unique_ptr<Report> report_of(const CompareOptions& options, const std::vector<Pair>& pairs,
                                  std::ostream& out) {
    if (options.json) return std::make_unique<JsonReport>(options, out);
    return std::make_unique<TableReport>(pairs, out);
}

}  // namespace

void run_compare(const CompareOptions& options, std::ostream& out) {
    const Names names = parse_map(options.map);
    const TensorFile found = open_tensors(options.found), expected = open_tensors(options.expected);
    const std::vector<Pair> pairs = common(found.tensors(), expected.tensors(), names);
    if (pairs.empty())
        throw WorkError(options.found + ": expected tensors with the same names as in " +
                        options.expected + ", found none. Match the names with --map.");
    const std::unique_ptr<Report> report = report_of(options, pairs, out);
    std::string worst;
    double most = options.tolerance;
    for (const Pair& pair : pairs) {
        const auto& [name, other, a, b] = pair;
        if (!same_extents(a.shape, b.shape)) {
            report->add_shapes(pair);
            most = std::numeric_limits<double>::infinity();
            worst = fmt::format("{}: expected {}, found {}", name, shape_text(b.shape),
                                shape_text(a.shape));
            continue;
        }
        const Compared compared = compare(a, b);
        const Deviation& error = compared.error;
        const std::string why = std::isinf(error.relative) ? why_infinite(compared, a.shape) : "";
        report->add(pair, error, why);
        if (!(error.relative > most)) continue;
        most = error.relative;
        if (!why.empty()) {
            worst = name + ": " + why;
            continue;
        }
        worst = fmt::format(
            "{}: expected an error of at most {:g} times its largest value, found {:.2e}", name,
            options.tolerance, error.relative);
    }
    report->end(worst.empty());
    if (!worst.empty()) throw WorkError(worst + ".");
}

}  // namespace headlight::cli
