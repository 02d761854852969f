#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "files/zip.h"

// Arrays as members of a NumPy archive, for zip_text().
namespace headlight::cli {

// "<f4", "<f8", "<i4"
template <class Number>
std::string npy_type();

// One of this shape, in C order.
template <class Number>
ZipFile npz_array(const std::string& name, const std::vector<std::int64_t>& shape,
                  std::span<const Number> numbers);

// Texts of one width, as NumPy keeps them. A file's name may hold bytes that are no UTF-8: each
// becomes what Python's "surrogateescape" makes of it, so that os.fsencode gives the name back.
ZipFile npz_texts(const std::string& name, const std::vector<std::int64_t>& shape,
                  std::span<const std::string> texts);

}  // namespace headlight::cli
