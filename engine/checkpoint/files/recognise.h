#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace headlight {

// Which format a file has by its first bytes, of which more than these say no more.
inline constexpr std::size_t kBytesToRecognise = 512;
enum class FileFormat { safetensors, zip, npy, json, other };
FileFormat recognise(std::span<const std::byte> bytes);

// What a file is that is no checkpoint of ours, in words that say what to do: a pickle, a page that
// was saved instead of the file, a Git LFS pointer, ... `name` as it was opened.
[[noreturn]] void refuse_format(std::span<const std::byte> bytes, const std::string& name);

// Says how to convert a PyTorch checkpoint. It is a program for Python's unpickler and may do
// anything, so we do not run it.
[[noreturn]] void refuse_pickle(const std::string& name);

}  // namespace headlight
