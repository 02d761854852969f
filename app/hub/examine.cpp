#include "hub/examine.h"

#include <set>

#include "disk/hub_cache.h"
#include "families/preview.h"
#include "files/error.h"

namespace headlight::hub {

namespace {

constexpr std::uint64_t kWorthIt = 100'000'000;  // bytes saved by fetching a part

// Whether the part gives the same model, without the unused tensors.
bool is_same(const Model& whole, const Model& part) {
    return part.unused_tensors.empty() && part.family == whole.family &&
           model_in_short(part) == model_in_short(whole) && part.warnings == whole.warnings;
}

}  // namespace

bool may_be_part(const RemoteModel& model) { return model.checkpoint.ends_with(".safetensors"); }

std::string examine(Client& client, RemoteModel& model) {
    const std::string name = model.name.repository + "/" + model.checkpoint;
    model.part.reset();
    const FileReader read = remote_files(client, model);
    const auto whole = preview_model(name, read, client.stop());
    const std::string facts = model_in_short(*whole);
    const std::uint64_t missing = missing_bytes(model);
    if (missing < kWorthIt || whole->unused_tensors.empty() || !may_be_part(model) ||
        part_cache_folder().empty())
        return facts;
    const File file = read(name);
    const std::set<std::string> unused(whole->unused_tensors.begin(), whole->unused_tensors.end());
    auto part = part_without(file, model.checkpoint, unused, origin_of_part(model));
    if (!part || part->size() + kWorthIt > missing) return facts;
    part->name = name_of_part(model);
    const FileReader read_part = [&](const std::string& path) {
        return path == name ? part_of(file, *part) : read(path);
    };
    try {
        if (is_same(*whole, *preview_model(name, read_part, client.stop()))) model.part = part;
    } catch (const CheckpointError&) {
        return facts;  // the part would lack the tensor that identifies the family
    }
    return facts;
}

}  // namespace headlight::hub
