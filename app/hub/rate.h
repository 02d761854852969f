#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "hub/remote_model.h"

namespace headlight::hub {

// The download rate of a file over the last seconds.
class Rate {
  public:
    using Clock = std::chrono::steady_clock;
    void add(const FileProgress& progress, Clock::time_point now = Clock::now());
    [[nodiscard]] double bytes_per_second() const;  // 0: not known yet

  private:
    std::string path_;
    std::deque<std::pair<Clock::time_point, std::uint64_t>> seen_;
};

// "model.safetensors: 43 of 88 MB, 5.2 MB/s, 9 s left"
std::string progress_in_words(const ModelProgress& progress, double bytes_per_second);

}  // namespace headlight::hub
