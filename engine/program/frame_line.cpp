#include "program/frame_line.h"

#include <array>
#include <string_view>

namespace headlight {

namespace {

struct Name {
    std::string_view torch, torchvision;
};

Name name_of(Interpolation interpolation) {
    constexpr std::array<Name, 4> names{{{"bilinear", "BILINEAR"},
                                         {"bicubic", "BICUBIC"},
                                         {"lanczos", "LANCZOS"},
                                         {"nearest", "NEAREST"}}};
    return names.at(static_cast<std::size_t>(interpolation));
}

std::string resized(const std::string& photo, const std::string& size, const Preprocessing& how) {
    const Name name = name_of(how.interpolation);
    if (how.eight_bit)
        return "TF.resize(" + photo + ", " + size + ", " + std::string(name.torchvision) + ")";
    return "F.interpolate(" + photo + ", " + size + ", mode='" + std::string(name.torch) +
           "', antialias=True)";
}

}  // namespace

// The frame's aspect is met before the picture is resized, or after.
std::string framing_line(const Preprocessing& how, bool grey) {
    const std::string photo = grey ? "rgb_to_grayscale(photo)" : "photo";
    if (how.resize)
        return "I = TF.center_crop(" + resized(photo, std::to_string(*how.resize), how) + ", size)";
    switch (how.framing) {
        case Framing::crop:
            return "I = " + resized("center_crop(" + photo + ")", "size", how);
        case Framing::fit:
            return "I = center_pad(" + resized(photo, "size", how) + ")";
        case Framing::stretch:
            break;
    }
    return "I = " + resized(photo, "size", how);
}

}  // namespace headlight
