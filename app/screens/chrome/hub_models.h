#pragma once

#include <span>
#include <string>
#include <string_view>

#include "frame/frame.h"

// Models that others have published, and how they come onto this disk: README's "Getting a model".
namespace headlight::screens {

struct HubModel {
    std::string_view what;     // for people
    std::string_view name;     // on the Hugging Face Hub
    std::string_view size;     // of what is fetched, on disk
    std::string_view licence;  // that its authors give it
};
std::span<const HubModel> hub_models();

// Two lines of Python that fetch it into a folder, which can be opened.
std::string python_of(const HubModel& model);

// A row for each, which a click copies as those lines; nothing is fetched here.
void hub_models_list(Frame& frame, ui::Rect& rest);

}  // namespace headlight::screens
