#include "model/imagenet.h"

#include <sstream>

#include "classes/sources.h"

namespace headlight {

namespace {

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    std::istringstream in{std::string(text)};
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

}  // namespace

const std::vector<std::string>& imagenet_names() {
    static const std::vector<std::string> names = lines_of(classes::imagenet_txt);
    return names;
}

}  // namespace headlight
