#include "tasks/background_task.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace headlight {

namespace {

bool between_frames = false;
std::vector<BackgroundTask*> tasks_between_frames;  // the next one first

}  // namespace

void set_tasks_run_between_frames(bool on) { between_frames = on; }
bool tasks_run_between_frames() { return between_frames; }

void let_tasks_work(std::chrono::milliseconds time) {
    if (!between_frames) return std::this_thread::sleep_for(time);
    const auto until = std::chrono::steady_clock::now() + time;
    for (std::size_t idle = 0; idle < tasks_between_frames.size();) {
        std::ranges::rotate(tasks_between_frames, tasks_between_frames.begin() + 1);
        const bool worked = tasks_between_frames.back()->run_slice();
        if (worked && std::chrono::steady_clock::now() >= until) return;
        idle = worked ? 0 : idle + 1;
    }
}

BackgroundTask::BackgroundTask(std::function<bool()> slice) : slice_(std::move(slice)) {
    if (between_frames)
        tasks_between_frames.push_back(this);
    else
        thread_ = std::thread([this] { loop(); });
}

BackgroundTask::~BackgroundTask() {
    if (!thread_.joinable()) {
        std::erase(tasks_between_frames, this);
        return;
    }
    {
        const std::lock_guard lock(guard_);
        quit_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void BackgroundTask::poke() {
    {
        const std::lock_guard lock(guard_);
        poked_ = true;
    }
    changed_.notify_all();
}

void BackgroundTask::loop() {
    std::unique_lock lock(guard_);
    for (;;) {
        changed_.wait(lock, [this] { return quit_ || poked_; });
        if (quit_) return;
        poked_ = false;
        lock.unlock();
        const bool more = slice_();
        lock.lock();
        poked_ = poked_ || more;
    }
}

bool BackgroundTask::run_slice() {
    if (!std::exchange(poked_, false)) return false;
    if (slice_()) poked_ = true;
    return true;
}

}  // namespace headlight
