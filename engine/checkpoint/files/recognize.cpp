#include "files/recognize.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "files/error.h"
#include "files/npy.h"
#include "files/zip.h"
#include "kernels/ascii.h"
#include "kernels/trimmed.h"

namespace headlight {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kExpected = "safetensors, .pth, .npz or .npy";

// The start of the file as characters, enough to recognize it.
std::string_view beginning(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kBytesToRecognize)};
}

// A plausible header length, then the header. The reader reports errors in them.
bool looks_like_safetensors(std::string_view text) {
    constexpr std::size_t kLengthBytes = 8;
    return text.size() > kLengthBytes && text[kLengthBytes] == '{' &&
           text.substr(4, 4) == "\0\0\0\0"sv;  // no header has 4 GB
}

bool is_pickle(std::string_view text) {
    return text.size() >= 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5;
}

// Before version 1.6, torch.save wrote this number first, as a pickle.
constexpr std::string_view kOldMagic = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";

bool is_tar(std::string_view text) {
    constexpr std::size_t kMagicPlace = 257;
    return text.size() > kMagicPlace && text.substr(kMagicPlace).starts_with("ustar");
}

bool is_web_page(std::string_view text) {
    const std::string_view page = trimmed(text);
    const auto starts = [&](std::string_view word) {
        return in_lower_case(page.substr(0, word.size())) == word;
    };
    return starts("<!doctype") || starts("<html") || starts("<?xml");
}

struct Other {
    std::string_view start, words;
};
constexpr std::array kOthers{
    Other{"version https://git-lfs.github.com/spec",
          "a Git LFS pointer instead of the file. Fetch the file with `git lfs pull`"},
    Other{"\x89HDF\r\n", "an HDF5 file"},
    Other{"GGUF", "a GGUF file"},
    Other{"\x89PNG", "a PNG image"},
    Other{"\xFF\xD8\xFF", "a JPEG image"},
    Other{"\x1F\x8B", "a gzip file. Unpack it first"},
};

}  // namespace

FileFormat recognize(std::span<const std::byte> bytes) {
    const std::string_view text = beginning(bytes);
    if (looks_like_safetensors(text)) return FileFormat::safetensors;
    if (looks_like_zip(bytes)) return FileFormat::zip;
    if (looks_like_npy(bytes)) return FileFormat::npy;
    if (trimmed(text).starts_with('{')) return FileFormat::json;
    return FileFormat::other;
}

void refuse_format(std::span<const std::byte> bytes, const std::string& name) {
    const Source source(name);
    const std::string expected = "a checkpoint (" + std::string(kExpected) + ")";
    const std::string_view text = beginning(bytes);
    if (is_pickle(text))
        refuse_pickle(name, text.starts_with(kOldMagic)
                                ? "the format before PyTorch 1.6, which Headlight does not read"
                                : "a pickle without the archive that PyTorch stores it in");
    if (is_tar(text)) refuse_pickle(name, "the tar archive of PyTorch 0.1");
    if (text.empty()) source.refuse(expected, "an empty file");
    if (is_web_page(text))
        source.refuse(expected,
                      "a web page, probably from a failed download. Download the file again");
    for (const Other& other : kOthers)
        if (text.starts_with(other.start)) source.refuse(expected, std::string(other.words));
    source.refuse(expected, "something else");
}

}  // namespace headlight
