#include <emscripten/em_js.h>
#include <emscripten/em_macros.h>
#include <emscripten/proxying.h>
#include <emscripten/threading.h>

#include <functional>
#include <mutex>
#include <sstream>
#include <utility>

#include "disk/files.h"
#include "disk/read_file.h"
#include "hub/web/page.h"
#include "json/bounded_json.h"

namespace headlight::hub {

namespace {

EM_JS_DEPS(headlight_hub, "$UTF8ToString");
EM_JS(int, page_is_secure, (), { return self.crypto && self.crypto.subtle ? 1 : 0; });
EM_JS(void, start_request, (int number, const char* request),
      { hub.start(number, UTF8ToString(request)); });
EM_JS(void, stop_request, (int number), { hub.stop(number); });

// hub.js lives on the page's thread.
void on_page(const std::function<void()>& call) {
    static emscripten::ProxyingQueue queue;
    if (emscripten_is_main_runtime_thread() != 0) return call();
    queue.proxySync(emscripten_main_runtime_thread_id(), call);
}

// The page calls back without a pointer to the transport, which may be gone by then.
struct Answers {
    std::mutex guard;  // guards both
    std::map<int, PageAnswer> by_number;
    int last = 0;
    std::atomic<std::uint64_t> news{0};
};
Answers& answers() {
    static Answers all;
    return all;
}

void update(int number, const std::function<void(PageAnswer&)>& change) {
    Answers& all = answers();
    const std::lock_guard lock(all.guard);
    const auto found = all.by_number.find(number);
    if (found == all.by_number.end()) return;
    change(found->second);
    ++all.news;
}

}  // namespace

std::string why_no_transport() {
    return "Downloads need a secure page. Open this page over https, or from localhost.";
}

std::unique_ptr<Transport> new_transport() {
    // Browsers compute hashes only on secure pages.
    return page_is_secure() != 0 ? std::make_unique<PageTransport>() : nullptr;
}

PageTransport::~PageTransport() {
    Answers& all = answers();
    for (const auto& request : numbers_) {
        const int number = request.second;
        PageAnswer answer;
        {
            const std::lock_guard lock(all.guard);
            answer = std::move(all.by_number.extract(number).mapped());
        }
        if (answer.outcome.empty())
            on_page([number] { stop_request(number); });
        else if (answer.outcome == "done" && !answer.detail.empty())
            (void)remove_file(answer.detail);
    }
}

std::uint64_t PageTransport::news() const { return answers().news; }

PageAnswer PageTransport::ask(const std::string& request) {
    Answers& all = answers();
    const auto known = numbers_.find(request);
    if (known != numbers_.end()) {
        const std::lock_guard lock(all.guard);
        return all.by_number.at(known->second);
    }
    int number = 0;
    {
        const std::lock_guard lock(all.guard);
        number = ++all.last;
        all.by_number[number] = {};
    }
    numbers_[request] = number;
    on_page([&] { start_request(number, request.c_str()); });
    return {};
}

Response PageTransport::exchange(const Request& request, const Sink& sink, const StopFlag& stop) {
    // The largest body that a caller reads.
    constexpr std::uint64_t kMostBytes = (std::uint64_t{16} << 20U) + 1;
    throw_if_stopped(stop);
    nlohmann::json order{{"address", request.address.text()}, {"most", kMostBytes}};
    if (request.range) {
        order["begin"] = request.range->begin;
        if (request.range->last) {
            order["last"] = *request.range->last;
            order["most"] = *request.range->last + 1;  // a server without ranges sends all
        }
    }
    const PageAnswer answer = ask(order.dump());
    if (answer.outcome.empty()) throw Pending();
    expect_connection(request.address, answer);
    if (sink && !answer.detail.empty()) {
        const FileBytes body = read_file(answer.detail).bytes(stop);
        sink(answer.response, body.bytes());
    }
    return answer.response;
}

void expect_connection(const Address& address, const PageAnswer& answer) {
    if (answer.outcome == "offline")
        throw ConnectionError(address.place() + ": no connection. Check the network.");
    if (answer.outcome == "unreadable")
        throw ConnectionError(
            address.place() +
            ": the browser got no answer that it may read, because there is no connection or the "
            "server does not allow web pages to read its files (CORS). Check the network, or use "
            "the desktop program.");
    if (answer.outcome == "broken")
        refuse_connection(address, ConnectionTrouble::broken, answer.detail);
}

}  // namespace headlight::hub

// hub.js calls these.
extern "C" {

EMSCRIPTEN_KEEPALIVE void headlight_hub_arrived(int number, double bytes) {
    headlight::hub::update(number, [&](headlight::hub::PageAnswer& answer) {
        answer.arrived = static_cast<std::uint64_t>(bytes);
    });
}

// headers: lines as in HTTP.
EMSCRIPTEN_KEEPALIVE void headlight_hub_answered(int number, const char* outcome,
                                                 const char* detail, int status,
                                                 const char* headers) {
    headlight::hub::update(number, [&](headlight::hub::PageAnswer& answer) {
        answer.outcome = outcome;
        answer.detail = detail;
        std::istringstream lines(headers);
        for (std::string line; std::getline(lines, line);) take_header_line(answer.response, line);
        answer.response.status = status;
    });
}

}  // extern "C"
