#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "tasks/background_task.h"

namespace headlight {

// Makes things in a background task, to be taken when they are there. Of what is asked
// for the last is made first: that is looked at.
template <class Key, class Product>
class BackgroundResults {
  public:
    // Throws nothing. May be called when the frame that asked is over, so it keeps what it reads
    // alive.
    using Make = std::function<Product()>;

    // `wake` is called from its thread when something has been made; it may be empty.
    explicit BackgroundResults(std::function<void()> wake) : wake_(std::move(wake)) {}

    void ask(const Key& key, Make make) {
        {
            const std::lock_guard lock(guard_);
            asked_.emplace_back(key, std::move(make));
        }
        task_.poke();
    }
    // All that was made since.
    std::vector<std::pair<Key, Product>> take() {
        const std::lock_guard lock(guard_);
        return std::exchange(made_, {});
    }
    // What was asked for and not begun is dropped, but for what `wanted` says.
    void keep(const std::function<bool(const Key&)>& wanted) {
        const std::lock_guard lock(guard_);
        std::erase_if(asked_, [&](const auto& job) { return !wanted(job.first); });
    }
    // Something is to be made, or to be taken.
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
        job.second = nullptr;  // what it kept alive is let go before anybody hears of it
        {
            const std::lock_guard lock(guard_);
            made_.emplace_back(job.first, std::move(product));
            making_ = false;
        }
        if (wake_) wake_();
        return true;
    }

    std::function<void()> wake_;
    mutable std::mutex guard_;  // of all that follows
    std::vector<std::pair<Key, Make>> asked_;
    std::vector<std::pair<Key, Product>> made_;
    bool making_ = false;
    BackgroundTask task_{[this] { return make_next(); }};  // last: starts when all else is ready
};

}  // namespace headlight
