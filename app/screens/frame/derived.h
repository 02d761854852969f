#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>

#include "analysis/summary.h"
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
    };
    Entry& get(const Key& key, const std::function<Matrix()>& make);
    void end_frame();

  private:
    std::map<Key, Entry> entries_;
    std::uint64_t frame_ = 0;
};

}  // namespace headlight::screens
