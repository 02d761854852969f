#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "files/aliases.h"
#include "files/error.h"
#include "files/file.h"
#include "files/new_file.h"
#include "files/stored_tensor.h"
#include "kernels/matrix.h"

// The safetensors format (github.com/huggingface/safetensors, "Format"): 8 bytes little-endian
// header length, a JSON header, then the tensors' bytes. The header is never trusted.
namespace headlight {

// A tensor of any rank, row-major, converted to float.
struct NamedTensor {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
    std::string type = "F32";  // in the file: StoredTensor::type
};
using TensorMap = std::map<std::string, NamedTensor>;

inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // as in the reference reader

// What the header says, held against the file; no number is looked at, or read. The tensors' bytes
// are parts of `file`. `name` appears in errors only. With the tensors that the metadata names as
// aliases (aliases.h).
// Throws CheckpointError: truncated, header too long or not JSON or nested deeper than a header is,
// a name twice, more than kMaxTensors, offsets outside the file, overlaps and gaps (the format
// forbids both), sizes that do not match their shape, a type that StoredTensor has not; Stopped.
StoredTensors safetensors_entries(const File& file, const std::string& name,
                                  const StopFlag& stop = {});

// The same with the metadata apart, as several files together may need it: a shard's alias can
// stand for a tensor of another shard.
struct SafetensorsContent {
    StoredTensors tensors;
    Metadata metadata;
};
SafetensorsContent safetensors_content(const File& file, const std::string& name,
                                       const StopFlag& stop = {});

// A file of these types and shapes: tensors with the largest numbers first, so that all are aligned
// where the file is. The tensors' bytes are not looked at.
struct SafetensorsLayout {
    std::string start;                            // length and header
    std::map<std::string, std::uint64_t> places;  // of each tensor: its first byte in the file
    std::uint64_t size = 0;                       // bytes of the file
};
SafetensorsLayout safetensors_layout(const SafetensorsContent& content);

// The same with all tensors converted: for small files.
TensorMap read_safetensors(std::span<const std::byte> bytes, const std::string& name);

// One tensor to be written; its values stay with the caller. Rows are written one after another.
struct TensorToWrite {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<MatrixView> blocks;  // in the order of the file; their sizes add up to the shape
};

// Writes a NewFile tensor by tensor, so that none has to be kept, all as F32. Everything throws
// CheckpointError when it cannot be written.
class SafetensorsWriter {
  public:
    // The header stands before the tensors, so its room is set aside first: the sum of room_for()
    // of all tensors that may come. metadata: what is said of the file as a whole.
    SafetensorsWriter(std::string path, std::size_t header_room,
                      const std::map<std::string, std::string>& metadata = {});

    // At most so many bytes of the header are one tensor's.
    static std::size_t room_for(const std::string& name, std::size_t rank);

    // More metadata, within the room that was set aside.
    void say(const std::string& key, const std::string& value);

    // Also throws where the name was written before, or the blocks do not add up to the shape.
    void write(const TensorToWrite& tensor);
    void finish();

  private:
    void write_header();

    NewFile file_;
    std::map<std::string, std::string> metadata_;
    std::string entries_;  // of the header's tensors, as far as they go
    std::size_t header_bytes_;
    std::set<std::string> names_;
    std::uint64_t next_ = 0;  // byte of the data
};

}  // namespace headlight
