#include "families/preview.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <span>
#include <string_view>

#include "families/load.h"
#include "files/recognize.h"
#include "files/safetensors.h"
#include "files/state_dicts.h"
#include "files/torch_archive.h"

namespace headlight {

namespace {

// Tensors that families compare with a formula, rather than weights.
bool is_checked(const std::string& name, const StoredTensor& tensor) {
    constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20U;
    constexpr std::array<std::string_view, 8> kBuffers{
        "index", "mask", "periods", "freqs", "inv_freq", "pixel_mean", "pixel_std", "position_ids"};
    if (tensor.bytes.size() > kMostBytes) return false;
    const std::string last = name.substr(name.find_last_of("./") + 1);
    return std::ranges::any_of(
        kBuffers, [&](std::string_view word) { return last.find(word) != std::string::npos; });
}

// Zeroed memory that costs nothing until it is written to, because the system provides pages one by
// one.
std::shared_ptr<std::byte> zeros(std::uint64_t size) {
    auto* room = static_cast<std::byte*>(std::calloc(size, 1));  // NOLINT: nothing else does this
    if (room == nullptr) throw std::bad_alloc();
    return {room, [](std::byte* bytes) { std::free(bytes); }};  // NOLINT
}

// A copy of the file in memory, with zeros for everything that was not read.
struct Copy {
    explicit Copy(const File& of) : file(of), room(zeros(of.size())), all(room.get(), of.size()) {}

    void read(std::uint64_t begin, std::uint64_t size) const {
        file.read(begin, all.subspan(begin, size));
    }
    // Reads the tensors that families check; `tensors` are those of the copy.
    void read_checked(const StoredTensors& tensors, const StopFlag& stop) const {
        for (const auto& [key, stored] : tensors) {
            throw_if_stopped(stop);
            const std::byte* place = stored.bytes.in_memory();
            if (place == nullptr || stored.is_alias || !is_checked(key, stored)) continue;
            read(static_cast<std::uint64_t>(place - all.data()), stored.bytes.size());
        }
    }
    [[nodiscard]] FileBytes bytes() const { return {all, room}; }

    const File& file;
    std::shared_ptr<std::byte> room;
    std::span<std::byte> all;
};

// The same tensors: those that families check, and zeros for all others. Half-precision weights
// become floats, because zeros of floats need no conversion. Converting others would take twice the
// memory of the file.
File safetensors_without_weights(const File& file, const std::string& name, const StopFlag& stop) {
    SafetensorsContent content = safetensors_content(file, name, stop);
    for (auto& [key, tensor] : content.tensors)
        if (is_floating_point(tensor.type) && !is_checked(key, tensor)) tensor.type = "F32";
    const SafetensorsLayout layout = safetensors_layout(content);
    const auto room = zeros(layout.size);
    const std::span<std::byte> all(room.get(), layout.size);
    std::ranges::copy(std::as_bytes(std::span(layout.start)), all.begin());
    for (const auto& [key, tensor] : content.tensors) {
        throw_if_stopped(stop);
        if (is_checked(key, tensor))
            tensor.bytes.read(0, all.subspan(layout.places.at(key), tensor.bytes.size()));
    }
    return FileBytes(all, room);
}

// The same for a PyTorch archive, whose tensors are separate members. Other archives are returned
// unchanged.
File archive_without_weights(const File& file, const std::string& name, const StopFlag& stop) {
    constexpr std::uint64_t kMostBytes = 1024;  // for members that are read, such as "version"
    const std::vector<ZipMember> members = zip_members(file, name);
    if (!TorchArchive::is_one(members)) return file;
    const Copy copy(file);
    std::uint64_t at = 0;
    for (const ZipMember& member : members) {
        throw_if_stopped(stop);
        if (member.deflated || member.size <= kMostBytes || member.name.ends_with(".pkl")) continue;
        copy.read(at, member.begin - at);
        at = member.begin + member.packed.size();
    }
    copy.read(at, file.size() - at);
    const TorchArchive archive(zip_members(File(copy.bytes()), name), name, stop);
    if (!archive.is_tensor(archive.pickle().root()))
        copy.read_checked(read_state_dict(archive, name, {}, stop).tensors, stop);
    return copy.bytes();
}

File without_weights(const File& file, const std::string& name, const StopFlag& stop) {
    const auto beginning = file.part(0, std::min<std::uint64_t>(file.size(), kBytesToRecognize));
    switch (recognize(beginning.bytes().bytes())) {
        case FileFormat::safetensors:
            return safetensors_without_weights(file, name, stop);
        case FileFormat::zip:
            return archive_without_weights(file, name, stop);
        default:
            return file;
    }
}

// --- in short ------------------------------------------------------------------------------------

struct Size {
    int width = 0, layers = 0;
    std::string_view letter;
};

// Names of sizes from the papers: "An Image is Worth 16x16 Words" (B, L, H), DeiT (Ti, S), "Scaling
// Vision Transformers" (g, G), Swin Transformer (T, S, B, L), with the width of the last stage.
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

// More specific names than "ViT": "DINOv2 ViT-S/14".
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
        return without_weights(read(name), name, stop);
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
