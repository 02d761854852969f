#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "files/safetensors.h"

namespace headlight {

namespace {

static_assert(std::endian::native == std::endian::little);

std::uint64_t count_values(const TensorToWrite& tensor) {
    std::uint64_t count = 0;
    for (const MatrixView& block : tensor.blocks)
        count += static_cast<std::uint64_t>(block.rows) * static_cast<std::uint64_t>(block.cols);
    std::uint64_t wanted = 1;
    for (const std::int64_t extent : tensor.shape) wanted *= static_cast<std::uint64_t>(extent);
    if (count != wanted)
        throw CheckpointError("tensor \"" + tensor.name + "\": expected " + std::to_string(wanted) +
                              " values for " + shape_text(tensor.shape) + ", found " +
                              std::to_string(count) + ".");
    return count;
}

std::string entry_text(const TensorToWrite& tensor, std::uint64_t begin, std::uint64_t end) {
    const nlohmann::ordered_json entry{
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    return nlohmann::json(tensor.name).dump() + ":" + entry.dump();
}

// File names may not be valid UTF-8.
std::string metadata_text(const std::map<std::string, std::string>& metadata) {
    if (metadata.empty()) return "";
    return "\"__metadata__\":" +
           nlohmann::json(metadata).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

void write_block(NewFile& file, const MatrixView& block) {
    const auto write = [&](const float* first, Index count) {
        file.write(std::as_bytes(std::span(first, static_cast<std::size_t>(count))));
    };
    if (block.stride == block.cols) return write(block.data, block.rows * block.cols);
    for (Index r = 0; r < block.rows; ++r) write(block.row(r), block.cols);
}

}  // namespace

SafetensorsLayout safetensors_layout(const SafetensorsContent& content) {
    SafetensorsLayout layout;
    nlohmann::json header = nlohmann::json::object();
    if (!content.metadata.empty()) header["__metadata__"] = content.metadata;
    for (const std::size_t each : {8, 4, 2, 1})
        for (const auto& [name, tensor] : content.tensors) {
            if (bytes_per_number(tensor.type) != each) continue;
            const std::uint64_t begin = layout.size;
            layout.size += *byte_count(tensor.shape, each);
            header[name] = {{"dtype", tensor.type},
                            {"shape", tensor.shape},
                            {"data_offsets", {begin, layout.size}}};
            layout.places[name] = begin;
        }
    std::string text = header.dump();
    const std::uint64_t length =
        (text.size() + sizeof(length) - 1) / sizeof(length) * sizeof(length);
    text.resize(length, ' ');  // aligns the data after the header
    layout.start.resize(sizeof(length));
    std::memcpy(layout.start.data(), &length, sizeof(length));
    layout.start += text;
    layout.size += layout.start.size();
    for (auto& [name, place] : layout.places) place += layout.start.size();
    return layout;
}

SafetensorsWriter::SafetensorsWriter(std::string path, std::size_t header_room,
                                     const std::map<std::string, std::string>& metadata)
    : file_(std::move(path)),
      metadata_(metadata),
      // Adds the braces and a comma, and aligns the data for readers that map the file.
      header_bytes_((header_room + metadata_text(metadata).size() + 3 + 7) / 8 * 8) {
    file_.write(bytes_of(std::string(sizeof(std::uint64_t) + header_bytes_, ' ')));
}

std::size_t SafetensorsWriter::room_for(const std::string& name, std::size_t rank) {
    constexpr std::size_t kDigits = 20;  // of a 64-bit number
    return nlohmann::json(name).dump().size() + 64 + (rank + 2) * (kDigits + 1);
}

void SafetensorsWriter::say(const std::string& key, const std::string& value) {
    metadata_[key] = value;
}

void SafetensorsWriter::write(const TensorToWrite& tensor) {
    if (!names_.insert(tensor.name).second)
        throw CheckpointError("tensor \"" + tensor.name +
                              "\": expected every name once, found this one twice.");
    const std::uint64_t end = next_ + count_values(tensor) * sizeof(float);
    entries_ += (entries_.empty() ? "" : ",") + entry_text(tensor, next_, end);
    next_ = end;
    for (const MatrixView& block : tensor.blocks) write_block(file_, block);
}

void SafetensorsWriter::write_header() {
    const std::string facts = metadata_text(metadata_);
    const bool both = !facts.empty() && !entries_.empty();
    std::string header = "{" + facts + (both ? "," : "") + entries_ + "}";
    if (header.size() > header_bytes_)
        throw std::logic_error("a safetensors header with less room than its tensors need");
    header.resize(header_bytes_, ' ');
    const std::uint64_t length = header_bytes_;
    file_.seek(0);
    file_.write(std::as_bytes(std::span(&length, 1)));
    file_.write(bytes_of(header));
}

void SafetensorsWriter::finish() {
    write_header();
    file_.finish();
}

}  // namespace headlight
