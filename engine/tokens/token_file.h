#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/tensor_file.h"
#include "kernels/matrix.h"

// Tokens in a file, saved by another program.
namespace headlight {

// How tokens are stored in an array.
struct TokenArray {
    std::int64_t samples = 1, rows = 0, width = 0;  // samples; tokens of one sample; numbers per
                                                    // token
    std::int64_t map_rows = 0, map_cols = 0;        // of a feature map, whose cells are the tokens
};
// For an array without a name: [N, D], a feature map [H, W, C] or several, [B, H, W, C]; if
// `batch`, [B, N, D]. Nothing for other ranks, and if an extent is 0 or does not fit in an int.
std::optional<TokenArray> array_of(const std::vector<std::int64_t>& shape, bool batch = false);

inline constexpr std::int64_t kMostTokensOfFile = 4096;
inline constexpr std::int64_t kMostNumbersOfToken = 65536;

// One sample of a file's tokens. The shapes are those at the time when the file was opened.
struct TokenFile {
    std::string file;
    std::vector<std::int64_t> shape;
    bool named = false;  // "tokens", or "value": [N, D] or [B, N, D]
    bool batch = false;  // an unnamed three-dimensional array is [B, N, D], not [H, W, C]
    int sample = 0;
    // Shape of "query", if keys and values are computed from "value": [N, D] or [B, N, D]. Empty:
    // queries are computed from the same tokens.
    std::vector<std::int64_t> query_shape{};

    [[nodiscard]] bool is_cross() const { return !query_shape.empty(); }
    // Only for a valid TokenFile.
    [[nodiscard]] TokenArray array() const { return *array_of(shape, named || batch); }
    [[nodiscard]] TokenArray queries() const { return *array_of(query_shape, true); }
    bool operator==(const TokenFile&) const = default;
};

// Throws TokenError (vector_set.h) for a shape without tokens or with too many, and for a sample
// that does not exist.
void validate(const TokenFile& tokens);

// The first sample of a file's tokens. The file must contain one tensor "tokens", or "query" and
// "value" for cross-attention, or one array that can only be tokens; attention maps, [.., N, N],
// are not. Otherwise nothing. Throws TokenError if there are other tensors besides the tokens, and
// as validate().
std::optional<TokenFile> tokens_in(const TensorFile& file);
// The same, even if the array could be something else. Throws TokenError if there are no tokens.
TokenFile tokens_of(const TensorFile& file);

// tokens: for keys and values (and queries, unless there is cross-attention). queries: for queries
// only.
enum class TokenPart { tokens, queries };
// The rows of the selected sample. Throws TokenError if the file's shape has changed or a number is
// not finite; CheckpointError; Stopped.
Matrix rows_of(const TokenFile& tokens, const TensorFile& file, TokenPart part = TokenPart::tokens,
               const StopFlag& stop = {});

}  // namespace headlight
