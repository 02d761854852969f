#include "program/frame_line.h"

namespace headlight {

namespace {

// torchvision's constants are PyTorch's words in capitals.
std::string constant(std::string name) {
    for (char& c : name) c = static_cast<char>(c - 'a' + 'A');
    return name;
}

std::string resized(const std::string& photo, const std::string& size, const Preprocessing& how) {
    const std::string kernel(name_of(how.interpolation));
    if (how.eight_bit) return "TF.resize(" + photo + ", " + size + ", " + constant(kernel) + ")";
    return "F.interpolate(" + photo + ", " + size + ", mode='" + kernel + "', antialias=True)";
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
