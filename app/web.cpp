#include <algorithm>
#include <array>
#include <iostream>
#include <string>
#include <string_view>

#include "kernels/parallel.h"
#include "platform/web/suspender.h"
#include "script/shot.h"
#include "start/loop.h"
#include "tasks/background_task.h"
#include "tasks/suspender.h"

namespace {

using namespace headlight;

struct Options {
    bool threads = true;
    app::WindowOptions window;
    app::ShotOptions shot;  // with a script: plays it instead
};
struct Option {
    std::string_view name;
    void (*set)(Options&, const char*);
};
constexpr std::array kOptions{
    Option{"--threads",
           [](Options& o, const char* value) { o.threads = std::string_view(value) != "no"; }},
    Option{"--theme", [](Options& o, const char* value) { o.window.theme = value; }},
    Option{"--link", [](Options& o, const char* value) { o.window.link = value; }},
    Option{"--stop", [](Options& o, const char* value) { o.window.stop = value; }},
    Option{"--trouble", [](Options& o, const char* value) { o.window.trouble = value; }},
    Option{"--report", [](Options& o, const char* value) { o.window.report = value; }},
    Option{"--script", [](Options& o, const char* value) { o.shot.script = value; }},
    Option{"--out", [](Options& o, const char* value) { o.shot.out = value; }},
};

}  // namespace

// The program in a browser page. page.js passes the parameters of the page's address. main()
// returns at once, and the browser then requests each frame. So the pool is never deleted.
int main(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const auto option = std::ranges::find(kOptions, word, &Option::name);
        if (option == kOptions.end())
            options.window.files.emplace_back(word);
        else if (++i < argc)
            option->set(options, argv[i]);
    }
    if (options.threads) {
        use_pool(new ThreadPool);
    } else {
        set_tasks_run_between_frames(true);
        suspend_slices(app::page_suspender());
    }
    try {
        if (options.shot.script.empty())
            app::run_window(options.window);
        else
            app::run_shot(options.shot);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
