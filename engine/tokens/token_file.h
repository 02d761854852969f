#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/tensor_file.h"
#include "kernels/matrix.h"

// Tokens that lie in a file, as another program saved them.
namespace headlight {

// How the tokens of an array lie in it.
struct TokenArray {
    std::int64_t samples = 1, rows = 0, width = 0;  // of one sample: tokens, and numbers of each
    std::int64_t map_rows = 0, map_cols = 0;        // of a feature map, whose cells are the tokens
};
// Of an array without a name: [N, D], a feature map [H, W, C] or several, [B, H, W, C]; where it is
// a `batch`, [B, N, D]. Nothing for other ranks, and where an extent is none or no int.
std::optional<TokenArray> array_of(const std::vector<std::int64_t>& shape, bool batch = false);

inline constexpr std::int64_t kMostTokensOfFile = 4096;
inline constexpr std::int64_t kMostNumbersOfToken = 65536;

// One sample of a file's tokens. The shapes are those which the file had when it was opened.
struct TokenFile {
    std::string file;
    std::vector<std::int64_t> shape;
    bool named = false;  // "tokens", or "value": [N, D] or [B, N, D]
    bool batch = false;  // an array of three extents without a name is [B, N, D], not [H, W, C]
    int sample = 0;
    // Of "query", where keys and values are made of "value": [N, D] or [B, N, D]. Empty: the tokens
    // are their own queries.
    std::vector<std::int64_t> query_shape{};

    [[nodiscard]] bool is_cross() const { return !query_shape.empty(); }
    // Requires a valid one.
    [[nodiscard]] TokenArray array() const { return *array_of(shape, named || batch); }
    [[nodiscard]] TokenArray queries() const { return *array_of(query_shape, true); }
    bool operator==(const TokenFile&) const = default;
};

// Throws TokenError (vector_set.h): a shape that holds no tokens, too many of them, or no such
// sample.
void validate(const TokenFile& tokens);

// What there is for tokens in a file, its first sample; nothing where it is none of these: one
// tensor "tokens", "query" and "value" for cross-attention, or one array that can be nothing else.
// Attention maps, [.., N, N], are not.
// Throws TokenError where there is more beside the tokens, or what validate() says.
std::optional<TokenFile> tokens_in(const TensorFile& file);
// The same, whatever else the array could be. Throws TokenError where there is none.
TokenFile tokens_of(const TensorFile& file);

// Those that keys and values are made of, or those that ask.
enum class TokenPart { tokens, queries };
// The rows of its sample. Throws TokenError where the file has another shape by now, or a number
// that is none; CheckpointError; Stopped.
Matrix rows_of(const TokenFile& tokens, const TensorFile& file, TokenPart part = TokenPart::tokens,
               const StopFlag& stop = {});

}  // namespace headlight
