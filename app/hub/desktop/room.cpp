#include "disk/hub_cache.h"
#include "disk/partial_file.h"
#include "disk/size_text.h"
#include "hub/error.h"
#include "hub/remote_model.h"

namespace headlight::hub {

void expect_room(const RemoteModel& model) {
    const std::filesystem::path folder = model.part ? part_cache_folder() : hub_cache_folder();
    const std::uint64_t missing = missing_bytes(model), room = free_bytes(folder);
    if (missing <= room) return;
    throw HubError(model.name.repository + ": the download needs " + bytes_in_words(missing) +
                   ", but the disk that holds " + folder.string() + " has only " +
                   bytes_in_words(room) + " left. Free some space, or set " +
                   (model.part ? "XDG_CACHE_HOME" : "HF_HUB_CACHE") +
                   " to a folder on another disk.");
}

}  // namespace headlight::hub
