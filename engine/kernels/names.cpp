#include "kernels/names.h"

namespace headlight {

std::string alternatives(std::span<const std::string_view> names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += i + 1 < names.size() ? ", " : " or ";
        text += names[i];
    }
    return text;
}

}  // namespace headlight
