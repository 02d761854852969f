#pragma once

#include <string>

#include "hub/client.h"
#include "hub/remote_model.h"

namespace headlight::hub {

// Whether a part of the file may be enough. Then examine() decides how much to fetch.
bool may_be_part(const RemoteModel& model);

// What the model is, from its header alone: "ViT-S/16, 1000 classes". Where Headlight uses only a
// part of the file, such as CLIP's vision tower, and that part saves 100 MB, model.part becomes it.
// Throws as preview_model and as fetch_blob do.
std::string examine(Client& client, RemoteModel& model);

}  // namespace headlight::hub
