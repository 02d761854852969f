#include "hub/protocol.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "disk/environment.h"
#include "disk/files.h"
#include "disk/read_file.h"
#include "hub/error.h"
#include "kernels/ascii.h"
#include "kernels/counted.h"
#include "kernels/trimmed.h"

namespace headlight::hub {

namespace {

bool is_token(std::string_view text) {
    constexpr std::string_view kStart = "hf_";
    constexpr std::size_t kLongest = 256;
    return text.starts_with(kStart) && text.size() > kStart.size() && text.size() <= kLongest &&
           std::ranges::all_of(text.substr(kStart.size()), is_letter_or_digit);
}

Token checked(const std::string& text, const std::string& where) {
    const std::string token(trimmed(text));
    if (token.empty() || is_token(token)) return {token, ""};
    return {"", where +
                    " does not contain a Hub token (\"hf_\", then letters and digits), so "
                    "Headlight sends no token."};
}

// The Hub's error code, if it is a known one.
enum class Trouble { none, no_repository, no_revision, no_file, gated };
Trouble trouble_in(const Response& response) {
    constexpr std::array<std::pair<std::string_view, Trouble>, 4> kCodes{
        {{"RepoNotFound", Trouble::no_repository},
         {"RevisionNotFound", Trouble::no_revision},
         {"EntryNotFound", Trouble::no_file},
         {"GatedRepo", Trouble::gated}}};
    const std::string code = response.header("x-error-code");
    for (const auto& [word, trouble] : kCodes)
        if (code == word) return trouble;
    return Trouble::none;
}

std::string too_fast(const Response& response, const Subject& subject) {
    const auto seconds = parse_size(response.header("retry-after"));
    const std::string when = seconds && *seconds > 0 && *seconds <= 86400
                                 ? counted(*seconds, "second")
                                 : "a few minutes";
    return subject.base.place() + ": this machine sent too many requests (HTTP 429). Wait " + when +
           " and try again" +
           (subject.has_token || subject.is_in_browser
                ? "."
                : ". With HF_TOKEN set, the Hub allows more.");
}

std::string gated(const Subject& subject) {
    return subject.name.repository +
           " is gated: its authors ask you to accept their license first. Open " + subject.page() +
           ", accept it there, then " +
           (subject.is_in_browser ? "download the model's files and drop them onto this page."
            : subject.has_token   ? "try again with a token of that account in HF_TOKEN."
                                  : "set HF_TOKEN to a token of your account.");
}

std::string unknown_repository(const Subject& subject) {
    return subject.name.repository +
           ": the Hub has no public model of this name. Check the spelling" +
           (subject.is_in_browser
                ? ". If it is private, download its files and drop them onto this page."
            : subject.has_token ? ". If it is private or gated, check that your token may read it."
                                : ". For a private or gated model, set HF_TOKEN.");
}

}  // namespace

std::optional<std::string> hash_in_etag(std::string_view etag) {
    if (etag.starts_with("W/")) etag.remove_prefix(2);
    if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"')
        etag = etag.substr(1, etag.size() - 2);
    return is_hub_etag(etag) ? std::optional(std::string(etag)) : std::nullopt;
}

std::optional<std::uint64_t> parse_size(std::string_view digits) {
    std::uint64_t size = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (end.ec != std::errc() || end.ptr != digits.data() + digits.size()) return {};
    return size;
}

std::optional<ContentRange> parse_content_range(std::string_view text) {
    constexpr std::string_view kUnit = "bytes ";
    if (!text.starts_with(kUnit)) return {};
    text.remove_prefix(kUnit.size());
    const std::size_t dash = text.find('-'), slash = text.find('/');
    if (dash == text.npos || slash == text.npos || dash > slash) return {};
    const auto begin = parse_size(text.substr(0, dash));
    const auto last = parse_size(text.substr(dash + 1, slash - dash - 1));
    const auto size = parse_size(text.substr(slash + 1));
    if (!begin || !last || *last < *begin) return {};
    if (!size && text.substr(slash + 1) != "*") return {};
    if (size && *last >= *size) return {};
    return ContentRange{*begin, *last, size};
}

bool is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Token find_token() {
    if (const std::string set = environment("HF_TOKEN"); !trimmed(set).empty())
        return checked(set, "HF_TOKEN");
    const std::filesystem::path file = hub_token_file();
    constexpr std::uintmax_t kMostBytes = 4096;
    const FileState state = state_of(file);
    if (state.kind != FileKind::file) return {};
    if (state.bytes > kMostBytes) return checked("too long", file.string());
    try {
        return checked(read_text(file.string()), file.string());
    } catch (const std::runtime_error& error) {
        return {"", error.what()};
    }
}

std::string Subject::page() const {
    return base.scheme + "://" + base.place() + base.rest + "/" + name.repository;
}

bool is_missing_file(const Response& response) {
    const Trouble trouble = trouble_in(response);
    return trouble == Trouble::no_file || (trouble == Trouble::none && response.status == 404);
}

std::string meaning_of(const Response& response, const Subject& subject) {
    const std::string& name = subject.name.repository;
    const std::string status = " (HTTP " + std::to_string(response.status) + ")";
    switch (trouble_in(response)) {
        case Trouble::gated:
            return gated(subject);
        case Trouble::no_repository:
            return unknown_repository(subject);
        case Trouble::no_revision:
            return name + " has no revision \"" + subject.revision() +
                   "\". Its branches and tags are on " + subject.page() + "/tree/main.";
        case Trouble::no_file:
        case Trouble::none:
            break;
    }
    if (response.status == 429) return too_fast(response, subject);
    if (response.status == 401 && !subject.has_token) return unknown_repository(subject);
    if (response.status == 401 || response.status == 403)
        return name + ": the Hub refuses access" + status + ". " +
               (subject.is_in_browser
                    ? "If you have the right to read it, download its files and drop them onto "
                      "this page."
                : subject.has_token ? "Check that your token is valid and has the right to read it."
                                    : "If you have the right to read it, set HF_TOKEN.");
    if (response.status == 404 && subject.path.empty()) return unknown_repository(subject);
    if (response.status == 404)
        return name + " has no file \"" + subject.path + "\". Its files are on " + subject.page() +
               "/tree/" + subject.revision() + ".";
    if (response.status >= 500)
        return subject.base.place() + " is not available at the moment" + status +
               ". Try again later.";
    return name + ": " + subject.base.place() + " sent an unexpected response" + status +
           (subject.is_in_browser ? ". Try again later."
                                  : ". Check HF_ENDPOINT, or try again later.");
}

std::string license_in_words(const std::string& id) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kLicenses{
        {{"apache-2.0", "Apache 2.0"},
         {"mit", "MIT"},
         {"bsd-2-clause", "BSD 2-Clause"},
         {"bsd-3-clause", "BSD 3-Clause"},
         {"cc0-1.0", "CC0 1.0"},
         {"cc-by-4.0", "CC BY 4.0"},
         {"cc-by-sa-4.0", "CC BY-SA 4.0"},
         {"cc-by-nc-4.0", "CC BY-NC 4.0"},
         {"cc-by-nc-sa-4.0", "CC BY-NC-SA 4.0"},
         {"cc-by-nc-nd-4.0", "CC BY-NC-ND 4.0"},
         {"dinov3-license", "DINOv3 License"},
         {"openrail", "OpenRAIL"},
         {"gpl-3.0", "GPL 3.0"},
         {"agpl-3.0", "AGPL 3.0"}}};
    for (const auto& [known, words] : kLicenses)
        if (id == known) return std::string(words);
    return id;
}

}  // namespace headlight::hub
