#include "program/frame_line.h"

namespace headlight {

namespace {

// torchvision's constants are PyTorch's names in capitals.
std::string constant(std::string name) {
    for (char& c : name) c = static_cast<char>(c - 'a' + 'A');
    return name;
}

std::string resized(const std::string& photo, const std::string& size, const Preprocessing& how) {
    const std::string kernel(name_of(how.interpolation));
    if (how.eight_bit) return "TF.resize(" + photo + ", " + size + ", " + constant(kernel) + ")";
    return "F.interpolate(" + photo + ", " + size + ", mode='" + kernel + "', antialias=True)";
}

// timm's ResizeKeepRatio: the picture covers the size, or fits into it.
std::string resized_keeping_ratio(const std::string& photo, const std::string& size,
                                  const Preprocessing& how) {
    const char* longest = how.framing == Framing::fit ? "1.0" : "0.0";
    return "ResizeKeepRatio(" + size + ", longest=" + longest + ", interpolation='" +
           std::string(name_of(how.interpolation)) + "')(" + photo + ")";
}

}  // namespace

// The aspect is adjusted before the picture is resized, or after.
std::string framing_line(const Preprocessing& how, bool grey) {
    const std::string photo = grey ? "rgb_to_grayscale(photo)" : "photo";
    if (how.keeps_size) return "I = TF.center_crop(" + photo + ", size)";
    if (how.resize) {
        const auto [height, width] = *how.resize;
        const bool shorter = how.framing == Framing::crop && height == width;
        const std::string to =
            shorter ? std::to_string(height)
                    : "(" + std::to_string(height) + ", " + std::to_string(width) + ")";
        const std::string whole = how.framing == Framing::stretch || shorter
                                      ? resized(photo, to, how)
                                      : resized_keeping_ratio(photo, to, how);
        return "I = TF.center_crop(" + whole + ", size)";
    }
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
