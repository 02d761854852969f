#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "kernels/stop.h"
#include "tasks/background_task.h"

namespace headlight {

// Counts how often any LatestTask has finished a question. It grows before that task reports that
// it is idle. If a caller finds it unchanged after checking several tasks, it saw a consistent
// state: no answer without its task idle, and no idle task without its answer.
inline std::atomic<std::uint64_t> answers_given{0};

// Answers questions in a background task. Of waiting questions, only the newest is answered. A
// running one is finished even if a newer one waits, so that answers keep coming during a drag; it
// is given up if it takes too long. The last answer stays until there is another.
template <class Question, class Answer>
class LatestTask {
  public:
    struct Said {
        Question question;
        Answer answer{};
        std::string error{};  // one sentence; empty if answered
    };
    // Called on the task's thread. It may report its progress, 0..1, and should stop when told to.
    using Find = std::function<Answer(const Question&, std::atomic<float>&, const StopFlag&)>;

    // patience: how long a question keeps running while a newer one waits. wake: called from the
    // task's thread when there is an answer.
    explicit LatestTask(Find find,
                        std::chrono::milliseconds patience = std::chrono::milliseconds(100),
                        std::function<void()> wake = {})
        : find_(std::move(find)),
          patience_(patience),
          wake_(std::move(wake)),
          task_([this] { return slice(); }) {}
    ~LatestTask() {
        const std::lock_guard lock(guard_);
        waiting_.reset();
        give_up_ = true;
    }
    LatestTask(const LatestTask&) = delete;
    LatestTask& operator=(const LatestTask&) = delete;

    // Does nothing if this is the last question asked.
    void ask(const Question& question) {
        {
            const std::lock_guard lock(guard_);
            if (asked_ == question) return;
            asked_ = waiting_ = question;
            newer_ = true;
        }
        task_.poke();
    }
    // Cancels all questions; the last answer stays.
    void cancel() {
        const std::lock_guard lock(guard_);
        asked_ = said_ ? std::optional(said_->question) : std::nullopt;
        waiting_.reset();
        give_up_ = true;
    }

    // Null before the first answer.
    [[nodiscard]] std::shared_ptr<const Said> last() const {
        const std::lock_guard lock(guard_);
        return said_;
    }
    [[nodiscard]] bool busy() const {
        const std::lock_guard lock(guard_);
        return working_ || waiting_;
    }
    [[nodiscard]] float progress() const { return progress_; }

  private:
    bool slice() {
        Said said;
        {
            const std::lock_guard lock(guard_);
            if (!waiting_) return false;
            said.question = *std::exchange(waiting_, std::nullopt);
            working_ = true;
            give_up_ = newer_ = false;
            progress_ = 0;
        }
        bool answered = true;
        const auto began = std::chrono::steady_clock::now();
        const StopFlag stop = [&] {
            return give_up_ || (newer_ && std::chrono::steady_clock::now() - began >= patience_);
        };
        try {
            said.answer = find_(said.question, progress_, stop);
        } catch (const Stopped&) {
            answered = false;
        } catch (const std::exception& error) {
            said.error = error.what();
        }
        {
            const std::lock_guard lock(guard_);
            working_ = false;
            ++answers_given;
            if (answered) said_ = std::make_shared<const Said>(std::move(said));
        }
        if (answered && wake_) wake_();
        return true;
    }

    Find find_;
    std::chrono::milliseconds patience_;
    std::function<void()> wake_;
    mutable std::mutex guard_;  // guards the next four
    std::optional<Question> asked_, waiting_;
    std::shared_ptr<const Said> said_;
    bool working_ = false;
    std::atomic<bool> give_up_{false}, newer_{false};
    std::atomic<float> progress_{0};
    BackgroundTask task_;  // last member: starts when all others exist
};

}  // namespace headlight
