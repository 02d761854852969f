#pragma once

#include <string>
#include <vector>

#include "trace/node.h"

// The attention of a walk as one formula, such as softmax(Q K^T / √16) V.
namespace headlight {

struct FormulaPart {
    std::string text;       // in the notation of Node::equation, without the number of the head
    bool present = false;   // what the present step adds to the formula
    bool computed = false;  // part of the present step's result

    friend bool operator==(const FormulaPart&, const FormulaPart&) = default;
};

// Substitutes the equations of the steps into each other, from the weighted sum back to queries,
// keys and values. With `head_off`, uses the equations of a head that is switched off. Empty if the
// present step computes no part of the formula.
std::vector<FormulaPart> whole_formula(const std::vector<Node>& nodes, Step present,
                                       bool head_off = false);

}  // namespace headlight
