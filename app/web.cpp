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
    std::string WindowOptions::*value;
};
constexpr std::array kOptions{
    Option{"--theme", &WindowOptions::theme}, Option{"--link", &WindowOptions::link},
    Option{"--stop", &WindowOptions::stop}, Option{"--trouble", &WindowOptions::trouble}};

}  // namespace

// The program in a page. page.js calls this with what the page's address asks for; main() returns
// at once, and the browser calls for frames from then on. So nothing here ever ends.
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
            options.*option->value = argv[i];
    }
    try {
        platform::run_window(options);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
