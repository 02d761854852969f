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

// An array of this shape, in C order.
template <class Number>
ZipFile npz_array(const std::string& name, const std::vector<std::int64_t>& shape,
                  std::span<const Number> numbers);

// Fixed-width texts, as in NumPy. File names may contain invalid UTF-8; such bytes are encoded as
// in Python's "surrogateescape", so that os.fsencode restores the name.
ZipFile npz_texts(const std::string& name, const std::vector<std::int64_t>& shape,
                  std::span<const std::string> texts);

}  // namespace headlight::cli
