#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/summary.h"
#include "state/lane.h"
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
        line
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
    // What takes longer, as it does from kMany cells on, is made on a lane, with its summary; null
    // until it is there. `make` may be called when the frame is over, so it keeps what it reads
    // alive.
    Entry* later(const Key& key, Make make);
    static constexpr Index kMany = Index{1} << 24U;
    [[nodiscard]] bool busy() const { return workshop_ && workshop_->busy(); }
    // Called from the lane when something has been made.
    void set_wake(std::function<void()> wake) { wake_ = std::move(wake); }
    // True when something new is there.
    bool take_made();
    void end_frame();

  private:
    // Where it is made. Of what is asked for the last is made first: that is looked at.
    class Workshop {
      public:
        explicit Workshop(const std::function<void()>& wake) : wake_(wake) {}
        void ask(const Key& key, Make make);
        // All that was made since.
        std::vector<std::pair<Key, Entry>> take();
        // What was asked for and not begun is dropped, but for what `wanted` says.
        void keep(const std::function<bool(const Key&)>& wanted);
        [[nodiscard]] bool busy();  // something is to be made, or to be taken

      private:
        bool make_next();

        const std::function<void()>& wake_;
        std::mutex guard_;  // of all that follows
        std::vector<std::pair<Key, Make>> asked_;
        std::vector<std::pair<Key, Entry>> made_;
        bool making_ = false;
        Lane lane_{[this] { return make_next(); }};  // last: starts when all else is ready
    };

    std::map<Key, Entry> entries_;
    std::map<Key, std::uint64_t> asked_in_;  // the frame in which it was last asked for
    std::uint64_t frame_ = 0;
    std::function<void()> wake_;
    std::unique_ptr<Workshop> workshop_;  // made with the first that takes long
};

}  // namespace headlight::screens
