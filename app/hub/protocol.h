#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "disk/hub_cache.h"
#include "hub/address.h"
#include "hub/transport.h"

// Interprets the Hub's responses, without any network access.
namespace headlight::hub {

// The hash in an ETag header: the text between its quotes, without W/. 64 hex digits are the sha256
// of the file; 40 are git's sha1 of "blob SIZE", a zero byte and the file. Empty if it is neither.
std::optional<std::string> hash_in_etag(std::string_view etag);

// "bytes 100-199/1000"
struct ContentRange {
    std::uint64_t begin = 0, last = 0;
    std::optional<std::uint64_t> size;  // of the whole file; empty for "*", unknown
};
std::optional<ContentRange> parse_content_range(std::string_view text);
std::optional<std::uint64_t> parse_size(std::string_view digits);

bool is_redirect(int status);

// The user's token: HF_TOKEN, or the content of the file HF_TOKEN_PATH, or of HF_HOME/token, where
// HF_HOME defaults to ~/.cache/huggingface. Only "hf_" with letters and digits is accepted, so that
// no token can inject header lines. `warning`: a sentence if there is anything else, without
// repeating it.
struct Token {
    std::string text{};     // empty: none
    std::string warning{};  // empty: all is well
};
Token find_token();

// What was requested, for error messages.
struct Subject {
    HubName name;
    std::string path{};  // of a file; empty: the whole repository
    Address base{};
    bool has_token = false;
    bool is_in_browser = false;  // where no token can be sent

    [[nodiscard]] std::string page() const;  // the model's page, where licenses are accepted
    [[nodiscard]] std::string revision() const {
        return name.revision.empty() ? "main" : name.revision;
    }
};

// Whether the response says that the repository exists and this file does not.
bool is_missing_file(const Response& response);
// Explains an error response (status 400 and above), and says what to do.
std::string meaning_of(const Response& response, const Subject& subject);

// "Apache 2.0" for "apache-2.0"; unknown ids are unchanged.
std::string license_in_words(const std::string& id);

}  // namespace headlight::hub
