#include "hub/transport.h"

#include <algorithm>
#include <vector>
// After the standard library, whose names its macros would change.
#include <windows.h>
#include <winhttp.h>

namespace headlight::hub {

std::string why_no_transport() { return "Windows could not start WinHTTP."; }

namespace {

constexpr int kConnecting = 20'000, kStandingStill = 30'000;  // milliseconds

// For addresses and headers, which are ASCII.
std::wstring wide(std::string_view text) { return {text.begin(), text.end()}; }

class Handle {
  public:
    explicit Handle(HINTERNET handle) : handle_(handle) {}
    ~Handle() {
        if (handle_ != nullptr) WinHttpCloseHandle(handle_);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    operator HINTERNET() const { return handle_; }  // NOLINT: it is used as one

  private:
    HINTERNET handle_;
};

std::string reason_of(DWORD error) {
    switch (error) {
        case ERROR_WINHTTP_TIMEOUT:
            return "the server did not answer in time";
        case ERROR_WINHTTP_NAME_NOT_RESOLVED:
            return "there is no server with this name";
        case ERROR_WINHTTP_CANNOT_CONNECT:
            return "the server refused the connection";
        case ERROR_WINHTTP_SECURE_FAILURE:
            return "Windows does not trust it";
        default:
            return "WinHTTP error " + std::to_string(error);
    }
}

[[noreturn]] void refuse(const Address& address, DWORD error) {
    const bool none =
        error == ERROR_WINHTTP_NAME_NOT_RESOLVED || error == ERROR_WINHTTP_CANNOT_CONNECT;
    refuse_connection(address,
                      error == ERROR_WINHTTP_SECURE_FAILURE ? ConnectionTrouble::certificate
                      : none                                ? ConnectionTrouble::none
                                                            : ConnectionTrouble::broken,
                      reason_of(error));
}

std::wstring headers_of(const Request& request) {
    std::wstring all;
    for (const std::string& line : header_lines(request)) all += wide(line) + L"\r\n";
    return all;
}

Response head_of(HINTERNET request) {
    DWORD bytes = 0;
    WinHttpQueryHeaders(request, WINHTTP_QUERY_RAW_HEADERS_CRLF, nullptr, nullptr, &bytes, nullptr);
    std::wstring all(bytes / sizeof(wchar_t), L'\0');
    Response response;
    if (WinHttpQueryHeaders(request, WINHTTP_QUERY_RAW_HEADERS_CRLF, nullptr, all.data(), &bytes,
                            nullptr) != FALSE) {
        std::string text;
        for (const wchar_t letter : all) text += static_cast<char>(letter);
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            take_header_line(response, std::string_view(text).substr(begin, end - begin));
            begin = end + 1;
        }
    }
    DWORD status = 0, size = sizeof(status);
    WinHttpQueryHeaders(request, WINHTTP_QUERY_STATUS_CODE | WINHTTP_QUERY_FLAG_NUMBER, nullptr,
                        &status, &size, nullptr);
    response.status = static_cast<int>(status);
    return response;
}

class WinHttpTransport : public Transport {
  public:
    Response exchange(const Request& request, const Sink& sink, const StopFlag& stop) override {
        throw_if_stopped(stop);
        const Address& address = request.address;
        if (address.scheme != "https" && !address.is_loopback())
            throw HubError(
                address.place() +
                ": Headlight connects only over https. Use an address that begins with https://.");
        const Handle server(WinHttpConnect(session_, wide(address.host).c_str(),
                                           static_cast<INTERNET_PORT>(address.port), 0));
        const DWORD secure = address.scheme == "https" ? WINHTTP_FLAG_SECURE : 0;
        const Handle asked(WinHttpOpenRequest(server, request.head ? L"HEAD" : L"GET",
                                              wide(address.rest).c_str(), nullptr,
                                              WINHTTP_NO_REFERER, WINHTTP_DEFAULT_ACCEPT_TYPES,
                                              secure | WINHTTP_FLAG_ESCAPE_DISABLE));
        set_up(asked, address);
        const std::wstring headers = headers_of(request);
        if (WinHttpSendRequest(asked, headers.c_str(), static_cast<DWORD>(headers.size()),
                               WINHTTP_NO_REQUEST_DATA, 0, 0, 0) == FALSE ||
            WinHttpReceiveResponse(asked, nullptr) == FALSE)
            refuse(address, GetLastError());
        Response response = head_of(asked);
        if (!request.head) read_body(asked, address, response, sink, stop);
        return response;
    }

  private:
    static void set_up(HINTERNET asked, const Address& address) {
        DWORD off =
            WINHTTP_DISABLE_REDIRECTS | WINHTTP_DISABLE_COOKIES | WINHTTP_DISABLE_AUTHENTICATION;
        WinHttpSetOption(asked, WINHTTP_OPTION_DISABLE_FEATURE, &off, sizeof(off));
        if (!address.is_loopback()) return;
        WINHTTP_PROXY_INFO direct{WINHTTP_ACCESS_TYPE_NO_PROXY, nullptr, nullptr};
        WinHttpSetOption(asked, WINHTTP_OPTION_PROXY, &direct, sizeof(direct));
    }

    void read_body(HINTERNET asked, const Address& address, const Response& response,
                   const Sink& sink, const StopFlag& stop) {
        std::uint64_t arrived = 0;
        for (;;) {
            throw_if_stopped(stop);
            DWORD count = 0;
            if (WinHttpReadData(asked, block_.data(), static_cast<DWORD>(block_.size()), &count) ==
                FALSE)
                refuse(address, GetLastError());
            if (count == 0) break;
            arrived += count;
            if (sink && !sink(response, std::span(block_).first(count))) return;
        }
        const std::string promised = response.header("content-length");
        if (!promised.empty() && promised != std::to_string(arrived))
            refuse_connection(address, ConnectionTrouble::broken,
                              "the server closed it after " + std::to_string(arrived) + " of " +
                                  promised + " bytes");
    }

    static HINTERNET open_session() {
        const HINTERNET session = WinHttpOpen(wide("headlight/" HEADLIGHT_VERSION).c_str(),
                                              WINHTTP_ACCESS_TYPE_AUTOMATIC_PROXY,
                                              WINHTTP_NO_PROXY_NAME, WINHTTP_NO_PROXY_BYPASS, 0);
        if (session == nullptr) throw HubError(why_no_transport());
        WinHttpSetTimeouts(session, kConnecting, kConnecting, kStandingStill, kStandingStill);
        return session;
    }

    Handle session_{open_session()};  // keeps connections open
    std::vector<std::byte> block_ = std::vector<std::byte>(1U << 18U);
};

}  // namespace

std::unique_ptr<Transport> new_transport() { return std::make_unique<WinHttpTransport>(); }

}  // namespace headlight::hub
