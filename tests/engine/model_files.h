#pragma once

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "families/load.h"
#include "files/safetensors.h"
#include "tests/source_path.h"

// Small model files in memory, and the golden ones.
namespace headlight {

inline Bytes bytes_of(const std::string& text) {
    Bytes bytes(text.size());
    if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

// A tensor as stored in a file.
struct RawTensor {
    std::string name, type;
    std::vector<std::int64_t> shape;
    std::string bytes;
};

template <class Number>
std::string raw(const std::vector<Number>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

inline Bytes safetensors_of(const std::vector<RawTensor>& tensors) {
    std::string header = "{", data;
    for (const RawTensor& tensor : tensors) {
        const std::string begin = std::to_string(data.size());
        data += tensor.bytes;
        header += (header.size() == 1 ? "" : ",") + ('"' + tensor.name) + R"(":{"dtype":")" +
                  tensor.type + R"(","shape":)" + shape_text(tensor.shape) +
                  R"(,"data_offsets":[)" + begin + "," + std::to_string(data.size()) + "]}";
    }
    header += "}";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    return bytes_of(raw(std::vector<std::uint64_t>{header.size()}) + header + data);
}

// Name → shape; every number encodes its index, in thousandths.
using Shapes = std::map<std::string, std::vector<std::int64_t>>;

inline Bytes safetensors_of(const Shapes& tensors) {
    std::vector<RawTensor> stored;
    for (const auto& [name, shape] : tensors) {
        std::size_t count = 1;
        for (const std::int64_t n : shape) count *= static_cast<std::size_t>(n);
        std::vector<float> numbers(count);
        for (std::size_t i = 0; i < count; ++i) numbers[i] = 0.001F * static_cast<float>(i % 997);
        stored.push_back({name, "F32", shape, raw(numbers)});
    }
    return safetensors_of(stored);
}

// Files by name; all others are missing.
class Folder {
  public:
    Folder& with(const std::string& name, Bytes bytes) {
        files_[name] = FileBytes(std::move(bytes));
        return *this;
    }
    Folder& with(const std::string& name, const std::string& text) {
        return with(name, bytes_of(text));
    }
    [[nodiscard]] FileReader reader() const {
        return [files = files_](const std::string& name) {
            const auto file = files.find(name);
            if (file == files.end()) throw FileMissing(name + ": no such file.");
            return file->second;
        };
    }

  private:
    std::map<std::string, FileBytes> files_;
};

inline std::shared_ptr<const Model> load(const Shapes& tensors, const std::string& config = "",
                                         const ModelOptions& options = {}) {
    Folder folder;
    folder.with("a/model.safetensors", safetensors_of(tensors));
    if (!config.empty()) folder.with("a/config.json", config);
    return load_model("a/model.safetensors", folder.reader(), options);
}

// The error message for an invalid file; "no error" if it is valid.
inline std::string error_of(const std::string& path, const Bytes& file) {
    try {
        load_model(path, Folder().with(path, file).reader());
    } catch (const CheckpointError& error) {
        return error.what();
    }
    return "no error";
}

inline std::string error_of(const Shapes& tensors, const std::string& config = "",
                            const ModelOptions& options = {}) {
    try {
        load(tensors, config, options);
    } catch (const CheckpointError& error) {
        return error.what();
    }
    return "no error";
}

inline ModelFact fact(const Model& model, const std::string& what) {
    for (const ModelFact& fact : model.facts)
        if (fact.what == what) return fact;
    return {};
}

inline FileBytes read_disk(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw FileMissing(path + ": no such file.");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return bytes_of(text);
}

inline const std::string kFamilies = source_path("tests/golden/families/");

// A model of tests/golden/families with the settings of its config.
inline std::shared_ptr<const Model> load_golden(const std::string& name,
                                                const std::string& ending = "safetensors") {
    std::optional<ModelConfig> config;
    try {
        config = parse_config(read_disk(kFamilies + name + ".config.json"), "--config");
    } catch (const FileMissing&) {
        config.reset();
    }
    return load_model(kFamilies + name + ".model." + ending, read_disk, {}, config);
}

// One of them as a test parameter.
struct GoldenModel {
    std::string name;
    std::string ending = "safetensors";

    [[nodiscard]] std::string path() const { return kFamilies + name + ".model." + ending; }
};

inline void PrintTo(const GoldenModel& model, std::ostream* out) { *out << model.name; }

// Reads the disk, and finds the model's own config beside it.
inline FileReader reader_of(const GoldenModel& model) {
    return [name = model.name](const std::string& path) {
        if (path.ends_with("/config.json")) return read_disk(kFamilies + name + ".config.json");
        return read_disk(path);
    };
}

}  // namespace headlight
