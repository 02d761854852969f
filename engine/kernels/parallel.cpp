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

namespace headlight {

namespace {

std::atomic<int> chosen_threads{0};
std::atomic<Workers*> workers_in_use{nullptr};

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

    int places = 0;              // for helpers who have not come yet; guarded by the workers'
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

// Looks at `done` for a while; whether it became true. Waking a thread that sleeps takes as long as
// a small product, and a forward asks for some hundred of them one soon after the other.
template <class Done>
bool soon(const Done& done) {
    constexpr int kLooks = 64;  // between two looks at the clock
    constexpr std::chrono::microseconds kPatience{200};
    const auto begun = std::chrono::steady_clock::now();
    do {
        for (int i = 0; i < kLooks; ++i) {
            if (done()) return true;
            pause();
        }
        std::this_thread::yield();  // to a thread that has something to do
    } while (std::chrono::steady_clock::now() - begun < kPatience);
    return done();
}

// Held for some ten instructions only: a mutex would send its second comer to sleep.
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

// Threads that sleep until something is true. The thread that makes it true calls wake(), which
// costs nothing while no thread sleeps.
class Sleepers {
  public:
    template <class Done>
    void sleep_until(const Done& done) {
        std::unique_lock lock(guard_);
        ++sleepers_;  // before `done` is asked, for wake() reads it after making `done` true
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

// The caller works along and waits only for helpers who have begun: on a machine that is busy with
// something else (a software renderer, say) the caller does not wait for a thread that gets no time, as
// it would at OpenMP's barrier.
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
    // How many there are then: a system that is short of memory gives no more threads.
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
            --job->inside;  // the job may be gone from here on
            callers_.wake();
        }
    }

    // A job with a place left, which is taken.
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

    SpinLock lock_;                // of open_ and of the places of the jobs in it
    std::deque<Job*> open_;        // with places left
    std::atomic<int> waiting_{0};  // of them
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
    constexpr Index kCellsAtOnce = Index{1} << 14U;
    const Index blocks = std::clamp<Index>(rows * cols / kCellsAtOnce, 1, std::max<Index>(rows, 1));
    parallel_rows(rows, std::max<Index>(1, (rows + blocks - 1) / blocks), body);  // all alike
}

}  // namespace headlight
