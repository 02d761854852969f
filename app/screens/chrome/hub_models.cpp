#include "chrome/hub_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace headlight::screens {

namespace {

struct HubModel {
    std::string_view what;     // for people
    std::string_view name;     // on the Hugging Face Hub
    std::string_view size;     // of what is fetched, on disk
    std::string_view licence;  // that its authors give it
};

// assets/manual/models.md has the same table; tests/ui/test_models.py compares the two.
constexpr std::array kModels{
    HubModel{"ViT-S/16, 1000 classes", "timm/vit_small_patch16_224.augreg_in21k_ft_in1k", "88 MB",
             "Apache 2.0"},
    HubModel{"DINO, maps follow objects", "timm/vit_small_patch16_224.dino", "87 MB", "Apache 2.0"},
    HubModel{"DINOv2", "facebook/dinov2-small", "88 MB", "Apache 2.0"},
    HubModel{"DINOv3", "timm/vit_small_patch16_dinov3.lvd1689m", "86 MB", "DINOv3 License"},
    HubModel{"CLIP, its vision tower", "openai/clip-vit-base-patch32", "605 MB", "MIT"},
    HubModel{"SigLIP, its vision tower", "google/siglip-base-patch16-224", "813 MB", "Apache 2.0"},
    HubModel{"SigLIP 2 for any aspect", "google/siglip2-base-patch16-naflex", "1.5 GB",
             "Apache 2.0"},
    HubModel{"Swin-T, which reads windows", "timm/swin_tiny_patch4_window7_224.ms_in1k", "113 MB",
             "MIT"},
    HubModel{"MAE's encoder", "timm/vit_base_patch16_224.mae", "343 MB", "CC BY-NC 4.0"},
};

// Two lines of Python that fetch it into a folder, which can be opened.
std::string python_of(const HubModel& model) {
    const std::string folder(model.name.substr(model.name.find('/') + 1));
    return fmt::format(
        "from huggingface_hub import snapshot_download\n"
        "snapshot_download(\"{}\", allow_patterns=[\"*.safetensors\", \"*.json\"], "
        "local_dir=\"{}\")\n",
        model.name, folder);
}

// Remembered while the program runs: the one whose lines were copied last.
struct HubMemory {
    std::size_t copied = kModels.size();
};

void row(Frame& frame, ui::Rect place, std::size_t i) {
    const HubModel& model = kModels.at(i);
    auto& copied = frame.memory.own<HubMemory>().copied;
    ui::Canvas canvas(frame.ui);
    const std::string name = fmt::format("model.get.{}", i + 1);
    frame.ui.report(
        name, fmt::format("{} | {} | {} | {}", model.what, model.name, model.size, model.licence));
    const auto mouse = ui::interact(frame.ui, name, place);
    if (mouse.hovered) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        canvas.fill(place, frame.colors().hover, frame.px(6));
        frame.ui.tooltip(std::string(model.name) + "\n\nA click copies two lines of Python:\n" +
                         python_of(model));
    }
    if (mouse.clicked) {
        ImGui::SetClipboardText(python_of(model).c_str());
        copied = i;
    }
    const std::string rest =
        copied == i ? "lines copied" : fmt::format("{} · {}", model.size, model.licence);
    const ui::TextStyle side{.color = copied == i ? frame.colors().ok : frame.colors().dim,
                             .align = ui::Align::right};
    place = place.inset(frame.px(8), 0);
    canvas.label(place.cut_right(std::min(canvas.measure(rest, side) + 1, place.w * 0.6F)), rest,
                 side);
    place.cut_right(frame.px(8));
    canvas.label(place, model.what, {});
}

}  // namespace

void hub_models_list(Frame& frame, ui::Rect& rest) {
    const ui::TextStyle dim{.color = frame.colors().dim};
    rest.cut_top(ui::Canvas(frame.ui).wrapped(
                     rest,
                     "A click copies two lines of Python that fetch one into a folder (pip install "
                     "huggingface_hub). Open that folder then.",
                     dim) +
                 frame.px(4));
    const float tall = frame.line() + frame.px(8);
    for (std::size_t i = 0; i < kModels.size(); ++i) row(frame, rest.cut_top(tall), i);
}

}  // namespace headlight::screens
