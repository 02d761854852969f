#include "hub/client.h"

#include "hub/error.h"

namespace headlight::hub {

namespace {

constexpr int kMostRedirects = 10;

[[noreturn]] void refuse_redirects(const Address& base) {
    throw HubError(base.place() + " keeps redirecting. Try again later.");
}

// Headers of the redirect's target take precedence, as for a renamed repository. Those that it
// lacks, as a cache does, come from the redirect.
void keep_facts(const Response& before, Response& after) {
    for (const char* name : {"x-repo-commit", "x-linked-etag", "x-linked-size"})
        if (const std::string fact = before.header(name); !fact.empty())
            after.headers.try_emplace(name, fact);
}

}  // namespace

Client::Head Client::head(const std::string& repository, const std::string& revision,
                          const std::string& path) {
    if (is_in_browser()) return head_from_list(repository, revision, path);
    Address at = file_address(base_, repository, revision, path);
    Response before;
    for (int i = 0; i < kMostRedirects; ++i) {
        Response response = transport_.exchange({at, true, token_, {}}, {}, stop_);
        keep_facts(before, response);
        if (!is_redirect(response.status)) return {response, at};
        const Address next = redirected(at, response.header("location"));
        if (!next.is_same_server(base_)) return {response, at};
        at = next;
        before = std::move(response);
    }
    refuse_redirects(base_);
}

Client::Head Client::head_from_list(const std::string& repository, const std::string& revision,
                                    const std::string& path) {
    constexpr std::size_t kMostBytes = std::size_t{16} << 20U;
    const Address address = list_address(base_, repository, revision);
    if (!list_ || listed_ != address.text()) {
        std::string text;
        const Response response =
            get(address, {}, [&](const Response&, std::span<const std::byte> piece) {
                text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
                return text.size() <= kMostBytes;
            });
        if (response.status != 200) return {response, address};
        list_ = parse_file_list(text);
        listed_ = address.text();
        if (!list_)
            throw HubError(repository + ": " + base_.place() +
                           " sent a list of files that Headlight cannot read. Try again later.");
    }
    return {head_in(*list_, path), file_address(base_, list_->repository, revision, path)};
}

Response Client::get(const Address& address, const std::optional<ByteRange>& range,
                     const Transport::Sink& sink) {
    Address at = address;
    std::string token = token_;
    for (int i = 0; i < kMostRedirects; ++i) {
        const Transport::Sink of_last = [&](const Response& response,
                                            std::span<const std::byte> piece) {
            return !is_redirect(response.status) && (!sink || sink(response, piece));
        };
        Response response = transport_.exchange({at, false, token, range}, of_last, stop_);
        if (!is_redirect(response.status)) return response;
        at = redirected(at, response.header("location"));
        if (!at.is_same_server(base_)) token.clear();
    }
    refuse_redirects(base_);
}

std::optional<std::string> Client::text(const Address& address, std::size_t most) {
    std::string body;
    bool fits = true;
    try {
        const Response response =
            get(address, {}, [&](const Response& answer, std::span<const std::byte> piece) {
                if (answer.status != 200) return false;
                fits = body.size() + piece.size() <= most;
                if (fits) body.append(reinterpret_cast<const char*>(piece.data()), piece.size());
                return fits;
            });
        if (response.status != 200 || !fits) return {};
    } catch (const HubError&) {
        return {};
    }
    return body;
}

}  // namespace headlight::hub
