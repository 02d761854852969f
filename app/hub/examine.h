#pragma once

#include <string>

#include "hub/client.h"
#include "hub/remote_model.h"

namespace headlight::hub {

// Whether a part of the file may be enough. If so, call examine() to decide how much to fetch.
bool may_be_part(const RemoteModel& model);

// Describes the model from its header alone: "ViT-S/16, 1000 classes". If Headlight uses only a
// part of the file, such as CLIP's vision tower, and that saves at least 100 MB, sets model.part to
// it. Throws as preview_model and fetch_blob do.
std::string examine(Client& client, RemoteModel& model);

}  // namespace headlight::hub
