#pragma once

#include <memory>
#include <string>
#include <vector>

#include "files/error.h"
#include "files/file.h"
#include "files/stored_tensor.h"
#include "kernels/result.h"
#include "kernels/stop.h"

namespace headlight {

// Names → tensors of one file or of several shards. Nothing is read or converted before it is asked
// for; copies share the files' bytes.
class TensorFile {
  public:
    // `stop` ends the reading of any tensor, which then throws Stopped.
    TensorFile(std::string name, StoredTensors tensors, StopFlag stop = {})
        : name_(std::move(name)),
          tensors_(std::make_shared<const StoredTensors>(std::move(tensors))),
          stop_(std::move(stop)) {}

    // Other tensors, or the same under other names, of the same file.
    [[nodiscard]] TensorFile with(StoredTensors tensors) const {
        return {name_, std::move(tensors), stop_};
    }

    [[nodiscard]] const std::string& name() const { return name_; }  // for errors
    [[nodiscard]] const StoredTensors& tensors() const { return *tensors_; }
    [[nodiscard]] bool has(const std::string& tensor) const { return find(tensor) != nullptr; }
    [[nodiscard]] const StoredTensor* find(const std::string& tensor) const;

    // The tensor's numbers as [rows, cols], whatever its rank: rows·cols must be its size. F32 in
    // row-major order that lies in memory at an address that suits floats: a window into that, no
    // copy. Otherwise read and converted. Throws CheckpointError: missing, another size, a NaN or
    // infinity, naming the tensor and the position; what reading the file throws; Stopped.
    [[nodiscard]] SharedResult matrix(const std::string& tensor, Index rows, Index cols) const;

    // A converted copy in row-major order, for layouts that must be permuted. Throws
    // CheckpointError: missing, a NaN or infinity; what reading the file throws; Stopped.
    [[nodiscard]] std::vector<float> values(const std::string& tensor) const;

  private:
    [[nodiscard]] const StoredTensor& get(const std::string& tensor) const;
    void expect_finite(const std::string& tensor, std::span<const float> values) const;

    std::string name_;
    std::shared_ptr<const StoredTensors> tensors_;
    StopFlag stop_;
};

// Opens a checkpoint; its content says which format it has, its name does not matter:
//   safetensors; PyTorch's .pth; numpy's .npz, and .npy, whose one tensor has the file's name;
//   the index of a safetensors checkpoint in several shards, {"weight_map": {tensor: file}}, or one
//   of its shards, MODEL-00001-of-00003.safetensors, whose index MODEL.safetensors.index.json is
//   then read. The files that an index names must lie beside it.
// Throws CheckpointError where the file is another one (for old PyTorch pickles and whole modules,
// of which nothing is executed, with lines of Python), damaged, or a shard is missing;
// Stopped; what `read` throws. `stop` is asked later too: see TensorFile.
TensorFile open_tensor_file(const std::string& path, const FileReader& read,
                            const StopFlag& stop = {});

}  // namespace headlight
