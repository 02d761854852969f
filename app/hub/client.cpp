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

Client::Head Client::head(const Address& address) {
    Address at = address;
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
