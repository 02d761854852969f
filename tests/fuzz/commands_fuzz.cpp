#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include "../state/files.h"
#include "fuzz.h"
#include "state/fields.h"
#include "state/session.h"
#include "state/workspace.h"

// The program without its window executes arbitrary lines: each succeeds or is refused, the
// selection is valid for the trace, undo and redo are consistent, and a session stores everything.
namespace {

using namespace headlight;

constexpr int kMostLines = 64;
// Time limit per input; a matrix of thousands of patches would take minutes here.
constexpr std::chrono::milliseconds kPatience{20};

State small_state() {
    State state;
    state.recipe.image = "a.ppm";
    state.recipe.image_height = state.recipe.image_width = 32;
    state.recipe.channels = 8;
    return state;
}

File read_test_file(const std::string& path) {
    static const FileReader files = testing::test_files();
    return files(std::filesystem::path(path).filename().string());
}

void expect_sound(const Workspace& work) {
    if (work.trace() == nullptr) return;
    const Trace& trace = work.state().look.compare == Compare::before && work.pinned_trace()
                             ? *work.pinned_trace()
                             : *work.trace();
    const Selection& s = work.state().selection;
    fuzz::promise(s.head >= 0 && s.head < trace.shape.heads, "a head that there is");
    fuzz::promise(!s.token || (*s.token >= 0 && *s.token < trace.shape.queries),
                  "a token that there is");
    fuzz::promise(trace.has(s.step), "a step that there is");
    fuzz::promise(!s.shape || (work.state().recipe.scene &&
                               std::cmp_less(*s.shape, work.state().recipe.scene->shapes.size())),
                  "a shape that there is");
}

void let_compute(Workspace& work) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    do {
        work.update(0.05);
        expect_sound(work);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    } while (work.busy() && std::chrono::steady_clock::now() < until);
}

void say(Workspace& work, std::string_view line) {
    Command command;
    try {
        command = parse_command(line);
        fuzz::promise(parse_command(to_text(command)) == command, "the same command again");
    } catch (const CommandError&) {
        return;
    }
    const bool done = work.apply(command);
    fuzz::promise(done || !work.notice().text.empty(), "a reason for what is not done");
    expect_sound(work);
}

void expect_kept(const Workspace& work) {
    const State chosen = work.chosen();
    const std::string text = to_json(chosen);
    // A path that is not UTF-8 cannot be stored unchanged.
    if (text.find("\xEF\xBF\xBD") != std::string::npos) return;
    fuzz::promise(from_json(text, "session") == chosen, "the same session again");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    Workspace work(small_state(), read_test_file, {});
    for (int i = 0; i < kMostLines && !rest.empty(); ++i) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        say(work, line);
        let_compute(work);
        expect_kept(work);
    }
    while (work.can_undo()) say(work, "undo");
    while (work.can_redo()) say(work, "redo");
    let_compute(work);
    return 0;
}
