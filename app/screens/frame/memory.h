#pragma once

#include <optional>
#include <string>
#include <typeindex>
#include <unordered_map>

#include "frame/derived.h"
#include "frame/focus.h"

namespace headlight::screens {

// State kept between frames that is not part of the user's choices.
struct Memory {
    Focus hovered, next_hovered;              // of the last frame, and collected in this one
    std::string lit_symbol, next_lit_symbol;  // hovered symbol in an equation
    std::optional<int> hovered_head, next_hovered_head;
    Derived derived;
    bool gesture_ended = false;
    // If content moves under a resting pointer, it is not hovered until the pointer moves.
    bool pointer_rests = false;

    // The state of one screen or panel, default-constructed on first use and identified by its
    // type. Declare a struct beside the code that uses it; other code need not know it.
    template <class T>
    T& own() {
        std::shared_ptr<void>& kept = owned_[typeid(T)];
        if (!kept) kept = std::make_shared<T>();
        return *static_cast<T*>(kept.get());
    }

  private:
    // Not std::map: the order of type_index is inconsistent where libstdc++ compiles for Windows,
    // because some types are compared by name and others by address.
    std::unordered_map<std::type_index, std::shared_ptr<void>> owned_;
};

}  // namespace headlight::screens
