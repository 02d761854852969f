#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace headlight {

// Which format a file has by its first bytes, of which more than these say no more.
inline constexpr std::size_t kBytesToRecognize = 512;
enum class FileFormat { safetensors, zip, npy, json, other };
FileFormat recognize(std::span<const std::byte> bytes);

// What a file is that is no checkpoint of ours, in words that say what to do: an old pickle, a page
// that was saved instead of the file, a Git LFS pointer, ... `name` as it was opened.
[[noreturn]] void refuse_format(std::span<const std::byte> bytes, const std::string& name);

// Refuses a PyTorch checkpoint that Headlight does not read, and says how to convert it: with lines
// of Python that execute nothing of the file either. `found`: what it is, "a whole pickled module".
[[noreturn]] void refuse_pickle(const std::string& name, const std::string& found);
// TorchScript is a program in a language of its own.
[[noreturn]] void refuse_torch_script(const std::string& name);

}  // namespace headlight
