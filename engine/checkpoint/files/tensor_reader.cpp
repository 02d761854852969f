#include "files/tensor_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "files/error.h"

namespace headlight {

TensorReader::TensorReader(TensorFile file)
    : state_(std::make_shared<State>(State{std::move(file), {}, {}, {}})) {}

TensorReader TensorReader::at(std::string_view more) const {
    TensorReader reader = *this;
    reader.prefix_ += more;
    return reader;
}

TensorReader TensorReader::from_root() const {
    TensorReader reader = *this;
    reader.prefix_.clear();
    return reader;
}

bool TensorReader::has(std::string_view name) const { return state_->file.has(full(name)); }

std::vector<std::string> TensorReader::prefixes_of(std::string_view ending) const {
    std::vector<std::string> prefixes;
    for (const auto& [name, tensor] : state_->file.tensors()) {
        if (!name.ends_with(ending) || is_hidden(name)) continue;
        std::string before = name.substr(0, name.size() - ending.size());
        if (before.empty() || before.back() == '.' || before.back() == '/')
            prefixes.push_back(std::move(before));
    }
    return prefixes;
}

void TensorReader::hide(std::vector<std::string> others, std::string shown) {
    state_->hidden = std::move(others);
    state_->shown = std::move(shown);
}

bool TensorReader::is_hidden(std::string_view name) const {
    const bool shown = name.starts_with(state_->shown);
    return std::ranges::any_of(state_->hidden, [&](const std::string& other) {
        return name.starts_with(other) && !(shown && state_->shown.size() > other.size());
    });
}

std::vector<std::string> TensorReader::names() const {
    const auto& tensors = state_->file.tensors();
    std::vector<std::string> names;
    for (auto entry = tensors.lower_bound(prefix_);
         entry != tensors.end() && entry->first.starts_with(prefix_); ++entry)
        names.push_back(entry->first.substr(prefix_.size()));
    return names;
}

const StoredTensor& TensorReader::find(std::string_view name, const std::string& meaning) const {
    const auto found = state_->file.tensors().find(full(name));
    if (found == state_->file.tensors().end()) refuse(name, meaning, "none");
    return found->second;
}

TensorShape TensorReader::shape(std::string_view name, std::size_t rank,
                                const std::string& meaning) const {
    const TensorShape& shape = find(name, meaning).shape;
    const bool fits =
        shape.size() == rank && std::all_of(shape.begin(), shape.end(), [](std::int64_t n) {
            return n >= 1 && n <= std::numeric_limits<int>::max();
        });
    if (!fits) refuse(name, meaning, shape_text(shape));
    return shape;
}

bool TensorReader::has_shape(std::string_view name, const TensorShape& shape) const {
    return has(name) && find(name, "").shape == shape;
}

const TensorShape& TensorReader::shape(std::string_view name) const {
    return find(name, "a tensor").shape;
}

const std::string& TensorReader::type(std::string_view name) const {
    return find(name, "a tensor").type;
}

bool TensorReader::have_same_numbers(std::string_view name, std::string_view other) const {
    const StoredTensor &a = find(name, "a tensor"), &b = find(other, "a tensor");
    if (a.shape != b.shape || a.type != b.type || a.column_major != b.column_major) return false;
    const FileBytes left = a.bytes.bytes(), right = b.bytes.bytes();
    return std::ranges::equal(left.bytes(), right.bytes());
}

SharedResult TensorReader::matrix(std::string_view name, const TensorShape& shape, Index rows,
                                  Index cols) {
    take(name, shape);
    return state_->file.matrix(full(name), rows, cols);
}

std::vector<float> TensorReader::values(std::string_view name, const TensorShape& shape) {
    take(name, shape);
    return state_->file.values(full(name));
}

std::vector<float> TensorReader::buffer(std::string_view name, const TensorShape& shape) {
    expect_shape(name, shape);
    state_->used.insert(full(name));
    return state_->file.values(full(name));
}

void TensorReader::expect_shape(std::string_view name, const TensorShape& shape) const {
    const StoredTensor& found = find(name, shape_text(shape));
    if (found.shape != shape) refuse(name, shape_text(shape), shape_text(found.shape));
}

void TensorReader::take(std::string_view name, const TensorShape& shape) {
    expect_shape(name, shape);
    const StoredTensor& found = find(name, shape_text(shape));
    // Integers are quantized numbers, whose scale is stored elsewhere.
    if (!is_floating_point(found.type))
        refuse(name, "floating point numbers", found.type + " (quantized)");
    state_->used.insert(full(name));
}

// Leaves out a name whose numbers were used through an alias.
std::vector<std::string> TensorReader::unused() const {
    const StoredTensors& tensors = state_->file.tensors();
    const TensorReader root = from_root();
    std::vector<std::string> aliases;
    for (const std::string& name : state_->used)
        if (const auto used = tensors.find(name); used != tensors.end() && used->second.is_alias)
            aliases.push_back(name);
    std::vector<std::string> names;
    for (const auto& [name, tensor] : tensors) {
        const auto stores = [&, &own = name](const std::string& alias) {
            return root.have_same_numbers(own, alias);
        };
        if (state_->used.contains(name)) continue;
        if (tensor.is_alias || std::ranges::none_of(aliases, stores)) names.push_back(name);
    }
    return names;
}

void TensorReader::expect_all_or_none(const std::vector<std::string>& names) const {
    const auto there = [&](const std::string& name) { return has(name); };
    const auto first = std::ranges::find_if(names, there);
    const auto missing = std::ranges::find_if_not(names, there);
    if (first != names.end() && missing != names.end())
        refuse(*missing, "this tensor together with " + full(*first), "none");
}

void TensorReader::refuse(std::string_view name, const std::string& expected,
                          const std::string& found) const {
    Source(file_name()).refuse(full(name), expected, found);
}

}  // namespace headlight
