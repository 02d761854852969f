#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "analysis/prediction.h"
#include "cli/front.h"
#include "cli/json.h"
#include "cli/source.h"
#include "model/model.h"

// Runs several images through one model, for options such as --image.
namespace headlight::cli {

// Replaces each folder by its images in natural order. Throws WorkError if it has none.
std::vector<std::string> all_images(const std::vector<std::string>& named);

// The name of the text file beside the array `out` that lists several images. Throws UsageError if
// `out` is a .safetensors or .csv file, which holds one image, or a device or a folder, where no
// file can be beside it.
std::string list_beside(const std::string& out);

// With attention maps, each image needs its own sample of the batch. Throws WorkError if the file
// has fewer samples than images.
void expect_as_many_samples(const Model& model, std::size_t images);

// Runs `read` for one image. Returns the message of an exception caused by the image, or nothing.
// Rethrows others: wrong options, an interruption, no memory.
std::optional<std::string> trouble_with_image(const std::function<void()>& read);

// Collects the images that cannot be read, which are named on `warnings` and skipped. Errors in the
// model or the options, or in the only image, are rethrown.
class UnreadImages {
  public:
    struct Unread {
        std::string image, error;
    };

    UnreadImages(std::ostream& warnings, std::size_t images)
        : warnings_(warnings), images_(images) {}

    // Empty if the source's image cannot be read.
    std::optional<Beginning> begin(const Source& source);
    void add(const std::string& image, const std::string& error);
    [[nodiscard]] const std::vector<Unread>& all() const { return unread_; }
    // Throws WorkError if no image could be read; call before writing anything.
    void expect_some() const;
    // Throws WorkError if some could not be read; call after writing everything.
    void say() const;

  private:
    std::ostream& warnings_;
    std::size_t images_;
    std::vector<Unread> unread_;
};
// [{"file": …, "error": …}, …]
Json json_of(const UnreadImages& images);

// The class, "class_name" and "probability".
Json json_of(const Prediction& answer, const Model& model);

// {"model": …}, with "attention", "config" and "part" if they are given.
Json json_of(const SourceOptions& source);

// Throws UsageError if `out` is one of the images or of the source's files.
void expect_own_output(const std::string& out, const SourceOptions& source,
                       const std::vector<std::string>& images);

// "image 3 of 7", the index counted from 0.
std::string nth_image(std::size_t index, std::size_t count);

}  // namespace headlight::cli
