#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// The Python parsing and formatting needed to turn the nodes' lines into a script.
namespace headlight::python {

// "a = f(b); c = a" → "a = f(b)", "c = a".
std::vector<std::string> statements(std::string_view line);

// The names that a statement uses and that must be bound before. Not included: names after a point,
// names of keyword arguments, names in quotes or after "for", and Python's own and modules' names.
// Each once, in order.
std::vector<std::string> names_read(std::string_view statement);

// The names that it binds: three for "q = k = v = X", two for "q, k = f(q)".
std::vector<std::string> names_bound(std::string_view statement);

// As a Python string literal.
std::string quoted(std::string_view text);

// "(3, 4)", "(3,)".
std::string tuple(const std::vector<std::int64_t>& numbers);

// Calls a function, "\ndef f(a, b): ...", with the arguments of its parameters' names: "f(1, 2)".
// Throws std::out_of_range if it has another parameter.
std::string call_of(std::string_view function,
                    const std::map<std::string_view, std::string>& arguments);

// The start of a script: imports, file readers, and the helpers that `body` calls.
std::string head(std::string_view body);

}  // namespace headlight::python
