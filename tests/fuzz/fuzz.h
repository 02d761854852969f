#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "files/error.h"

// Shared by the targets. Each is a function that libFuzzer calls with its inputs, and replay.cpp
// with the corpus. A violated guarantee aborts the program, as a sanitizer does. Exceptions that
// the reader does not declare are not caught.
extern "C" {
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// Optional: the target's own way to mutate inputs.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed);
// The mutation of libFuzzer or replay.cpp.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
}

namespace headlight::fuzz {

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
    return std::as_bytes(std::span(data, size));
}

inline void promise(bool kept, const std::string& words) {
    if (kept) return;
    std::fprintf(stderr, "broken promise: %s\n", words.c_str());
    std::abort();
}

// The reader's own error is an acceptable outcome if its message is short whatever the file
// contains. The longest message is the program that converts a pickle.
template <class Error = CheckpointError, class Work>
void read_or_refuse(const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        const std::string text = error.what();
        constexpr std::size_t kLongest = 6000;
        promise(!text.empty() && text.size() < kLongest, "a short error, found " + text);
    }
}

// Usually updates the length of a safetensors header: otherwise most mutations would be rejected by
// the length, and later code would not be reached. Returns the size.
inline std::size_t mend_header(std::uint8_t* data, std::size_t size, unsigned seed) {
    const std::string_view file(reinterpret_cast<const char*>(data), size);
    const std::size_t end = file.rfind('}');
    if (seed % 4 != 0 && end != std::string_view::npos && end >= 8) {
        const std::uint64_t length = end - 7;
        std::memcpy(data, &length, sizeof length);
    }
    return size;
}

}  // namespace headlight::fuzz
