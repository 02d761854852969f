#include "cli/images.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <ostream>

#include "cli/errors.h"
#include "disk/files.h"
#include "disk/names.h"

namespace headlight::cli {

namespace {

std::vector<std::string> images_in(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.is_regular_file() && is_image_name(entry.path().filename().string()))
            names.push_back(entry.path().filename().string());
    if (names.empty()) throw WorkError(folder + ": expected images, found none in this folder.");
    std::ranges::sort(names, natural_less);
    for (std::string& name : names) name = (std::filesystem::path(folder) / name).string();
    return names;
}

}  // namespace

std::vector<std::string> all_images(const std::vector<std::string>& named) {
    std::vector<std::string> all;
    for (const std::string& image : named)
        if (is_folder(image)) {
            const std::vector<std::string> inside = images_in(image);
            all.insert(all.end(), inside.begin(), inside.end());
        } else {
            all.push_back(image);
        }
    return all;
}

std::string list_beside(const std::string& out) {
    if (out.ends_with(".safetensors") || out.ends_with(".csv"))
        throw UsageError("--out: expected .npy or .npz for several images, found " + out + ".");
    const FileKind kind = state_of(out).kind;
    if ((kind != FileKind::nothing && kind != FileKind::file) || out.starts_with("/dev/"))
        throw UsageError(
            "--out: expected a regular file, because the images' names go to a .txt file next to "
            "it, found " +
            out + ".");
    return out + ".txt";
}

void expect_as_many_samples(const Model& model, std::size_t images) {
    if (static_cast<std::size_t>(model.map_samples) == images) return;
    throw WorkError(model.file + ": expected one image per sample, " +
                    std::to_string(model.map_samples) + ", found " + std::to_string(images) + ".");
}

std::optional<std::string> trouble_with_image(const std::function<void()>& read) {
    try {
        read();
        return std::nullopt;
    } catch (const UsageError&) {
        throw;
    } catch (const Stopped&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        return sentence_of(error);
    }
}

std::optional<Beginning> UnreadImages::begin(const Source& source) {
    if (images_ == 1) return beginning_of(source);
    std::optional<Beginning> beginning;
    const auto why = trouble_with_image([&] { beginning = beginning_of(source); });
    if (why) add(source.image, *why);
    return beginning;
}

void UnreadImages::add(const std::string& image, const std::string& error) {
    const bool named = error.find(image) != std::string::npos;
    warnings_ << "headlight: " << one_line(named ? error : image + ": " + error) << '\n';
    unread_.push_back({image, error});
}

Json json_of(const UnreadImages& images) {
    Json list = Json::array();
    for (const auto& [image, error] : images.all())
        list.push_back({{"file", image}, {"error", error}});
    return list;
}

void UnreadImages::expect_some() const {
    if (unread_.size() == images_)
        throw WorkError(std::to_string(images_) + " of " + std::to_string(images_) +
                        " images could not be read, so nothing was written.");
}

void UnreadImages::say() const {
    if (!unread_.empty())
        throw WorkError(std::to_string(unread_.size()) + " of " + std::to_string(images_) +
                        " images could not be read.");
}

Json json_of(const Prediction& answer, const Model& model) {
    return {{"class", answer.index},
            {"class_name", class_name(model, answer.index)},
            {"probability", answer.probability}};
}

Json json_of(const SourceOptions& source) {
    Json json{{"model", source.model}};
    if (!source.attention.empty()) json["attention"] = Json::parse(source.attention);
    if (!source.config.empty()) json["config"] = source.config;
    if (!source.part.empty()) json["part"] = source.part;
    return json;
}

void expect_own_output(const std::string& out, const SourceOptions& source,
                       const std::vector<std::string>& images) {
    for (const std::string& image : images) expect_another_file(out, "--image", image);
    expect_own_output(out, source);
}

std::string nth_image(std::size_t index, std::size_t count) {
    return "image " + std::to_string(index + 1) + " of " + std::to_string(count);
}

}  // namespace headlight::cli
