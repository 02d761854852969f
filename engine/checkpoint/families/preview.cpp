#include "families/preview.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <optional>
#include <span>
#include <string_view>

#include "families/load.h"
#include "files/recognise.h"
#include "files/safetensors.h"

namespace headlight {

namespace {

constexpr std::uint64_t kLengthBytes = 8;  // the number before a header

// Tensors that are no weights: families compare them with what a formula gives.
bool is_checked(const std::string& name, const StoredTensor& tensor) {
    constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20U;
    constexpr std::array<std::string_view, 8> kBuffers{
        "index", "mask", "periods", "freqs", "inv_freq", "pixel_mean", "pixel_std", "position_ids"};
    if (tensor.bytes.size() > kMostBytes) return false;
    const std::string last = name.substr(name.find_last_of("./") + 1);
    return std::ranges::any_of(
        kBuffers, [&](std::string_view word) { return last.find(word) != std::string::npos; });
}

// Memory that is zero and costs nothing until it is written to, as the system gives pages out one
// by one.
std::shared_ptr<std::byte> zeros(std::uint64_t size) {
    auto* room = static_cast<std::byte*>(std::calloc(size, 1));  // NOLINT: nothing else does this
    if (room == nullptr) throw std::bad_alloc();
    return {room, [](std::byte* bytes) { std::free(bytes); }};  // NOLINT
}

// The same file, with its header, the tensors that are checked, and zeros for all others.
File without_weights(const File& file, const std::string& name, const StopFlag& stop) {
    const StoredTensors tensors = safetensors_entries(file, name, stop);
    std::uint64_t header_bytes = 0;
    file.read(0, std::as_writable_bytes(std::span(&header_bytes, 1)));
    const auto room = zeros(file.size());
    const std::span all(room.get(), file.size());
    file.read(0, all.first(kLengthBytes + header_bytes));
    const FileBytes bytes(all, room);
    for (const auto& [key, stored] : safetensors_entries(File(bytes), name, stop)) {
        throw_if_stopped(stop);
        const StoredTensor& original = tensors.at(key);
        if (stored.is_alias || !is_checked(key, original) || original.bytes.size() == 0) continue;
        const auto begin = static_cast<std::size_t>(stored.bytes.in_memory() - all.data());
        original.bytes.read(0, all.subspan(begin, original.bytes.size()));
    }
    return bytes;
}

bool is_safetensors(const File& file) {
    const auto beginning = file.part(0, std::min<std::uint64_t>(file.size(), kBytesToRecognise));
    return recognise(beginning.bytes().bytes()) == FileFormat::safetensors;
}

// --- in short ------------------------------------------------------------------------------------

struct Size {
    int width = 0, layers = 0;
    std::string_view letter;
};

// As the papers call them: "An Image is Worth 16x16 Words" (B, L, H), DeiT (Ti, S), "Scaling Vision
// Transformers" (g, G), Swin Transformer (T, S, B, L), whose width is the last stage's.
constexpr std::array kViT{Size{192, 12, "Ti"}, Size{384, 12, "S"},  Size{768, 12, "B"},
                          Size{1024, 24, "L"}, Size{1280, 32, "H"}, Size{1408, 40, "g"},
                          Size{1536, 40, "g"}, Size{1664, 48, "G"}};
constexpr std::array kSwin{Size{768, 12, "T"}, Size{768, 24, "S"}, Size{1024, 24, "B"},
                           Size{1536, 24, "L"}};

std::string_view letter_of(const Model& model, std::span<const Size> sizes) {
    const int layers = static_cast<int>(model.layers.size());
    for (const Size& size : sizes)
        if (size.width == model.width() && size.layers == layers) return size.letter;
    return {};
}

std::string layers_and_heads(const Model& model) {
    const auto count = [](std::size_t number, const std::string& what) {
        return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
    };
    const auto heads = static_cast<std::size_t>(model.layers.back().attention.heads);
    std::string text = count(model.layers.size(), "layer");
    if (model.has_merges()) return text + " of width " + std::to_string(model.width());
    return text + " × " + count(heads, "head");
}

// Names that say more than "ViT": "DINOv2 ViT-S/14".
std::string_view project_of(const Model& model) {
    struct Project {
        std::string_view part, name;
    };
    constexpr std::array<Project, 12> kProjects{{{"siglip2", "SigLIP 2 "},
                                                 {"siglip", "SigLIP "},
                                                 {"eva02", "EVA-02 "},
                                                 {"eva", "EVA "},
                                                 {"dinov3", "DINOv3 "},
                                                 {"dinov2", "DINOv2 "},

                                                 {"openclip", "OpenCLIP "},
                                                 {"clip", "CLIP "},
                                                 {"deit", "DeiT "},
                                                 {"beit", "BEiT "},
                                                 {"mae", "MAE "},
                                                 {"t2t", "T2T-"}}};
    for (const Project& project : kProjects)
        if (model.family.find(project.part) != std::string::npos) return project.name;
    return "";
}

std::string kind_in_short(const Model& model) {
    const bool is_swin = model.has_merges() || model.family.find("swin") != std::string::npos;
    if (is_swin) {
        const std::string_view letter = letter_of(model, kSwin);
        return letter.empty() ? "Swin, " + layers_and_heads(model) : "Swin-" + std::string(letter);
    }
    std::string name(project_of(model));
    name += "ViT";
    const std::string patch = std::to_string(model.patch_size);
    const std::string_view letter = letter_of(model, kViT);
    if (!letter.empty() && model.patch_size > 0)
        return name + "-" + std::string(letter) + "/" + patch;
    name += ", " + layers_and_heads(model);
    if (model.patch_size > 0) name += ", patches of " + patch + " × " + patch + " pixels";
    return name;
}

}  // namespace

std::shared_ptr<const Model> preview_model(const std::string& path, const FileReader& read,
                                           const StopFlag& stop) {
    const FileReader wrapped = [&](const std::string& name) {
        const File file = read(name);
        return is_safetensors(file) ? without_weights(file, name, stop) : file;
    };
    return load_model(path, wrapped, {}, {}, stop);
}

std::string model_in_short(const Model& model) {
    if (model.is_maps() || model.is_bare_layer() || model.layers.empty()) return model.title;
    std::string text = kind_in_short(model);
    if (model.gives_embedding || model.gives_pooler) return text;  // CLIP's and SigLIP's
    if (!model.classifier.exists()) return text + ", no classifier";
    const auto classes = model.classifier.weight->view().rows;
    return text + ", " + std::to_string(classes) + (classes == 1 ? " class" : " classes");
}

}  // namespace headlight
