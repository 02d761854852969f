#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "disk/hub_cache.h"
#include "hub/address.h"
#include "hub/transport.h"

// What the Hub's answers mean. Nothing here asks a server.
namespace headlight::hub {

// The hash that names a file: the part of an ETag header between its quotes, without W/. 64 hex
// digits are the sha256 of the file, 40 the sha1 of "blob SIZE", a zero byte and the file, as git
// has it. Nothing where it is neither.
std::optional<std::string> hash_in_etag(std::string_view etag);

// "bytes 100-199/1000"
struct ContentRange {
    std::uint64_t begin = 0, last = 0;
    std::optional<std::uint64_t> size;  // of the whole file; nothing for "*", not stated
};
std::optional<ContentRange> parse_content_range(std::string_view text);
std::optional<std::uint64_t> parse_size(std::string_view digits);

bool is_redirect(int status);

// Who asks: HF_TOKEN, else what the file HF_TOKEN_PATH holds, else HF_HOME/token, where HF_HOME is
// usually ~/.cache/huggingface. Only "hf_", letters and digits are a token, so that none can break
// out of the header. `warning`: a sentence where there is something else; it does not repeat it.
struct Token {
    std::string text{};     // empty: none
    std::string warning{};  // empty: all is well
};
Token find_token();

// What was asked for, for sentences.
struct Subject {
    HubName name;
    std::string path{};  // of a file; empty: the whole repository
    Address base{};
    bool has_token = false;

    [[nodiscard]] std::string page() const;  // the model's, where licenses are accepted
    [[nodiscard]] std::string revision() const {
        return name.revision.empty() ? "main" : name.revision;
    }
};

// Whether the answer says that the repository is there and this file is not.
bool is_missing_file(const Response& response);
// What an answer that is none means (status 400 and above), and what to do.
std::string meaning_of(const Response& response, const Subject& subject);

// "Apache 2.0" of "apache-2.0"; others as they are.
std::string license_in_words(const std::string& id);

}  // namespace headlight::hub
