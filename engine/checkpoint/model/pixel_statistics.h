#pragma once

#include <array>

// Mean and standard deviation of red, green and blue (0 to 1) that published models were trained
// with.
namespace headlight {

inline constexpr std::array kHalf{0.5F, 0.5F, 0.5F};
inline constexpr std::array kImageNetMean{0.485F, 0.456F, 0.406F};
inline constexpr std::array kImageNetStd{0.229F, 0.224F, 0.225F};
inline constexpr std::array kClipMean{0.48145466F, 0.4578275F, 0.40821073F};
inline constexpr std::array kClipStd{0.26862954F, 0.26130258F, 0.27577711F};

}  // namespace headlight
