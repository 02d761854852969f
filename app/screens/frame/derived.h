#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "analysis/summary.h"
#include "tasks/background_results.h"
#include "trace/trace.h"

namespace headlight::screens {

// Matrices made from a trace's for showing only (a transpose, a difference, one column), kept while
// they are looked at.
class Derived {
  public:
    enum class Kind {
        transposed,
        difference,
        column,
        of_one_head,
        mean_of_heads,
        mean_of_rows,
        line,
        token_map
    };
    // Kind; version and place of one or two sources; rows and columns (parts of one matrix may
    // begin at the same place).
    using Key =
        std::tuple<Kind, std::uint64_t, const float*, std::uint64_t, const float*, Index, Index>;
    struct Entry {
        SharedResult result;
        MatrixSummary summary;
        bool summarised = false;
        std::uint64_t used = 0;

        const MatrixSummary& summarise();  // once
    };
    using Make = std::function<Matrix()>;

    // At once: for what takes no longer than to look at all of its cells.
    Entry& get(const Key& key, const Make& make);
    // What takes longer, as it does from kMany cells on, is made in the background, with its
    // summary; null until it is there. `make` may be called when the frame is over, so it keeps
    // what it reads alive.
    Entry* later(const Key& key, Make make);
    static constexpr Index kMany = Index{1} << 24U;
    [[nodiscard]] bool busy() const { return results_ && results_->busy(); }
    // Called from the background thread when something has been made. Before the first later().
    void set_wake(std::function<void()> wake) { wake_ = std::move(wake); }
    // True when something new is there.
    bool take_made();
    void end_frame();

  private:
    std::map<Key, Entry> entries_;
    std::map<Key, std::uint64_t> asked_in_;  // the frame in which it was last asked for
    std::uint64_t frame_ = 0;
    std::function<void()> wake_;
    std::unique_ptr<BackgroundResults<Key, Entry>> results_;  // made with the first that takes long
};

}  // namespace headlight::screens
