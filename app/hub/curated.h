#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headlight::hub {

// Published models that are good to start with.
struct CuratedModel {
    std::string_view what;     // what it is good for
    std::string_view name;     // on the Hub
    std::string_view size;     // of the download
    std::string_view license;  // as its authors state it
};
std::span<const CuratedModel> curated_models();

// Two lines of Python that download a model to the same cache, for a Headlight built without
// downloads.
std::string python_to_get(std::string_view name, std::string_view revision = "");

}  // namespace headlight::hub
