#include "state/thumbnails.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <span>
#include <stdexcept>
#include <utility>

#include "disk/files.h"
#include "disk/names.h"
#include "disk/read_file.h"
#include "scene/render.h"
#include "scene/scene_file.h"

namespace headlight {

namespace fs = std::filesystem;

namespace {

FileBytes read_small_file(const fs::path& path) {
    const FileState file = state_of(path);
    // Reading a pipe or a device could block forever.
    if (file.kind != FileKind::file) throw std::runtime_error("This is not a file.");
    if (file.bytes > Thumbnails::kBytes)
        throw std::runtime_error("The file is too large for a preview.");
    return read_file(path.string()).bytes();
}

Image picture_in(std::span<const std::byte> file, const std::string& name) {
    if (is_scene_name(name)) return to_image(draw_scene(scene_from_json(file, name)));
    return decode_image(file, name, Thumbnails::kPixels, Alpha::white);
}

// Never enlarges: a small picture keeps its own pixels.
Image shrink(const Image& image, int max_side) {
    const double factor = static_cast<double>(max_side) / std::max(image.width, image.height);
    if (factor >= 1) return image;
    const auto side = [&](int whole) {
        return std::max(1, static_cast<int>(std::lround(whole * factor)));
    };
    return frame_image(image, side(image.height), side(image.width), Framing::stretch);
}

}  // namespace

Thumbnail make_thumbnail(const fs::path& path, int max_side) {
    Thumbnail made;
    try {
        const Image image = picture_in(read_small_file(path), path.filename().string());
        made.width = image.width;
        made.height = image.height;
        made.image = std::make_shared<const Image>(shrink(image, max_side));
    } catch (const std::exception& e) {  // also lack of memory
        made.error = e.what();
    }
    if (made.pending()) made.error = "The image cannot be read.";
    return made;
}

Thumbnails::Thumbnails(std::function<void()> wake, std::size_t capacity)
    : wake_(std::move(wake)),
      capacity_(std::max<std::size_t>(1, capacity)),
      task_([this] { return make_next(); }) {}

Thumbnail Thumbnails::request(const fs::path& path, fs::file_time_type written, int max_side) {
    const Key key{path, written, max_side};
    const std::lock_guard lock(guard_);
    if (const auto found = kept_.find(key); found != kept_.end()) {
        found->second.used = ++requests_;
        return found->second.thumbnail;
    }
    if (making_ == key) return {};
    std::erase(waiting_, key);
    waiting_.push_front(key);
    if (waiting_.size() > capacity_) waiting_.pop_back();
    task_.poke();
    return {};
}

bool Thumbnails::pending() const {
    const std::lock_guard lock(guard_);
    return making_ || !waiting_.empty();
}

bool Thumbnails::make_next() {
    Key key;
    {
        const std::lock_guard lock(guard_);
        if (waiting_.empty()) return false;
        key = std::move(waiting_.front());
        waiting_.pop_front();
        making_ = key;
    }
    Thumbnail made = make_thumbnail(key.path, key.max_side);
    {
        const std::lock_guard lock(guard_);
        making_.reset();
        keep(key, std::move(made));
    }
    if (wake_) wake_();
    return true;
}

// Call with guard_ locked, as for drop_oldest().
void Thumbnails::keep(const Key& key, Thumbnail made) {
    if (kept_.size() >= capacity_) drop_oldest();
    kept_[key] = {std::move(made), ++requests_};
}

void Thumbnails::drop_oldest() {
    kept_.erase(
        std::ranges::min_element(kept_, {}, [](const auto& item) { return item.second.used; }));
}

}  // namespace headlight
