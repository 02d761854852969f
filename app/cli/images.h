#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/front.h"
#include "cli/json.h"
#include "model/model.h"

// Several images through one model, as --image names them.
namespace headlight::cli {

// A folder stands for all images in it, in natural order. Throws WorkError where it has none.
std::vector<std::string> all_images(const std::vector<std::string>& named);

// The file that names several images, beside the array `out`. Throws UsageError where `out` is a
// .safetensors file, which holds one image, or a device or a folder, which has nothing beside it.
std::string list_beside(const std::string& out);

// Of several images each has its own sample of a batch of attention maps. Throws WorkError where
// the file has not as many.
void expect_as_many_samples(const Model& model, std::size_t images);

// What is wrong with one image, as `read` throws it; nothing where it throws nothing. What is no
// image's fault is thrown on: wrong options, an interruption, no memory.
std::optional<std::string> trouble_with_image(const std::function<void()>& read);

// Of several images those that cannot be read, which are named on `warnings` and left out. What is
// wrong with the model or the options, or with the only image, is thrown on.
class UnreadImages {
  public:
    struct Unread {
        std::string image, error;
    };

    UnreadImages(std::ostream& warnings, std::size_t images)
        : warnings_(warnings), images_(images) {}

    // Nothing where the image of the source cannot be read.
    std::optional<Beginning> begin(const Source& source);
    void add(const std::string& image, const std::string& error);
    [[nodiscard]] const std::vector<Unread>& all() const { return unread_; }
    // Throws WorkError where no image could be read, before anything is written.
    void expect_some() const;
    // Throws WorkError where some could not be read, after all is written.
    void say() const;

  private:
    std::ostream& warnings_;
    std::size_t images_;
    std::vector<Unread> unread_;
};
// [{"file": …, "error": …}, …]
Json json_of(const UnreadImages& images);

}  // namespace headlight::cli
