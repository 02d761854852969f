#include "hub/transport.h"

#ifdef HEADLIGHT_DOWNLOADS
#include <curl/curl.h>

#include <array>
#include <exception>

#include "disk/environment.h"
#include "disk/files.h"
#endif

namespace headlight::hub {

std::string why_no_transport() {
    return "This build of Headlight cannot download files. Install libcurl and OpenSSL (Debian: "
           "libcurl4-openssl-dev, libssl-dev), then build it again.";
}

#ifndef HEADLIGHT_DOWNLOADS

std::unique_ptr<Transport> new_transport() { return nullptr; }

#else

namespace {

// Seconds. A transfer without data for this long is given up; the next attempt resumes it.
constexpr long kConnecting = 20, kStandingStill = 30;

// The trusted certificates: from an environment variable, or this system's. libcurl only looks
// where they were on the system that it was built on. "": none found.
std::string trusted_certificates() {
    for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"})
        if (const std::string set = environment(name); !set.empty()) return set;
    constexpr std::array kOfSystems{
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch
        "/etc/pki/tls/certs/ca-bundle.crt",    // Fedora, RHEL
        "/etc/ssl/ca-bundle.pem",              // openSUSE
        "/etc/ssl/cert.pem",                   // Alpine, macOS
    };
    for (const char* file : kOfSystems)
        if (is_file(file)) return file;
    return "";
}

// The state of libcurl's callbacks. No exception may pass through libcurl's own code.
struct Exchange {
    CURL* handle;
    const Transport::Sink& sink;
    const StopFlag& stop;
    Response response{};
    std::exception_ptr trouble{};
    bool enough = false;
};

std::size_t take_header(char* bytes, std::size_t size, std::size_t count, void* target) {
    auto& exchange = *static_cast<Exchange*>(target);
    take_header_line(exchange.response, std::string_view(bytes, size * count));
    return size * count;
}

int status_of(CURL* handle) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return static_cast<int>(status);
}

std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* target) {
    auto& exchange = *static_cast<Exchange*>(target);
    const std::span piece(reinterpret_cast<const std::byte*>(bytes), size * count);
    try {
        exchange.response.status = status_of(exchange.handle);
        if (!exchange.sink || exchange.sink(exchange.response, piece)) return piece.size();
        exchange.enough = true;
    } catch (...) {
        exchange.trouble = std::current_exception();
    }
    return 0;  // ends the transfer
}

int look_at_stop(void* target, curl_off_t /*expected*/, curl_off_t /*arrived*/,
                 curl_off_t /*to_send*/, curl_off_t /*sent*/) {
    const auto& exchange = *static_cast<Exchange*>(target);
    return exchange.stop && exchange.stop() ? 1 : 0;
}

class CurlTransport : public Transport {
  public:
    CurlTransport() {
        // Initialized once and never cleaned up, because another thread may still use it.
        static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
        handle_ = ready == CURLE_OK ? curl_easy_init() : nullptr;
        if (handle_ == nullptr) throw HubError("libcurl could not start.");
    }
    ~CurlTransport() override { curl_easy_cleanup(handle_); }
    CurlTransport(const CurlTransport&) = delete;
    CurlTransport& operator=(const CurlTransport&) = delete;

    Response exchange(const Request& request, const Sink& sink, const StopFlag& stop) override {
        throw_if_stopped(stop);
        Exchange exchange{handle_, sink, stop};
        curl_easy_reset(handle_);  // keeps the connection open
        set_up(request);
        curl_easy_setopt(handle_, CURLOPT_HEADERDATA, &exchange);
        curl_easy_setopt(handle_, CURLOPT_WRITEDATA, &exchange);
        curl_easy_setopt(handle_, CURLOPT_XFERINFODATA, &exchange);
        const Headers headers(request);
        curl_easy_setopt(handle_, CURLOPT_HTTPHEADER, headers.list);
        const CURLcode code = curl_easy_perform(handle_);
        exchange.response.status = status_of(handle_);
        if (exchange.trouble) std::rethrow_exception(exchange.trouble);
        throw_if_stopped(stop);
        if (code != CURLE_OK && !exchange.enough) refuse(request.address, code);
        return exchange.response;
    }

  private:
    struct Headers {
        explicit Headers(const Request& request) {
            for (const std::string& line : header_lines(request))
                list = curl_slist_append(list, line.c_str());
        }
        ~Headers() { curl_slist_free_all(list); }
        Headers(const Headers&) = delete;
        Headers& operator=(const Headers&) = delete;
        curl_slist* list = nullptr;
    };

    void set_up(const Request& request) const {
        curl_easy_setopt(handle_, CURLOPT_URL, request.address.text().c_str());
        const bool is_local = request.address.is_loopback();
#if LIBCURL_VERSION_NUM >= 0x075500
        curl_easy_setopt(handle_, CURLOPT_PROTOCOLS_STR, is_local ? "http,https" : "https");
#else
        curl_easy_setopt(
            handle_, CURLOPT_PROTOCOLS,
            static_cast<long>(is_local ? CURLPROTO_HTTP | CURLPROTO_HTTPS : CURLPROTO_HTTPS));
#endif
        if (is_local) curl_easy_setopt(handle_, CURLOPT_NOPROXY, "*");
        if (const std::string trusted = trusted_certificates(); !trusted.empty())
            curl_easy_setopt(handle_, CURLOPT_CAINFO, trusted.c_str());
        curl_easy_setopt(handle_, CURLOPT_FOLLOWLOCATION, 0L);
        curl_easy_setopt(handle_, CURLOPT_NOBODY, request.head ? 1L : 0L);
        curl_easy_setopt(handle_, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(handle_, CURLOPT_CONNECTTIMEOUT, kConnecting);
        curl_easy_setopt(handle_, CURLOPT_LOW_SPEED_LIMIT, 1L);
        curl_easy_setopt(handle_, CURLOPT_LOW_SPEED_TIME, kStandingStill);
        curl_easy_setopt(handle_, CURLOPT_BUFFERSIZE, 256L * 1024L);
        curl_easy_setopt(handle_, CURLOPT_USERAGENT, "headlight/" HEADLIGHT_VERSION);
        curl_easy_setopt(handle_, CURLOPT_HEADERFUNCTION, take_header);
        curl_easy_setopt(handle_, CURLOPT_WRITEFUNCTION, take_body);
        curl_easy_setopt(handle_, CURLOPT_NOPROGRESS, 0L);
        curl_easy_setopt(handle_, CURLOPT_XFERINFOFUNCTION, look_at_stop);
    }

    [[noreturn]] static void refuse(const Address& address, CURLcode code) {
        const std::string reason = curl_easy_strerror(code);
        const bool none = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT;
        const bool untrusted =
            code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
        refuse_connection(address,
                          untrusted ? ConnectionTrouble::certificate
                          : none    ? ConnectionTrouble::none
                                    : ConnectionTrouble::broken,
                          reason);
    }

    CURL* handle_;
};

}  // namespace

std::unique_ptr<Transport> new_transport() { return std::make_unique<CurlTransport>(); }

#endif

}  // namespace headlight::hub
