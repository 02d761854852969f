#include "checkpoint/npz.h"

#include <string_view>
#include <utility>
#include <vector>

#include "checkpoint/error.h"
#include "checkpoint/npy.h"
#include "kernels/parallel.h"
#include "kernels/stop.h"

namespace headlight {

namespace {

constexpr std::string_view kEnding = ".npy";

std::vector<ZipMember> arrays_of(const std::vector<ZipMember>& members, const std::string& name) {
    std::vector<ZipMember> arrays;
    for (const ZipMember& member : members)
        if (member.name.ends_with(kEnding)) arrays.push_back(member);
    if (arrays.empty())
        Source(name).refuse("a zip archive of arrays (.npz)",
                            members.empty()
                                ? "an empty archive"
                                : "one with " + in_quotes(members[0].name) + " and no array");
    return arrays;
}

// How many of the arrays from `first` on are read before the next report.
std::size_t batch(const std::vector<ZipMember>& arrays, std::size_t first) {
    constexpr std::uint64_t kBytes = std::uint64_t{32} << 20U;
    std::uint64_t bytes = 0;
    std::size_t last = first;
    while (last < arrays.size() && bytes < kBytes) bytes += arrays[last++].size;
    return last - first;
}

}  // namespace

StoredTensors read_npz(const FileBytes& archive, const std::vector<ZipMember>& members,
                       const std::string& name, const LoadProgress& progress) {
    const std::vector<ZipMember> arrays = arrays_of(members, name);
    std::vector<StoredTensor> tensors(arrays.size());
    for (std::size_t done = 0; done < arrays.size();) {
        const std::size_t count = batch(arrays, done);
        parallel_for(static_cast<Index>(count), [&](Index i) {
            const std::size_t k = done + static_cast<std::size_t>(i);
            tensors[k] =
                read_npy(unpack(arrays[k], archive, name), name + ": " + in_quotes(arrays[k].name));
        });
        done += count;
        const float part = static_cast<float>(done) / static_cast<float>(arrays.size());
        if (progress && !progress(part)) throw Stopped();
    }
    StoredTensors named;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        std::string key = arrays[i].name;
        key.resize(key.size() - kEnding.size());
        named[std::move(key)] = std::move(tensors[i]);
    }
    return named;
}

}  // namespace headlight
