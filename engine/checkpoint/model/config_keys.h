#pragma once

#include <string>
#include <vector>

#include "model/config_section.h"

namespace headlight {

// A value of a config that no reader has asked for and that may have a meaning.
struct UnreadValue {
    std::string path;  // "vision_config.rope_type"
    std::string key;   // "rope_type"
    std::string value;
};

// All of `top` and of the objects in it whose keys were asked for. Left out is what cannot change a
// number here: names and versions, training, text generation, and sizes that the tensors have.
// Throws CheckpointError for a step or a setting that would change the numbers and that Headlight
// does not have.
std::vector<UnreadValue> unread_values(const Section& top, const ReadValues& read);

}  // namespace headlight
