#include "kernels/packed.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <unordered_map>

namespace headlight {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 29U;

struct Entry {
    std::weak_ptr<const Result> weight;
    int uses = 0;
    bool tried = false;
    std::shared_ptr<const PackedWeight> packed;
};

class PackedWeights {
  public:
    std::shared_ptr<const PackedWeight> of(const SharedResult& weight) {
        const std::scoped_lock lock(guard_);
        if (!entries_.contains(weight->version())) forget_unused();
        Entry& entry = entries_[weight->version()];
        entry.weight = weight;
        if (++entry.uses <= kUsesBefore) return nullptr;
        entry.uses = kUsesBefore;
        const std::size_t bytes = bytes_of(weight->view());
        if (!entry.tried && bytes_ + bytes <= kMostBytes) {
            try {
                entry.packed = pack_weight(weight->view());
            } catch (const std::bad_alloc&) {
                // Out of memory: continue without packing.
            }
            if (entry.packed) bytes_ += bytes;
        }
        entry.tried = true;
        return entry.packed;
    }

  private:
    static std::size_t bytes_of(const MatrixView& weight) {
        return static_cast<std::size_t>(weight.rows * weight.cols) * sizeof(float);
    }
    static std::size_t bytes_of(const PackedWeight& weight) {
        return static_cast<std::size_t>(weight.outputs * weight.inputs) * sizeof(float);
    }

    void forget_unused() {
        std::erase_if(entries_, [&](const auto& item) {
            const bool unused = item.second.weight.expired();
            if (unused && item.second.packed) bytes_ -= bytes_of(*item.second.packed);
            return unused;
        });
    }

    std::mutex guard_;
    std::unordered_map<std::uint64_t, Entry> entries_;  // key: version of the weight
    std::size_t bytes_ = 0;                             // of all packed weights
};

}  // namespace

std::shared_ptr<const PackedWeight> packed(const SharedResult& weight) {
    // Never destroyed: a thread may still compute while statics are destroyed.
    static auto& weights = *new PackedWeights;
    return weights.of(weight);
}

}  // namespace headlight
