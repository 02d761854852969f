#include "hub/transport.h"

#include <algorithm>
#include <memory>
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

// What a request and WinHTTP's threads share. They may use it until they have closed the request,
// so it belongs to both.
struct Exchange {
    std::wstring headers;
    std::vector<std::byte> block;

    // Of the step that was begun last. They are read after `over` was waited for.
    DWORD error = ERROR_SUCCESS, bytes = 0;
    const HANDLE over = CreateEventW(nullptr, FALSE, FALSE, nullptr);

    Exchange() = default;
    ~Exchange() { CloseHandle(over); }
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    void end(DWORD reason, DWORD count) {
        error = reason;
        bytes = count;
        SetEvent(over);
    }
};

// WinHTTP calls this from its threads.
void CALLBACK hear(HINTERNET /*request*/, DWORD_PTR context, DWORD news, void* fact, DWORD size) {
    auto* const exchange = reinterpret_cast<std::shared_ptr<Exchange>*>(context);
    if (exchange == nullptr) return;
    switch (news) {
        case WINHTTP_CALLBACK_STATUS_SENDREQUEST_COMPLETE:
        case WINHTTP_CALLBACK_STATUS_HEADERS_AVAILABLE:
            (*exchange)->end(ERROR_SUCCESS, 0);
            break;
        case WINHTTP_CALLBACK_STATUS_DATA_AVAILABLE:
            (*exchange)->end(ERROR_SUCCESS, *static_cast<const DWORD*>(fact));
            break;
        case WINHTTP_CALLBACK_STATUS_READ_COMPLETE:
            (*exchange)->end(ERROR_SUCCESS, size);
            break;
        case WINHTTP_CALLBACK_STATUS_REQUEST_ERROR:
            (*exchange)->end(static_cast<const WINHTTP_ASYNC_RESULT*>(fact)->dwError, 0);
            break;
        case WINHTTP_CALLBACK_STATUS_HANDLE_CLOSING:  // the last call
            delete exchange;
            break;
        default:
            break;
    }
}

// A request whose steps run in WinHTTP's threads, so that a stop need not wait for the server.
class Asked {
  public:
    Asked(HINTERNET server, const Request& request)
        : address_(request.address), handle_(open(server, request)) {
        if (handle_ == nullptr || exchange_->over == nullptr) refuse(address_, GetLastError());
        auto shared = std::make_unique<std::shared_ptr<Exchange>>(exchange_);
        auto context = reinterpret_cast<DWORD_PTR>(shared.get());
        if (WinHttpSetOption(handle_, WINHTTP_OPTION_CONTEXT_VALUE, &context, sizeof(context)) ==
                FALSE ||
            WinHttpSetStatusCallback(
                handle_, hear,
                WINHTTP_CALLBACK_FLAG_ALL_COMPLETIONS | WINHTTP_CALLBACK_FLAG_HANDLES,
                0) == WINHTTP_INVALID_STATUS_CALLBACK)
            refuse(address_, GetLastError());
        context_ = reinterpret_cast<DWORD_PTR>(shared.release());  // `hear` deletes it
        set_up();
        exchange_->headers = headers_of(request);
    }

    Response receive_head(const StopFlag& stop) {
        const std::wstring& headers = exchange_->headers;
        step(stop, [&] {
            return WinHttpSendRequest(handle_, headers.c_str(), static_cast<DWORD>(headers.size()),
                                      WINHTTP_NO_REQUEST_DATA, 0, 0, context_);
        });
        step(stop, [&] { return WinHttpReceiveResponse(handle_, nullptr); });
        return head_of(handle_);
    }

    void read_body(const Response& response, const Transport::Sink& sink, const StopFlag& stop) {
        std::vector<std::byte>& block = exchange_->block;
        block.resize(std::size_t{1} << 18U);
        std::uint64_t arrived = 0;
        for (;;) {
            throw_if_stopped(stop);
            // Reading more than there is would wait in this thread, at least under Wine.
            const DWORD there =
                step(stop, [&] { return WinHttpQueryDataAvailable(handle_, nullptr); });
            if (there == 0) break;
            const DWORD most = std::min(there, static_cast<DWORD>(block.size()));
            const DWORD count =
                step(stop, [&] { return WinHttpReadData(handle_, block.data(), most, nullptr); });
            if (count == 0) break;
            arrived += count;
            if (sink && !sink(response, std::span(block).first(count))) return;
        }
        const std::string promised = response.header("content-length");
        if (!promised.empty() && promised != std::to_string(arrived))
            refuse_connection(address_, ConnectionTrouble::broken,
                              "the server closed it after " + std::to_string(arrived) + " of " +
                                  promised + " bytes");
    }

  private:
    static HINTERNET open(HINTERNET server, const Request& request) {
        const DWORD secure = request.address.scheme == "https" ? WINHTTP_FLAG_SECURE : 0;
        return WinHttpOpenRequest(
            server, request.head ? L"HEAD" : L"GET", wide(request.address.rest).c_str(), nullptr,
            WINHTTP_NO_REFERER, WINHTTP_DEFAULT_ACCEPT_TYPES, secure | WINHTTP_FLAG_ESCAPE_DISABLE);
    }

    void set_up() {
        DWORD off =
            WINHTTP_DISABLE_REDIRECTS | WINHTTP_DISABLE_COOKIES | WINHTTP_DISABLE_AUTHENTICATION;
        WinHttpSetOption(handle_, WINHTTP_OPTION_DISABLE_FEATURE, &off, sizeof(off));
        if (!address_.is_loopback()) return;
        WINHTTP_PROXY_INFO direct{WINHTTP_ACCESS_TYPE_NO_PROXY, nullptr, nullptr};
        WinHttpSetOption(handle_, WINHTTP_OPTION_PROXY, &direct, sizeof(direct));
    }

    // Begins a step and waits for its end. Returns how many bytes it found or read.
    template <class Begin>
    DWORD step(const StopFlag& stop, const Begin& begin) {
        constexpr DWORD kBetweenLooks = 50;  // milliseconds
        if (begin() == FALSE) refuse(address_, GetLastError());
        while (WaitForSingleObject(exchange_->over, kBetweenLooks) == WAIT_TIMEOUT)
            throw_if_stopped(stop);
        if (exchange_->error != ERROR_SUCCESS) refuse(address_, exchange_->error);
        return exchange_->bytes;
    }

    const Address address_;
    const std::shared_ptr<Exchange> exchange_ = std::make_shared<Exchange>();
    const Handle handle_;  // closing it ends the step that runs
    DWORD_PTR context_ = 0;
};

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
        Asked asked(server, request);
        Response response = asked.receive_head(stop);
        if (!request.head) asked.read_body(response, sink, stop);
        return response;
    }

  private:
    static HINTERNET open_session() {
        const HINTERNET session = WinHttpOpen(
            wide("headlight/" HEADLIGHT_VERSION).c_str(), WINHTTP_ACCESS_TYPE_AUTOMATIC_PROXY,
            WINHTTP_NO_PROXY_NAME, WINHTTP_NO_PROXY_BYPASS, WINHTTP_FLAG_ASYNC);
        if (session == nullptr) throw HubError(why_no_transport());
        WinHttpSetTimeouts(session, kConnecting, kConnecting, kStandingStill, kStandingStill);
        DWORD answer = kStandingStill;  // its own option; 90 seconds otherwise
        WinHttpSetOption(session, WINHTTP_OPTION_RECEIVE_RESPONSE_TIMEOUT, &answer, sizeof(answer));
        return session;
    }

    Handle session_{open_session()};  // keeps connections open
};

}  // namespace

std::unique_ptr<Transport> new_transport() { return std::make_unique<WinHttpTransport>(); }

}  // namespace headlight::hub
