#include "disk/names.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "disk/files.h"
#include "kernels/ascii.h"

namespace headlight {

namespace fs = std::filesystem;

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The digits at the start of `text`, cut off it, without leading zeros: then the longer one is the
// larger number, and no number is too large.
std::string_view cut_number(std::string_view& text) {
    const auto end =
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
    std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
}

bool ends_with_any(std::string_view name, std::span<const std::string_view> endings) {
    return std::ranges::any_of(endings, [&](std::string_view ending) {
        return name.size() >= ending.size() &&
               std::ranges::equal(ending, name.substr(name.size() - ending.size()), {}, {},
                                  ascii_lower);
    });
}

// PyTorch's formats. Training saves optimizers and settings beside the model in them, too.
bool is_pickle_name(std::string_view name) {
    constexpr std::array<std::string_view, 4> endings{".pth", ".pt", ".bin", ".ckpt"};
    return ends_with_any(name, endings);
}

// In natural order.
std::vector<std::string> checkpoints_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const fs::path& path : list_folder(folder).paths) {
        const std::string name = path.filename().string();
        if (!name.starts_with('.') && is_checkpoint_name(name) && is_file(path))
            names.push_back(name);
    }
    std::ranges::sort(names, natural_less);
    return names;
}

}  // namespace

bool is_image_name(std::string_view name) {
    constexpr std::array<std::string_view, 16> endings{
        ".png", ".jpg", ".jpeg", ".webp", ".bmp",  ".tga",  ".gif",  ".psd",
        ".ppm", ".pgm", ".pnm",  ".tif",  ".tiff", ".avif", ".heic", ".heif"};
    return ends_with_any(name, endings);
}

bool is_checkpoint_name(std::string_view name) {
    constexpr std::array<std::string_view, 8> endings{
        ".safetensors", ".npz", ".npy", ".pth", ".pt", ".bin", ".ckpt", ".index.json"};
    return ends_with_any(name, endings);
}

bool is_numbers_name(std::string_view name) {
    constexpr std::array<std::string_view, 3> endings{".safetensors", ".npz", ".npy"};
    return ends_with_any(name, endings);
}

bool is_scene_name(std::string_view name) {
    constexpr std::array<std::string_view, 1> endings{".json"};
    return ends_with_any(name, endings) && !is_checkpoint_name(name);
}

bool is_saved_scene_name(std::string_view name) {
    constexpr std::array<std::string_view, 1> endings{".scene.json"};
    return ends_with_any(name, endings);
}

bool is_experiment_name(std::string_view name) {
    constexpr std::array<std::string_view, 1> endings{".headlight.json"};
    return ends_with_any(name, endings);
}

bool is_lesson_name(std::string_view name) {
    constexpr std::array<std::string_view, 1> endings{".md"};
    return ends_with_any(name, endings);
}

std::optional<fs::path> checkpoint_in(const fs::path& folder) {
    constexpr std::array usual{"model.safetensors",           "model.safetensors.index.json",
                               "open_clip_model.safetensors", "weights.safetensors",
                               "pytorch_model.bin",           "pytorch_model.bin.index.json"};
    for (const char* name : usual)
        if (is_file(folder / name)) return folder / name;
    std::vector<std::string> names = checkpoints_in(folder);
    if (names.size() > 1) std::erase_if(names, is_pickle_name);
    if (names.size() > 1) std::erase(names, "adapter_model.safetensors");  // part of the other
    if (names.size() != 1) return std::nullopt;
    return folder / names.front();
}

std::string why_no_checkpoint_in(const fs::path& folder) {
    const std::string expected = folder.string() + ": expected a folder that contains one model";
    if (const std::string error = list_folder(folder).error; !error.empty())
        return expected + ". " + error;
    const std::vector<std::string> names = checkpoints_in(folder);
    const std::string start = expected + ", found ";
    if (names.empty() && is_file(folder / "adapter_config.json"))
        return start +
               "only an adapter's adapter_config.json. Put adapter_model.safetensors and the base "
               "model's model.safetensors in the same folder.";
    if (names.empty()) return start + "no model.safetensors and no other checkpoint.";
    std::string several = std::to_string(names.size()) + ": ";
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 3); ++i)
        several += (i > 0 ? ", " : "") + names[i];
    return start + several + (names.size() > 3 ? ", …" : "") + ". Open one of them.";
}

std::string model_name(const fs::path& path) {
    constexpr std::array<std::string_view, 6> usual{
        "model",     "weights", "pytorch_model", "open_clip_model", "open_clip_pytorch_model",
        "checkpoint"};
    fs::path name = path.stem();
    if (path.filename().string().ends_with(".index.json"))
        name = name.stem().stem();  // model.safetensors.index.json
    const fs::path folder = path.parent_path();
    if (std::ranges::find(usual, name.string()) == usual.end() || !folder.has_filename())
        return name.string();
    if (folder.parent_path().filename() != "snapshots") return folder.filename().string();
    // models--google--vit-base-patch16-224/snapshots/3f49326e
    const std::string cached = folder.parent_path().parent_path().filename().string();
    const std::size_t dashes = cached.rfind("--");
    return dashes == std::string::npos ? cached : cached.substr(dashes + 2);
}

bool natural_less(std::string_view a, std::string_view b) {
    const std::string_view whole_a = a, whole_b = b;
    while (!a.empty() && !b.empty()) {
        if (is_digit(a.front()) && is_digit(b.front())) {
            const std::string_view number_a = cut_number(a), number_b = cut_number(b);
            if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
            if (number_a != number_b) return number_a < number_b;
            continue;
        }
        const auto letter_a = static_cast<unsigned char>(ascii_lower(a.front()));
        const auto letter_b = static_cast<unsigned char>(ascii_lower(b.front()));
        if (letter_a != letter_b) return letter_a < letter_b;
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    if (a.empty() != b.empty()) return a.empty();
    return whole_a < whole_b;
}

}  // namespace headlight
