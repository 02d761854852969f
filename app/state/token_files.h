#pragma once

#include <optional>
#include <string>

#include "files/file.h"
#include "tokens/token_file.h"

// Number files that may hold either tokens or a model.
namespace headlight {

// The tokens in a file; empty if it holds something else or cannot be read, which the next reader
// reports. Throws CommandError if it holds tokens that cannot be shown. Fast, because it reads only
// the header.
std::optional<TokenFile> tokens_at(const std::string& path, const FileReader& read_file);
// The same for a file that must hold tokens. Throws CommandError if it does not.
TokenFile only_tokens_at(const std::string& path, const FileReader& read_file);

// How an array of three dimensions was interpreted if it is ambiguous; else empty.
std::string said_of(const TokenFile& tokens);

}  // namespace headlight
