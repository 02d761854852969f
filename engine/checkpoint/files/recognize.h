#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace headlight {

// The format of a file by its first bytes. More than kBytesToRecognize bytes are not needed.
inline constexpr std::size_t kBytesToRecognize = 512;
enum class FileFormat { safetensors, zip, npy, json, other };
FileFormat recognize(std::span<const std::byte> bytes);

// Refuses a file that is not a supported checkpoint, and says what it is and what to do. Examples
// are an old pickle, a web page saved instead of the file, and a Git LFS pointer. `name` is the
// name as opened.
[[noreturn]] void refuse_format(std::span<const std::byte> bytes, const std::string& name);

// Refuses a PyTorch checkpoint that Headlight does not read, and shows Python lines that convert
// it, also without executing anything in the file. `found` says what it is: "a whole pickled
// module".
[[noreturn]] void refuse_pickle(const std::string& name, const std::string& found);
// Refuses TorchScript, which is a program in its own language.
[[noreturn]] void refuse_torch_script(const std::string& name);

}  // namespace headlight
