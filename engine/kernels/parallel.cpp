#include "kernels/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "kernels/between_blocks.h"

namespace headlight {

namespace {

std::atomic<int> chosen_threads{0};
std::atomic<Workers*> workers_in_use{nullptr};

// One call of parallel_for; stored on its caller's stack.
class Job {
  public:
    Job(Index count, const std::function<void(Index)>& body) : count_(count), body_(body) {}

    void work(void (*after_each)() = nullptr) {
        for (Index i = next_++; i < count_; i = next_++) {
            try {
                body_(i);
                if (after_each != nullptr) after_each();
            } catch (...) {
                const std::scoped_lock lock(guard_);
                if (!failure_) failure_ = std::current_exception();
                next_ = count_;  // no further body starts
            }
        }
    }
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

    int places = 0;              // places left for helpers; guarded by the lock of Workers
    std::atomic<int> inside{0};  // helpers at work

  private:
    Index count_;
    const std::function<void(Index)>& body_;
    std::atomic<Index> next_{0};
    std::mutex guard_;
    std::exception_ptr failure_;
};

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Polls `done` for a short while and returns whether it became true. Waking a sleeping thread takes
// as long as a small product, and a forward pass starts some hundred jobs in quick succession.
template <class Done>
bool soon(const Done& done) {
    constexpr int kLooks = 64;  // between two readings of the clock
    constexpr std::chrono::microseconds kPatience{200};
    const auto begun = std::chrono::steady_clock::now();
    do {
        for (int i = 0; i < kLooks; ++i) {
            if (done()) return true;
            pause();
        }
        std::this_thread::yield();  // to a thread with work to do
    } while (std::chrono::steady_clock::now() - begun < kPatience);
    return done();
}

// Only held for about ten instructions; a mutex would put a second thread to sleep.
class SpinLock {
  public:
    void lock() {
        for (int i = 0; taken_.exchange(true, std::memory_order_acquire); ++i)
            i < 64 ? pause() : std::this_thread::yield();
    }
    void unlock() { taken_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool> taken_{false};
};

// Threads that sleep until a condition is true. The thread that makes it true calls wake(), which
// costs nothing if no thread sleeps.
class Sleepers {
  public:
    template <class Done>
    void sleep_until(const Done& done) {
        std::unique_lock lock(guard_);
        ++sleepers_;  // before checking `done`: wake() reads the counter after `done` became true
        wake_.wait(lock, done);
        --sleepers_;
    }
    void wake() {
        if (sleepers_ == 0) return;
        { const std::scoped_lock lock(guard_); }
        wake_.notify_all();
    }

  private:
    std::mutex guard_;
    std::condition_variable wake_;
    std::atomic<int> sleepers_{0};
};

}  // namespace

// The caller works too, and waits only for helpers that have started. On a machine busy with other
// work, such as a software renderer, it never waits for a thread that gets no time. At OpenMP's
// barrier it would.
class Workers {
  public:
    Workers() = default;
    ~Workers() {
        ending_ = true;
        helpers_.wake();
        for (std::thread& thread : threads_) thread.join();
    }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    void run(Job& job, int helpers) {
        job.places = std::min(helpers, hire(helpers));
        if (job.places > 0) {
            {
                const std::scoped_lock held(lock_);
                open_.push_back(&job);
            }
            ++waiting_;
            helpers_.wake();
        }
        job.work();
        {
            const std::scoped_lock held(lock_);
            if (std::erase(open_, &job) != 0) --waiting_;
        }
        const auto alone = [&] { return job.inside == 0; };
        if (!soon(alone)) callers_.sleep_until(alone);
    }

  private:
    // Returns the number of threads, which may be smaller: a system short of memory refuses new
    // threads.
    int hire(int helpers) {
        if (hired_ >= helpers) return hired_;
        const std::scoped_lock lock(hiring_);
        try {
            for (; hired_ < helpers; ++hired_) threads_.emplace_back([this] { serve(); });
        } catch (const std::system_error&) {
        } catch (const std::bad_alloc&) {
        }
        return hired_;
    }

    void serve() {
        const auto called = [this] { return waiting_ > 0 || ending_; };
        for (;;) {
            if (!soon(called)) helpers_.sleep_until(called);
            if (ending_) return;
            Job* job = enter();
            if (job == nullptr) continue;
            job->work();
            --job->inside;  // `job` may be destroyed from here on
            callers_.wake();
        }
    }

    // Takes a place in a job that has one left.
    Job* enter() {
        const std::scoped_lock held(lock_);
        if (open_.empty()) return nullptr;
        Job& job = *open_.front();
        if (--job.places == 0) {
            open_.pop_front();
            --waiting_;
        }
        ++job.inside;
        return &job;
    }

    SpinLock lock_;                // guards open_ and the places of its jobs
    std::deque<Job*> open_;        // jobs with places left
    std::atomic<int> waiting_{0};  // their number
    std::atomic<bool> ending_{false};
    Sleepers helpers_, callers_;
    std::mutex hiring_;
    std::atomic<int> hired_{0};
    std::vector<std::thread> threads_;
};

ThreadPool::ThreadPool() : workers_(std::make_unique<Workers>()) {}

ThreadPool::~ThreadPool() {
    Workers* own = workers_.get();
    workers_in_use.compare_exchange_strong(own, nullptr);
}

void use_pool(ThreadPool* pool) {
    workers_in_use = pool == nullptr ? nullptr : pool->workers_.get();
}

int threads() {
    const int chosen = chosen_threads.load();
    return chosen > 0 ? chosen : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void set_threads(int count) { chosen_threads = count; }

void parallel_for(Index count, const std::function<void(Index)>& body) {
    Job job(count, body);
    Workers* workers = workers_in_use;
    const int hands = static_cast<int>(std::min<Index>(threads(), count));
    if (workers != nullptr && hands > 1)
        workers->run(job, hands - 1);
    else
        job.work(between_blocks);
    job.rethrow();
}

void parallel_rows(Index total, Index block, const std::function<void(Index, Index)>& body) {
    parallel_for(ceil_div(total, block), [&](Index i) {
        const Index first = i * block;
        body(first, std::min(block, total - first));
    });
}

void parallel_cells(Index rows, Index cols, const std::function<void(Index, Index)>& body) {
    constexpr Index kCellsAtOnce = Index{1} << 14U;
    const Index blocks = std::clamp<Index>(rows * cols / kCellsAtOnce, 1, std::max<Index>(rows, 1));
    parallel_rows(rows, std::max<Index>(1, ceil_div(rows, blocks)), body);  // equal blocks
}

}  // namespace headlight
