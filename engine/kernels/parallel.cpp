#include "kernels/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace headlight {

namespace {

std::atomic<int> chosen_threads{0};

// One call of parallel_for; it lives on its caller's stack.
class Job {
  public:
    Job(Index count, const std::function<void(Index)>& body) : count_(count), body_(body) {}

    void work() {
        for (Index i = next_++; i < count_; i = next_++) {
            try {
                body_(i);
            } catch (...) {
                const std::scoped_lock lock(guard_);
                if (!failure_) failure_ = std::current_exception();
                next_ = count_;  // nobody starts another body
            }
        }
    }
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

    int places = 0;  // for helpers who have not come yet; both guarded by the crew
    int inside = 0;  // helpers at work

  private:
    Index count_;
    const std::function<void(Index)>& body_;
    std::atomic<Index> next_{0};
    std::mutex guard_;
    std::exception_ptr failure_;
};

// Threads that wait for jobs. The caller works along and waits only for helpers who have begun: on
// a machine that is busy with something else (a software renderer, say) nobody waits for a thread
// that gets no time, as one would at OpenMP's barrier.
class Crew {
  public:
    void run(Job& job, int helpers) {
        {
            const std::scoped_lock lock(guard_);
            job.places = std::min(helpers, hire(helpers));
            if (job.places > 0) open_.push_back(&job);
        }
        wake_.notify_all();
        job.work();
        std::unique_lock lock(guard_);
        std::erase(open_, &job);
        left_.wait(lock, [&] { return job.inside == 0; });
    }

  private:
    // How many there are then: a system that is short of memory gives no more threads.
    int hire(int helpers) {
        try {
            for (; size_ < helpers; ++size_) std::thread([this] { serve(); }).detach();
        } catch (const std::system_error&) {
            return size_;
        }
        return size_;
    }

    void serve() {
        std::unique_lock lock(guard_);
        for (;;) {
            wake_.wait(lock, [&] { return !open_.empty(); });
            Job& job = *open_.front();
            if (--job.places == 0) open_.pop_front();
            ++job.inside;
            lock.unlock();
            job.work();
            lock.lock();
            if (--job.inside == 0) left_.notify_all();
        }
    }

    std::mutex guard_;
    std::condition_variable wake_, left_;
    std::deque<Job*> open_;  // with places left
    int size_ = 0;
};

Crew& crew() {
    // Never destroyed: its threads sleep in it until the process ends.
    static auto& everyone = *new Crew;
    return everyone;
}

}  // namespace

int threads() {
    const int chosen = chosen_threads.load();
    return chosen > 0 ? chosen : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void set_threads(int count) { chosen_threads = count; }

void parallel_for(Index count, const std::function<void(Index)>& body) {
    Job job(count, body);
    const int workers = static_cast<int>(std::min<Index>(threads(), count));
    if (workers > 1)
        crew().run(job, workers - 1);
    else
        job.work();
    job.rethrow();
}

void parallel_rows(Index total, Index block, const std::function<void(Index, Index)>& body) {
    parallel_for((total + block - 1) / block, [&](Index i) {
        const Index first = i * block;
        body(first, std::min(block, total - first));
    });
}

void parallel_cells(Index rows, Index cols, const std::function<void(Index, Index)>& body) {
    constexpr Index kCellsAtOnce = Index{1} << 15U;
    parallel_rows(rows, kCellsAtOnce / std::max<Index>(1, cols) + 1, body);
}

}  // namespace headlight
