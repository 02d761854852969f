#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "tasks/background_task.h"

namespace headlight {

// Computes products by key in a background task. The last request is served first, because it is
// the one on the screen.
template <class Key, class Product>
class BackgroundResults {
  public:
    // Must not throw. It may run after the requesting frame has ended, so it must own what it uses.
    using Make = std::function<Product()>;

    // `wake` is called from the background thread after each product; it may be empty.
    explicit BackgroundResults(std::function<void()> wake) : wake_(std::move(wake)) {}

    void ask(const Key& key, Make make) {
        {
            const std::lock_guard lock(guard_);
            asked_.emplace_back(key, std::move(make));
        }
        task_.poke();
    }
    // All products finished since the last call.
    std::vector<std::pair<Key, Product>> take() {
        const std::lock_guard lock(guard_);
        return std::exchange(made_, {});
    }
    // Drops waiting requests except those for which `wanted` is true.
    void keep(const std::function<bool(const Key&)>& wanted) {
        const std::lock_guard lock(guard_);
        std::erase_if(asked_, [&](const auto& job) { return !wanted(job.first); });
    }
    // Whether something is waiting, running, or ready to be taken.
    [[nodiscard]] bool busy() const {
        const std::lock_guard lock(guard_);
        return making_ || !asked_.empty() || !made_.empty();
    }

  private:
    bool make_next() {
        std::pair<Key, Make> job;
        {
            const std::lock_guard lock(guard_);
            if (asked_.empty()) return false;
            job = std::move(asked_.back());
            asked_.pop_back();
            making_ = true;
        }
        Product product = job.second();
        job.second = nullptr;  // releases what it kept alive before the result is visible
        {
            const std::lock_guard lock(guard_);
            made_.emplace_back(job.first, std::move(product));
            making_ = false;
        }
        if (wake_) wake_();
        return true;
    }

    std::function<void()> wake_;
    mutable std::mutex guard_;  // guards all that follows
    std::vector<std::pair<Key, Make>> asked_;
    std::vector<std::pair<Key, Product>> made_;
    bool making_ = false;
    BackgroundTask task_{[this] { return make_next(); }};  // last member: starts last
};

}  // namespace headlight
