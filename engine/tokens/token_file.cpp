#include "tokens/token_file.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tokens/vector_set.h"

namespace headlight {

namespace {

constexpr const char *kTokensArray = "tokens", *kQueryArray = "query", *kValueArray = "value";

[[noreturn]] void refuse_file(const std::string& file, const std::string& expected,
                              const std::string& found) {
    throw TokenError(file + ": expected " + expected + ", found " + found + ".");
}

const StoredTensors::value_type* array_of_name(const StoredTensors& tensors,
                                               const std::string& name) {
    const auto named = tensors.find(name);
    return named == tensors.end() ? nullptr : &*named;
}

// The array that holds the tokens; null: there is none.
const StoredTensors::value_type* array_in(const StoredTensors& tensors) {
    if (const auto* named = array_of_name(tensors, kTokensArray)) return named;
    return tensors.size() == 1 ? &*tensors.begin() : nullptr;
}

// True if it could be attention of heads, or of layers and heads.
bool could_be_maps(const std::vector<std::int64_t>& shape) {
    const std::size_t rank = shape.size();
    return rank >= 3 && shape[rank - 1] == shape[rank - 2];
}

TokenFile taken(const TensorFile& file, const StoredTensors::value_type& array) {
    TokenFile tokens{file.name(), array.second.shape, array.first == kTokensArray, false, 0};
    for (const auto& [name, tensor] : file.tensors())
        if (name != array.first)
            refuse_file(file.name(), "tokens alone",
                        in_quotes(name) + " as well; headlight trace may accept it");
    validate(tokens);
    return tokens;
}

// Two sets of tokens, for cross-attention; nothing if there are none. A model may have weights with
// these names, but then it has other tensors too.
std::optional<TokenFile> taken_across(const TensorFile& file) {
    const StoredTensors& tensors = file.tensors();
    const auto query = tensors.find(kQueryArray), value = tensors.find(kValueArray);
    if (query == tensors.end() || value == tensors.end()) return {};
    for (const auto& [name, tensor] : tensors)
        if (name == "key" || name == "mask" || name == "key_padding_mask")
            refuse_file(file.name(), "query and value alone",
                        in_quotes(name) + " as well; headlight trace accepts it");
    if (tensors.size() != 2) return {};
    TokenFile tokens{file.name(), value->second.shape, true, false, 0, query->second.shape};
    validate(tokens);
    return tokens;
}

void expect_size(const std::string& file, const TokenArray& array) {
    if (array.rows > kMostTokensOfFile)
        refuse_file(file, "at most " + std::to_string(kMostTokensOfFile) + " tokens",
                    std::to_string(array.rows));
    if (array.width > kMostNumbersOfToken)
        refuse_file(file, "tokens of at most " + std::to_string(kMostNumbersOfToken) + " numbers",
                    std::to_string(array.width));
}

void validate_queries(const TokenFile& tokens, const TokenArray& values) {
    const auto queries = array_of(tokens.query_shape, true);
    if (!queries)
        refuse_file(tokens.file, "query [N, D] or [B, N, D]", shape_text(tokens.query_shape));
    expect_size(tokens.file, *queries);
    if (queries->samples != values.samples)
        refuse_file(tokens.file, "as many samples in query as in value",
                    std::to_string(queries->samples) + " and " + std::to_string(values.samples));
}

}  // namespace

std::optional<TokenArray> array_of(const std::vector<std::int64_t>& shape, bool batch) {
    const auto countable = [](std::int64_t n) {
        return n >= 1 && n <= std::numeric_limits<int>::max();
    };
    if (!std::ranges::all_of(shape, countable)) return {};
    switch (shape.size()) {
        case 2:
            return TokenArray{1, shape[0], shape[1], 0, 0};
        case 3:
            if (batch) return TokenArray{shape[0], shape[1], shape[2], 0, 0};
            return TokenArray{1, shape[0] * shape[1], shape[2], shape[0], shape[1]};
        case 4:
            if (batch) return {};
            return TokenArray{shape[0], shape[1] * shape[2], shape[3], shape[1], shape[2]};
        default:
            return {};
    }
}

void validate(const TokenFile& tokens) {
    const auto array = array_of(tokens.shape, tokens.named || tokens.batch);
    if (!array)
        refuse_file(tokens.file,
                    tokens.is_cross() ? "value [M, D] or [B, M, D]"
                    : tokens.named
                        ? "tokens [N, D] or [B, N, D]"
                        : "an array of tokens [N, D] or [B, N, D], or feature maps [H, W, C]",
                    shape_text(tokens.shape));
    expect_size(tokens.file, *array);
    if (tokens.is_cross()) validate_queries(tokens, *array);
    if (tokens.sample < 0 || tokens.sample >= array->samples)
        refuse_file(tokens.file, "a sample from 1 to " + std::to_string(array->samples),
                    std::to_string(tokens.sample + 1));
}

std::optional<TokenFile> tokens_in(const TensorFile& file) {
    if (auto across = taken_across(file)) return across;
    const auto* array = array_in(file.tensors());
    if (array == nullptr) return {};
    const bool named = array->first == kTokensArray;
    const auto rank = array->second.shape.size();
    if (!named && (rank < 2 || rank > 4 || could_be_maps(array->second.shape))) return {};
    return taken(file, *array);
}

TokenFile tokens_of(const TensorFile& file) {
    if (auto across = taken_across(file)) return *across;
    if (const auto* array = array_in(file.tensors())) return taken(file, *array);
    refuse_file(file.name(), "one array, an array called tokens, or query and value",
                std::to_string(file.tensors().size()) + " with other names");
}

Matrix rows_of(const TokenFile& tokens, const TensorFile& file, TokenPart part,
               const StopFlag& stop) {
    const bool queries = part == TokenPart::queries;
    const std::string name = queries ? kQueryArray : tokens.is_cross() ? kValueArray : kTokensArray;
    const auto* found =
        tokens.is_cross() ? array_of_name(file.tensors(), name) : array_in(file.tensors());
    const auto& shape = queries ? tokens.query_shape : tokens.shape;
    if (found == nullptr || found->second.shape != shape)
        refuse_file(tokens.file, name + " " + shape_text(shape) + " as when it was opened",
                    found == nullptr ? "none" : shape_text(found->second.shape));
    const TokenArray array = queries ? tokens.queries() : tokens.array();
    std::vector<float> all(found->second.count());
    to_floats(found->second, all.data(), stop);
    const Index rows = array.rows, width = array.width;
    Matrix sample =
        Eigen::Map<const Matrix>(all.data() + tokens.sample * rows * width, rows, width);
    if (const auto at = find_not_finite({sample.data(), static_cast<std::size_t>(sample.size())}))
        refuse_file(tokens.file, "finite numbers",
                    std::string(std::isnan(sample.data()[*at]) ? "NaN" : "an infinity") + " in " +
                        (queries ? "query " : "token ") +
                        std::to_string(static_cast<Index>(*at) / width) + " of sample " +
                        std::to_string(tokens.sample + 1));
    return sample;
}

}  // namespace headlight
