#include <algorithm>
#include <array>
#include <iostream>
#include <string>
#include <string_view>

#include "kernels/parallel.h"
#include "platform/loop.h"

namespace {

using headlight::platform::WindowOptions;

struct Option {
    std::string_view name;
    void (*set)(WindowOptions&, const char*);
};
constexpr std::array kOptions{
    Option{"--theme", [](WindowOptions& o, const char* value) { o.theme = value; }},
    Option{"--link", [](WindowOptions& o, const char* value) { o.link = value; }},
    Option{"--stop", [](WindowOptions& o, const char* value) { o.stop = value; }},
    Option{"--trouble", [](WindowOptions& o, const char* value) { o.trouble = value; }},
    Option{"--report", [](WindowOptions& o, const char* value) { o.report = value; }},
};

}  // namespace

// The program in a browser page. page.js passes the parameters of the page's address. main()
// returns at once, and the browser then requests each frame. So the pool is never deleted.
int main(int argc, char** argv) {
    using namespace headlight;
    use_pool(new ThreadPool);
    WindowOptions options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const auto option = std::ranges::find(kOptions, word, &Option::name);
        if (option == kOptions.end())
            options.files.emplace_back(word);
        else if (++i < argc)
            option->set(options, argv[i]);
    }
    try {
        platform::run_window(options);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
