#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/stop.h"

// What is computed in the background because a screen asks for it: a study answers questions of
// one kind, and Studies answers those of all studies on one pool of threads.
namespace headlight {

// The answer to the last question that was answered.
template <class Question, class Answer>
struct Said {
    Question question;
    Answer answer{};
    std::string error{};  // one sentence; empty: answered
    bool whole = true;    // false: more of the answer is on its way
};

// What a computation is given beside its question.
template <class Answer>
struct StudyRun {
    std::atomic<float>& progress;         // 0..1
    const StopFlag& stop;                 // it ends with Stopped soon after this is true
    std::function<void(Answer)> publish;  // shows the part of the answer that is known

    // Sets `progress` for work that is `share` of the whole and begins when `from` is done.
    [[nodiscard]] std::function<void(float)> watch(float from = 0, float share = 1) const {
        return [this, from, share](float part) { progress = from + share * part; };
    }
};

// A row: how questions of one kind are answered. Its address is the key of its answers.
template <class Q, class A>
struct Study {
    using Question = Q;
    using Answer = A;
    using Said = headlight::Said<Q, A>;
    using Run = StudyRun<A>;

    // Called on a thread of the pool, never twice at once. Each Studies has a copy of its own,
    // which may remember what it needs for the next question.
    std::function<A(const Q&, const Run&)> compute;
    bool takes_long = false;     // seconds: leaves a thread to what is answered at once
    bool in_background = false;  // continues after its screen is left
    // How long a question is answered although a newer one waits: so answers come while something
    // is dragged.
    std::chrono::milliseconds patience{100};
};

class Studies {
  public:
    // wake: called from the pool when there is an answer.
    explicit Studies(std::function<void()> wake = {});
    ~Studies();  // waits until what is computed has stopped
    Studies(const Studies&) = delete;
    Studies& operator=(const Studies&) = delete;

    // Asks a question, and returns the last answer, which may belong to an earlier one. Null before
    // the first answer. The same question is not asked twice in a row. A newer question replaces
    // one that still waits.
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
    // The last answer. It counts as asked for again, so what is computed goes on.
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
    // Nothing is wanted any more; the last answer stays.
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

    // Something that was asked for in this frame or the last one is being computed.
    [[nodiscard]] bool busy() const;
    // What was not asked for since the last call is given up, except in the background.
    void end_frame();
    // How often a computation has ended, or a part of its answer has come. It grows before that
    // study says that it is idle.
    [[nodiscard]] std::uint64_t answers() const { return answers_; }

  private:
    struct Desk {
        virtual ~Desk() = default;
        virtual void begin() = 0;  // takes the question that waits; the lock is held
        virtual bool compute(Studies& studies) = 0;  // whether it was answered; it is not held
        virtual void end(bool answered) = 0;         // it is held
        virtual void forget() = 0;                   // what was said before; it is not held
        virtual void cancel() = 0;                   // it is held

        bool takes_long = false, in_background = false;
        std::chrono::milliseconds patience{};
        bool wanted = false, was_wanted = false, waits = false, working = false;
        std::uint64_t ticket = 0;  // of the question that waits
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
                    if (give_up) return;  // what was asked before counts as asked
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
    void work();

    std::function<void()> wake_;
    mutable std::mutex guard_;  // of the next five
    std::map<const void*, std::unique_ptr<Desk>> desks_;
    std::uint64_t tickets_ = 0;
    int long_ones_ = 0;  // that are being computed
    bool quit_ = false;
    std::condition_variable changed_;
    std::atomic<std::uint64_t> answers_{0};
    std::vector<std::thread> threads_;  // last: they start when all else is ready
};

}  // namespace headlight
