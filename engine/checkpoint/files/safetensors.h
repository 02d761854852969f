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

// The safetensors format (github.com/huggingface/safetensors, "Format"): 8 bytes of little-endian
// header length, a JSON header, then the tensors' bytes. The header is never trusted.
namespace headlight {

// A tensor of any rank, row-major, converted to float.
struct NamedTensor {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
    std::string type = "F32";  // type in the file: StoredTensor::type
};
using TensorMap = std::map<std::string, NamedTensor>;

inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // as in the reference reader

// The tensors of the header, checked against the size of the file, without reading any numbers.
// Their bytes are parts of `file`. `name` appears in errors only. Includes the aliases in the
// metadata (aliases.h). Throws CheckpointError for a truncated file; a header that is too long, not
// JSON or nested too deeply; a repeated name; more than kMaxTensors; offsets outside the file;
// overlaps and gaps, which the format forbids; sizes that do not match the shape; and a type that
// StoredTensor does not support. Throws Stopped.
StoredTensors safetensors_entries(const File& file, const std::string& name,
                                  const StopFlag& stop = {});

// The same with separate metadata, for checkpoints in several files: an alias in one shard may
// refer to a tensor of another.
struct SafetensorsContent {
    StoredTensors tensors;
    Metadata metadata;
};
SafetensorsContent safetensors_content(const File& file, const std::string& name,
                                       const StopFlag& stop = {});

// The layout of a file with these types and shapes. Tensors with the widest types come first, so
// that all are aligned if the file is. The tensors' bytes are not used.
struct SafetensorsLayout {
    std::string start;                            // header length and header
    std::map<std::string, std::uint64_t> places;  // per tensor: its first byte in the file
    std::uint64_t size = 0;                       // of the file, in bytes
};
SafetensorsLayout safetensors_layout(const SafetensorsContent& content);

// The same with all tensors converted to float; for small files.
TensorMap read_safetensors(std::span<const std::byte> bytes, const std::string& name);

// A tensor to write. The caller keeps its values, which are written row by row.
struct TensorToWrite {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<MatrixView> blocks;  // in file order; their sizes must add up to the shape
};

// Writes a NewFile tensor by tensor, all as F32, so that no tensor needs to be kept. All functions
// throw CheckpointError if writing fails.
class SafetensorsWriter {
  public:
    // The header precedes the tensors, so its space is reserved first: `header_room` is the sum of
    // room_for() over all tensors that may come. metadata: about the file as a whole.
    SafetensorsWriter(std::string path, std::size_t header_room,
                      const std::map<std::string, std::string>& metadata = {});

    // Upper limit for the bytes of one tensor in the header.
    static std::size_t room_for(const std::string& name, std::size_t rank);

    // Adds metadata, within the reserved space.
    void say(const std::string& key, const std::string& value);

    // Also throws if the name was already written, or if the blocks do not add up to the shape.
    void write(const TensorToWrite& tensor);
    void finish();

  private:
    void write_header();

    NewFile file_;
    std::map<std::string, std::string> metadata_;
    std::string entries_;  // the header's tensor entries so far
    std::size_t header_bytes_;
    std::set<std::string> names_;
    std::uint64_t next_ = 0;  // offset in the data, in bytes
};

}  // namespace headlight
