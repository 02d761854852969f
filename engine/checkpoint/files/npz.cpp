#include "files/npz.h"

#include <string_view>
#include <utility>
#include <vector>

#include "files/error.h"
#include "files/npy.h"
#include "kernels/parallel.h"

namespace headlight {

namespace {

constexpr std::string_view kArrayEnding = ".npy";

std::vector<ZipMember> arrays_of(const std::vector<ZipMember>& members, const std::string& name) {
    std::vector<ZipMember> arrays;
    for (const ZipMember& member : members)
        if (member.name.ends_with(kArrayEnding)) arrays.push_back(member);
    if (arrays.empty())
        Source(name).refuse("a zip archive of arrays (.npz)",
                            members.empty()
                                ? "an empty archive"
                                : "one with " + in_quotes(members[0].name) + " and no array");
    if (arrays.size() > kMaxTensors)
        Source(name).refuse("an archive of at most " + std::to_string(kMaxTensors) + " arrays",
                            std::to_string(arrays.size()));
    return arrays;
}

}  // namespace

StoredTensors read_npz(const std::vector<ZipMember>& members, const std::string& name,
                       const StopFlag& stop) {
    const std::vector<ZipMember> arrays = arrays_of(members, name);
    std::vector<StoredTensor> tensors(arrays.size());
    parallel_for(static_cast<Index>(arrays.size()), [&](Index i) {
        const ZipMember& array = arrays[static_cast<std::size_t>(i)];
        tensors[static_cast<std::size_t>(i)] =
            read_npy(unpack(array, name, stop), name + ": " + in_quotes(array.name));
    });
    StoredTensors named;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        std::string key = arrays[i].name;
        key.resize(key.size() - kArrayEnding.size());
        named[std::move(key)] = std::move(tensors[i]);
    }
    return named;
}

}  // namespace headlight
