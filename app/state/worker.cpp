#include "state/worker.h"

#include <exception>
#include <new>
#include <utility>

namespace headlight {

namespace {

// A run shorter than this is worth finishing even when a newer request waits: while a slider is
// dragged, its picture follows.
constexpr std::chrono::milliseconds kWorthFinishing{250};

// One sentence for the exception being handled.
std::string what_went_wrong() {
    std::string sentence;
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return "There is not enough memory for this: choose a smaller image, larger patches or "
               "fewer heads.";
    } catch (const std::exception& e) {
        sentence = e.what();
    } catch (...) {
        sentence.clear();
    }
    return sentence.empty() ? "The computation failed for an unknown reason." : sentence;
}

}  // namespace

Worker::Worker(FileReader read_file, std::function<void()> wake)
    : runner_(std::move(read_file)), wake_(std::move(wake)), thread_([this] { loop(); }) {}

Worker::~Worker() {
    {
        const std::lock_guard lock(guard_);
        quit_ = true;
        stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Worker::request(const Recipe& recipe) {
    {
        const std::lock_guard lock(guard_);
        waiting_ = recipe;
        newer_waits_ = true;
    }
    changed_.notify_all();
}

void Worker::cancel() {
    const std::lock_guard lock(guard_);
    // One answer is enough: the run's own when it stops, or this one when nothing runs yet.
    if (working_) {
        stop_ = true;
    } else if (waiting_) {
        Finished dropped;
        dropped.recipe = *waiting_;
        dropped.cancelled = true;
        publish(std::move(dropped));
    }
    waiting_.reset();
    newer_waits_ = false;
}

std::optional<Finished> Worker::poll() {
    const std::lock_guard lock(guard_);
    if (finished_.empty()) return std::nullopt;
    Finished oldest = std::move(finished_.front());
    finished_.erase(finished_.begin());
    return oldest;
}

bool Worker::busy() const {
    const std::lock_guard lock(guard_);
    return working_ || waiting_ || !finished_.empty();
}

float Worker::progress() const { return progress_; }

std::chrono::milliseconds Worker::running_for() const {
    const std::lock_guard lock(guard_);
    if (!working_) return std::chrono::milliseconds(0);
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_);
}

void Worker::loop() {
    while (const std::optional<Recipe> recipe = next()) {
        std::optional<Finished> result = compute(*recipe);
        {
            const std::lock_guard lock(guard_);
            working_ = false;
            given_up_ = !result;
            if (result) publish(std::move(*result));
        }
        if (!given_up_ && wake_) wake_();
    }
}

std::optional<Recipe> Worker::next() {
    std::unique_lock lock(guard_);
    changed_.wait(lock, [this] { return quit_ || waiting_; });
    if (quit_) return std::nullopt;
    std::optional<Recipe> recipe = std::exchange(waiting_, std::nullopt);
    newer_waits_ = false;
    stop_ = false;
    progress_ = 0;
    working_ = true;
    if (!given_up_) started_ = Clock::now();
    return recipe;
}

std::optional<Finished> Worker::compute(const Recipe& recipe) {
    Finished result;
    result.recipe = recipe;
    Step at = Step::image;
    try {
        run_steps(recipe, at);
        result.trace = runner_.last();
        summary_ = summarise(*result.trace, summary_.get());
        result.summary = summary_;
    } catch (const Stopped&) {
        if (!stop_) return std::nullopt;
        result.cancelled = true;
    } catch (...) {
        result.error = what_went_wrong();
        result.failed_at = at;
    }
    return result;
}

void Worker::run_steps(const Recipe& recipe, Step& at) {
    const auto begin = Clock::now();
    const StopFlag stop = [this, begin] {
        return stop_ || (newer_waits_ && Clock::now() - begin > kWorthFinishing);
    };
    if (done_) at = first_changed_step(*done_, recipe).value_or(Step::image);
    runner_.begin(recipe);
    while (runner_.advance(stop)) {
        at = static_cast<Step>(static_cast<int>(at) + 1);
        progress_ = runner_.progress();
    }
    progress_ = 1;
    done_ = recipe;
}

// With guard_ locked.
void Worker::publish(Finished result) {
    // A trace outdates all that nobody has looked at yet; a failure only failures, so that the
    // trace before it is not lost.
    while (!finished_.empty() && (result.trace || !finished_.back().trace)) finished_.pop_back();
    finished_.push_back(std::move(result));
}

}  // namespace headlight
