#include "lecture/offscreen_lesson.h"

#include <chrono>
#include <thread>

#include "assets/assets.h"
#include "disk/files.h"
#include "disk/read_file.h"
#include "frame/scales.h"
#include "platform/fonts.h"
#include "state/first_state.h"

namespace headlight::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kLongestWait{2};
constexpr int kFrames = 3;  // some parts appear only after an earlier frame asked for them

void pause(Clock::time_point until) {
    if (Clock::now() >= until) throw CommandError("The computation did not end in time.");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

OffscreenLesson::OffscreenLesson(const std::filesystem::path& file)
    : ui_(font_paths()),
      work_(first_state(), read_file, [] {}),
      reader_(work_, assets::directory(), first_state()) {
    ui_.record(&recording_, ui::Context::Paint::no);
    content_.set_reader(&reader_);
    settle();
    work_.command_table().obey(command("lesson", file.string()));
}

void OffscreenLesson::settle() {
    const auto until = Clock::now() + kLongestWait;
    for (;;) {
        work_.update(0);
        reader_.update();
        if (!work_.busy() && !reader_.busy() && !content_.busy()) return;
        (void)content_.take_made();
        pause(until);
    }
}

void OffscreenLesson::draw() {
    const Look& look = work_.state().look;
    const auto scales = screens::scales_for(look, 1, kWindow.w, kWindow.h);
    ui_.begin(screens::palette_for(look), scales.unit, scales.text, scales.sentence);
    ImGui::GetIO().DisplaySize = {kWindow.w, kWindow.h};
    ImGui::NewFrame();
    ui_.start_frame();
    content_.draw(ui_, work_, kWindow);
    ImGui::Render();
    ui_.end();
}

void OffscreenLesson::describe() {
    const auto until = Clock::now() + kLongestWait;
    for (int i = 0; i < kFrames || ui_.work_awaited(); ++i) {
        if (i >= kFrames) pause(until);
        draw();
        settle();
    }
}

void OffscreenLesson::go_to(std::size_t stop) {
    work_.command_table().obey(command("lesson-stop", std::to_string(stop + 1)));
    settle();
}

}  // namespace headlight::app
