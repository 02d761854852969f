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

// Matrices derived from a trace's for display (a transpose, a difference, one column), cached while
// they are shown.
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
    // Kind; version and address of one or two sources; rows and columns (parts of one matrix may
    // start at the same address).
    using Key =
        std::tuple<Kind, std::uint64_t, const float*, std::uint64_t, const float*, Index, Index>;
    struct Entry {
        SharedResult result;
        MatrixSummary summary;
        bool summarised = false;
        std::uint64_t used = 0;

        const MatrixSummary& summarise();  // computed once
    };
    using Make = std::function<Matrix()>;

    // Computes synchronously; for what is no slower than one pass over its cells.
    Entry& get(const Key& key, const Make& make);
    // Computes slower ones, with at least kMany cells, in the background, with their summary; null
    // until done. `make` may run after the frame has ended, so it must own what it uses.
    Entry* later(const Key& key, Make make);
    static constexpr Index kMany = Index{1} << 24U;
    [[nodiscard]] bool busy() const { return results_ && results_->busy(); }
    // Called from the background thread after each result. Set it before the first later().
    void set_wake(std::function<void()> wake) { wake_ = std::move(wake); }
    // True if there is a new result.
    bool take_made();
    void end_frame();

  private:
    std::map<Key, Entry> entries_;
    std::map<Key, std::uint64_t> asked_in_;  // the frame of the last request
    std::uint64_t frame_ = 0;
    std::function<void()> wake_;
    std::unique_ptr<BackgroundResults<Key, Entry>> results_;  // created with the first slow one
};

}  // namespace headlight::screens
