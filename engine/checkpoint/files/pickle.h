#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/stop.h"

// Python's pickles (protocols 2 to 5, Lib/pickletools.py) as data. A pickle is a program for a
// stack machine. Its opcodes build values; where they call a function or make an object of a class,
// this reader writes down which one and with what, and calls nothing.
namespace headlight {

using PickleId = std::uint32_t;  // of a value in its pickle

struct PickleValue {
    enum class Kind : std::uint8_t {
        none,
        integer,  // bool too
        other,    // a float, bytes, a number of more than 64 bits: nothing that leads to weights
        text,
        sequence,  // tuple, list, set
        mapping,   // dict, OrderedDict: items are key, value, key, value, ...
        global,    // a function or class: module and name
        object,    // what `callee` would give for `arguments`; items as of a mapping
        external   // a persistent id, which `arguments` says
    };
    Kind kind = Kind::none;
    std::int64_t integer = 0;
    std::string_view text{}, module{};  // text: also a global's name. Within the pickle's bytes
    std::vector<PickleId> items{};
    PickleId callee = 0, arguments = 0, state = 0;  // 0: none. state: of an object or a mapping
};

class Pickle {
  public:
    static constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;
    static constexpr std::size_t kMaxValues = 4'000'000;  // that it makes, or remembers

    // `bytes` have to outlive it; `name` appears in errors. Throws CheckpointError: truncated, an
    // opcode that Python's pickler does not write for torch.save, one that finds too little on the
    // stack, an unknown memo, more than fits the limits; Stopped.
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
