#include "chrome/recognized_models.h"

#include <chrono>
#include <exception>
#include <new>

#include "disk/read_file.h"
#include "disk/size_text.h"
#include "families/preview.h"
#include "files/shards.h"

namespace headlight::screens {

namespace {

// A list must not need the memory of a whole model. For safetensors only the header is read.
// Half-precision weights of a PyTorch file are converted to floats, although they are zeros here,
// and NumPy files are read whole.
std::uint64_t most_bytes_to_look_at(const std::string& file) {
    constexpr std::uint64_t kMost = 16'000'000'000, kMostOfPyTorch = 1'300'000'000,
                            kMostOfNumpy = 256'000'000;
    const auto ends = [&](const char* ending) { return file.ends_with(ending); };
    if (ends(".npz") || ends(".npy")) return kMostOfNumpy;
    if (ends(".pth") || ends(".pt") || ends(".bin")) return kMostOfPyTorch;
    return kMost;
}

// The size of the file, or of its shards.
std::uint64_t checkpoint_bytes(const std::string& file, const StopFlag& stop) {
    std::uint64_t sum = state_of(file).bytes;
    if (!file.ends_with(".index.json") || sum >= kLargeFileBytes) return sum;
    const FileBytes index = read_file(file).bytes(stop);
    sum = 0;
    for (const auto& [shard, tensors] : parse_shard_index(index.bytes(), file, stop).tensors)
        sum += state_of(beside(file, shard)).bytes;
    return sum;
}

RecognizedModel recognize(const LocalModel& model, const StopFlag& stop) {
    RecognizedModel found{model.name, model.file.string()};
    const std::string start = found.file + ": ";
    try {
        found.bytes = checkpoint_bytes(found.file, stop);
        const std::uint64_t most = most_bytes_to_look_at(found.file);
        if (found.bytes <= most)
            found.kind = model_in_short(*preview_model(found.file, read_file, stop));
        else
            found.problem = "Headlight looks into files over " + bytes_in_words(most) +
                            " only when you open them. Click to open this one.";
    } catch (const Stopped&) {
        throw;
    } catch (const std::bad_alloc&) {
        found.problem = "This machine does not have enough memory for this model.";
    } catch (const std::exception& error) {
        found.problem = error.what();
        if (found.problem.starts_with(start)) found.problem.erase(0, start.size());
    }
    return found;
}

}  // namespace

const Recognition::Known* Recognition::find(const LocalModel& model) const {
    const auto known = known_.find(model.file.string());
    if (known == known_.end()) return nullptr;
    const FileState now = state_of(model.file);
    const FileState& then = known->second.state;
    return then.bytes == now.bytes && then.written == now.written ? &known->second : nullptr;
}

const Recognition::Known& Recognition::look_at(const LocalModel& model, const StopFlag& stop) {
    const FileState state = state_of(model.file);
    return known_[model.file.string()] = {state, recognize(model, stop)};
}

RecognizedModels Recognition::run(const Publish& publish, const StopFlag& stop) {
    constexpr std::chrono::milliseconds kBetween(200);
    const std::vector<LocalModel> models = list_(stop);
    RecognizedModels found;
    std::vector<std::size_t> rest;  // not known yet
    for (const LocalModel& model : models) {
        throw_if_stopped(stop);
        const Known* known = model.file.empty() ? nullptr : find(model);
        if (known == nullptr && !model.file.empty()) rest.push_back(found.models.size());
        found.models.push_back(
            known != nullptr
                ? known->model
                : RecognizedModel{model.name, model.file.string(), 0, {}, model.problem});
    }
    found.looked_at = models.size() - rest.size();
    auto published = std::chrono::steady_clock::now();
    publish(found);
    for (const std::size_t at : rest) {
        throw_if_stopped(stop);
        found.models[at] = look_at(models[at], stop).model;
        ++found.looked_at;
        const auto now = std::chrono::steady_clock::now();
        if (now - published < kBetween) continue;
        published = now;
        publish(found);
    }
    return found;
}

}  // namespace headlight::screens
