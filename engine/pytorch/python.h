#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What must be known of Python to put the nodes' lines into a script.
namespace headlight::python {

// "a = f(b); c = a" → "a = f(b)", "c = a".
std::vector<std::string> statements(std::string_view line);

// The names that a statement needs to be bound: not those behind a point, of arguments, in quotes
// or after "for", nor Python's own and the modules'. Each once, in order.
std::vector<std::string> names_read(std::string_view statement);

// The names that it binds: of "q = k = v = X" three, of "q, k = f(q)" two.
std::vector<std::string> names_bound(std::string_view statement);

// In quotes, as Python reads it.
std::string quoted(std::string_view text);

// "(3, 4)", "(3,)".
std::string tuple(const std::vector<std::int64_t>& numbers);

// A script's head: imports, the readers of files, and those helpers that the body calls.
std::string head(std::string_view body);

}  // namespace headlight::python
