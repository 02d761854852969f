#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/stop.h"
#include "tasks/background_task.h"

// Background computations that a screen asks for. A study answers one kind of question; Studies
// runs all of them on one pool of background tasks.
namespace headlight {

// The last answer, and the question that it belongs to.
template <class Question, class Answer>
struct Said {
    Question question;
    Answer answer{};
    std::string error{};  // one sentence; empty if answered
    bool whole = true;    // false: more of the answer will follow
};

// What a computation is given besides its question.
template <class Answer>
struct StudyRun {
    std::atomic<float>& progress;         // 0..1
    const StopFlag& stop;                 // throw Stopped soon after this becomes true
    std::function<void(Answer)> publish;  // shows a partial answer

    // Sets `progress` for work that is `share` of the whole and begins when `from` is done.
    [[nodiscard]] std::function<void(float)> watch(float from = 0, float share = 1) const {
        return [this, from, share](float part) { progress = from + share * part; };
    }
};

// How questions of one kind are answered. The address of a Study is the key of its answers.
template <class Q, class A>
struct Study {
    using Question = Q;
    using Answer = A;
    using Said = headlight::Said<Q, A>;
    using Run = StudyRun<A>;

    // Called by a task of the pool, never concurrently. Each Studies has its own copy, which may
    // cache data for the next question.
    std::function<A(const Q&, const Run&)> compute;
    bool takes_long = false;     // takes seconds: leaves a task free for quick studies
    bool in_background = false;  // continues after its screen is left
    // How long a question keeps running while a newer one waits, so that answers keep coming during
    // a drag.
    std::chrono::milliseconds patience{100};
};

class Studies {
  public:
    // wake: called from the pool when there is an answer.
    explicit Studies(std::function<void()> wake = {});
    ~Studies();  // waits until all computations have stopped
    Studies(const Studies&) = delete;
    Studies& operator=(const Studies&) = delete;

    // Asks a question and returns the last answer, which may belong to an earlier one. Null before
    // the first answer. Repeating the last question does nothing. A newer question replaces a
    // waiting one.
    template <class Q, class A>
    std::shared_ptr<const Said<Q, A>> ask(const Study<Q, A>& study, const Q& question) {
        TypedDesk<Q, A>& desk = desk_of(study);
        const std::lock_guard lock(guard_);
        desk.wanted = true;
        if (!(desk.asked == question)) {
            desk.asked = desk.waiting = question;
            desk.newer = true;
            enqueue(desk);
        }
        return desk.said;
    }
    // The last answer. Counts as asking again, so the computation continues.
    template <class Q, class A>
    std::shared_ptr<const Said<Q, A>> keep(const Study<Q, A>& study) {
        TypedDesk<Q, A>& desk = desk_of(study);
        const std::lock_guard lock(guard_);
        desk.wanted = true;
        return desk.said;
    }
    template <class Q, class A>
    std::shared_ptr<const Said<Q, A>> last(const Study<Q, A>& study) const {
        const std::lock_guard lock(guard_);
        const Desk* desk = find(&study);
        return desk == nullptr ? nullptr : static_cast<const TypedDesk<Q, A>*>(desk)->said;
    }
    // Cancels the question; the last answer stays.
    template <class Q, class A>
    void cancel(const Study<Q, A>& study) {
        cancel_desk(&study);
    }
    template <class Q, class A>
    [[nodiscard]] bool busy(const Study<Q, A>& study) const {
        return is_busy(&study);
    }
    template <class Q, class A>
    [[nodiscard]] float progress(const Study<Q, A>& study) const {
        return progress_of(&study);
    }

    // Whether something requested in this frame or the last one is being computed.
    [[nodiscard]] bool busy() const;
    // Gives up what was not requested since the last call, except background studies.
    void end_frame();
    // Counts finished computations and partial answers. It grows before the study reports that it
    // is idle.
    [[nodiscard]] std::uint64_t answers() const { return answers_; }

  private:
    struct Desk {
        virtual ~Desk() = default;
        virtual void begin() = 0;                    // takes the waiting question; the lock is held
        virtual bool compute(Studies& studies) = 0;  // answered? Without the lock
        virtual void end(bool answered) = 0;         // the lock is held
        virtual void forget() = 0;                   // drops the previous answer; without the lock
        virtual void cancel() = 0;                   // the lock is held

        bool takes_long = false, in_background = false;
        std::chrono::milliseconds patience{};
        bool wanted = false, was_wanted = false, waits = false, working = false;
        std::uint64_t ticket = 0;  // of the waiting question
        std::atomic<bool> give_up{false}, newer{false};
        std::atomic<float> progress{0};
    };

    template <class Q, class A>
    struct TypedDesk : Desk {
        std::function<A(const Q&, const StudyRun<A>&)> answer;
        std::optional<Q> asked, waiting;
        std::shared_ptr<const Said<Q, A>> said, next;

        void begin() override {
            next = std::make_shared<const Said<Q, A>>(
                Said<Q, A>{*std::exchange(waiting, std::nullopt)});
        }
        bool compute(Studies& studies) override {
            const auto began = std::chrono::steady_clock::now();
            const StopFlag stop = [&] {
                return give_up || (newer && std::chrono::steady_clock::now() - began >= patience);
            };
            auto found = std::make_shared<Said<Q, A>>(*next);
            const auto publish = [&](A part) {
                auto news = std::make_shared<const Said<Q, A>>(
                    Said<Q, A>{next->question, std::move(part), {}, false});
                {
                    const std::lock_guard lock(studies.guard_);
                    if (give_up) return;  // the previous question still counts as asked
                    said.swap(news);
                }
                ++studies.answers_;
            };
            try {
                found->answer = answer(found->question, {progress, stop, publish});
            } catch (const Stopped&) {
                return false;
            } catch (const std::exception& error) {
                found->error = error.what();
            }
            next = std::move(found);
            return true;
        }
        void end(bool answered) override {
            if (answered) said.swap(next);
            if (answered && !waiting) asked = said->question;
        }
        void forget() override { next.reset(); }
        void cancel() override {
            waiting.reset();
            asked = said && said->whole ? std::optional(said->question) : std::nullopt;
        }
    };

    template <class Q, class A>
    TypedDesk<Q, A>& desk_of(const Study<Q, A>& study) {
        const std::lock_guard lock(guard_);
        std::unique_ptr<Desk>& desk = desks_[&study];
        if (!desk) {
            auto made = std::make_unique<TypedDesk<Q, A>>();
            made->answer = study.compute;
            made->takes_long = study.takes_long;
            made->in_background = study.in_background;
            made->patience = study.patience;
            desk = std::move(made);
        }
        return static_cast<TypedDesk<Q, A>&>(*desk);
    }

    [[nodiscard]] const Desk* find(const void* study) const;
    void enqueue(Desk& desk);
    static void give_up(Desk& desk);
    void cancel_desk(const void* study);
    [[nodiscard]] bool is_busy(const void* study) const;
    [[nodiscard]] float progress_of(const void* study) const;
    [[nodiscard]] Desk* next();
    bool work();  // computes one question; returns false if there is none

    std::function<void()> wake_;
    mutable std::mutex guard_;  // guards the next four
    std::map<const void*, std::unique_ptr<Desk>> desks_;
    std::uint64_t tickets_ = 0;
    int long_ones_ = 0;  // long computations that are running
    std::atomic<std::uint64_t> answers_{0};
    std::vector<std::unique_ptr<BackgroundTask>> tasks_;  // last member: its tasks end first
};

}  // namespace headlight
