#pragma once

#include <optional>
#include <string>

#include "files/file.h"
#include "tokens/token_file.h"

// Files of numbers, which may be tokens as well as models.
namespace headlight {

// Tokens in a file that is opened; nothing where it is something else, or cannot be read: whoever
// opens it next says why. Throws CommandError where it holds tokens that cannot be shown. Reads no
// more than what says which it is: at once, for that is little.
std::optional<TokenFile> tokens_at(const std::string& path, const FileReader& read_file);
// The same where nothing else is meant. Throws CommandError.
TokenFile only_tokens_at(const std::string& path, const FileReader& read_file);

// How an array of three extents was taken, where it could be taken otherwise; else empty.
std::string said_of(const TokenFile& tokens);

}  // namespace headlight
