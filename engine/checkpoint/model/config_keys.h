#pragma once

#include <string>
#include <vector>

#include "model/config_section.h"

namespace headlight {

// A value in a config that was not read and may matter.
struct UnreadValue {
    std::string path;  // "vision_config.rope_type"
    std::string key;   // "rope_type"
    std::string value;
};

// The unread values of `top`, and of nested objects that were entered. Leaves out keys without
// effect here: names and versions, training, text generation, and sizes that the tensors show.
// Throws CheckpointError for a step or setting that would change the result and that Headlight does
// not support.
std::vector<UnreadValue> unread_values(const Section& top, const ReadValues& read);

}  // namespace headlight
