#pragma once

#include <optional>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <unordered_map>

#include "frame/derived.h"
#include "frame/focus.h"

namespace headlight::screens {

// What is remembered between frames that is nobody's choice.
struct Memory {
    Focus hovered, next_hovered;              // of the last frame, and being gathered in this one
    std::string lit_symbol, next_lit_symbol;  // a matrix whose symbol in an equation is hovered
    std::optional<int> hovered_head, next_hovered_head;
    Derived derived;
    bool gesture_ended = false;
    // What came to lie under the pointer is not looked at until it moves.
    bool pointer_rests = false;

    // What one screen, panel or part of it remembers, as it is when it was made until somebody
    // changes it. The type is its name: who wants to remember something declares a struct beside
    // the code that does, and nobody else has to know of it.
    template <class T>
    T& own() {
        std::shared_ptr<void>& kept = owned_[typeid(T)];
        if (!kept) kept = std::make_shared<T>();
        return *static_cast<T*>(kept.get());
    }

  private:
    // No std::map: the order of types is not one where libstdc++ compiles for Windows, because some
    // are compared by their names and some by their addresses.
    std::unordered_map<std::type_index, std::shared_ptr<void>> owned_;
};

}  // namespace headlight::screens
