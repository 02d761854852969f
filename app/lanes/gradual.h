#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "lanes/newest.h"

namespace headlight {

// As Newest, where an answer takes long and grows: what is known by then can be looked at, and
// stays where it is cancelled.
template <class Question, class Answer>
class Gradual {
  public:
    struct Said {
        Question question;
        Answer answer{};
        std::string error{};  // one sentence; empty: answered, as far as it is
        bool whole = false;
    };
    // Says what is known so far; called on the lane.
    using Tell = std::function<void(Answer)>;
    using Find =
        std::function<Answer(const Question&, const Tell&, std::atomic<float>&, const StopFlag&)>;

    explicit Gradual(Find find)
        : find_(std::move(find)),
          newest_([this](const Question& question, std::atomic<float>& progress,
                         const StopFlag& stop) { return answer(question, progress, stop); }) {}

    void ask(const Question& question) { newest_.ask(question); }
    void cancel() { newest_.cancel(); }
    [[nodiscard]] bool busy() const { return newest_.busy(); }
    [[nodiscard]] float progress() const { return newest_.progress(); }
    // Null before anything is known.
    [[nodiscard]] std::shared_ptr<const Said> last() const {
        const std::lock_guard lock(guard_);
        return said_;
    }

  private:
    struct Nothing {};

    void say(Said said) {
        auto news = std::make_shared<const Said>(std::move(said));
        const std::lock_guard lock(guard_);
        said_ = std::move(news);
    }
    Nothing answer(const Question& question, std::atomic<float>& progress, const StopFlag& stop) {
        const Tell tell = [&](Answer part) { say({question, std::move(part), {}, false}); };
        try {
            say({question, find_(question, tell, progress, stop), {}, true});
        } catch (const Stopped&) {
            throw;
        } catch (const std::exception& error) {
            say({question, {}, error.what(), true});
        }
        return {};
    }

    Find find_;
    mutable std::mutex guard_;  // of the next
    std::shared_ptr<const Said> said_;
    Newest<Question, Nothing> newest_;  // last: its lane ends before the rest
};

}  // namespace headlight
