#include "tasks/background_task.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/between_blocks.h"
#include "tasks/suspender.h"

namespace headlight {

namespace {

using Clock = std::chrono::steady_clock;

bool between_frames = false;
std::vector<BackgroundTask*> tasks_between_frames;  // the next one first

Suspender* suspender_of_slices = nullptr;
void* running = nullptr;             // the task whose slice runs and can be suspended
std::vector<const void*> suspended;  // tasks
std::chrono::milliseconds slice_time{};
Clock::time_point slice_end;

}  // namespace

void set_tasks_run_between_frames(bool on) { between_frames = on; }
bool tasks_run_between_frames() { return between_frames; }

void let_tasks_work(std::chrono::milliseconds time) {
    if (!between_frames) return std::this_thread::sleep_for(time);
    slice_time = time;
    slice_end = Clock::now() + time;
    for (std::size_t idle = 0; idle < tasks_between_frames.size();) {
        std::ranges::rotate(tasks_between_frames, tasks_between_frames.begin() + 1);
        BackgroundTask* const task = tasks_between_frames.back();
        // It has all of the time.
        if (std::ranges::count(suspended, task) > 0) return suspender_of_slices->resume(task);
        const bool worked = task->run_slice();
        if (worked && Clock::now() >= slice_end) return;
        idle = worked ? 0 : idle + 1;
    }
}

void suspend_slices(Suspender* suspender) {
    suspender_of_slices = suspender;
    set_between_blocks(suspender == nullptr ? nullptr : let_frames_pass);
}

void let_frames_pass() {
    if (running == nullptr || Clock::now() < slice_end) return;
    void* const task = std::exchange(running, nullptr);
    suspended.push_back(task);
    suspender_of_slices->suspend(task);
    std::erase(suspended, task);
    running = task;
    slice_end = Clock::now() + slice_time;
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
        std::erase(suspended, this);
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
    const auto run = [](void* key) {
        auto& task = *static_cast<BackgroundTask*>(key);
        running = suspender_of_slices == nullptr ? nullptr : key;
        if (task.slice_()) task.poked_ = true;
        running = nullptr;
    };
    if (suspender_of_slices == nullptr)
        run(this);
    else
        suspender_of_slices->start(run, this);
    return true;
}

}  // namespace headlight
