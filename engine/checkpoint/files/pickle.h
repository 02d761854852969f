#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/stop.h"

// Reads Python's pickles (protocols 2 to 5, Lib/pickletools.py) as data. A pickle is a program for
// a stack machine whose opcodes build values. Where an opcode would call a function or create an
// object, this reader only records the function and its arguments, and calls nothing.
namespace headlight {

using PickleId = std::uint32_t;  // index of a value in its pickle

struct PickleValue {
    enum class Kind : std::uint8_t {
        none,
        integer,  // also bool
        other,    // a float, bytes, or an integer of more than 64 bits; not needed for weights
        text,
        sequence,  // tuple, list, set
        mapping,   // dict, OrderedDict; items are key, value, key, value, ...
        global,    // a function or class: module and name
        object,    // the result of `callee` with `arguments`; items as in a mapping
        external   // a persistent id, in `arguments`
    };
    Kind kind = Kind::none;
    std::int64_t integer = 0;
    std::string_view text{}, module{};  // text is also a global's name; both refer to the pickle's
                                        // bytes
    std::vector<PickleId> items{};
    PickleId callee = 0, arguments = 0, state = 0;  // 0: none. state: of an object or a mapping
};

class Pickle {
  public:
    static constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;
    static constexpr std::size_t kMaxValues = 4'000'000;  // limit for values and for memo entries

    // `bytes` must outlive it; `name` appears in errors. Throws CheckpointError for a truncated
    // pickle, an opcode that torch.save does not write, a stack underflow, an unknown memo entry,
    // and exceeded limits; Stopped.
    Pickle(std::span<const std::byte> bytes, const std::string& name, const StopFlag& stop = {});

    [[nodiscard]] const PickleValue& operator[](PickleId id) const { return values_[id]; }
    [[nodiscard]] PickleId root() const { return root_; }

    [[nodiscard]] bool is_global(PickleId id, std::string_view module,
                                 std::string_view name) const {
        const PickleValue& value = values_[id];
        return value.kind == PickleValue::Kind::global && value.module == module &&
               value.text == name;
    }

  private:
    friend class PickleMachine;
    std::vector<PickleValue> values_;  // the first is None
    PickleId root_ = 0;
};

}  // namespace headlight
