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

// The tensors of one file or of several shards, by name. Tensors are only read and converted on
// request; copies share the files' bytes.
class TensorFile {
  public:
    // A stop request ends the reading of any tensor, which then throws Stopped.
    TensorFile(std::string name, StoredTensors tensors, StopFlag stop = {})
        : name_(std::move(name)),
          tensors_(std::make_shared<const StoredTensors>(std::move(tensors))),
          stop_(std::move(stop)) {}

    // The same file with other tensors, or with other names for them.
    [[nodiscard]] TensorFile with(StoredTensors tensors) const {
        return {name_, std::move(tensors), stop_};
    }

    [[nodiscard]] const std::string& name() const { return name_; }  // for errors
    [[nodiscard]] const StoredTensors& tensors() const { return *tensors_; }
    [[nodiscard]] bool has(const std::string& tensor) const { return find(tensor) != nullptr; }
    [[nodiscard]] const StoredTensor* find(const std::string& tensor) const;

    // The tensor's numbers as [rows, cols], for any rank; rows·cols must be its size. Row-major F32
    // at an aligned address in memory is not copied; anything else is read and converted. Throws
    // CheckpointError, with the tensor and the position, for a missing tensor, another size, and a
    // NaN or infinity. Throws the exceptions of reading the file, and Stopped.
    [[nodiscard]] SharedResult matrix(const std::string& tensor, Index rows, Index cols) const;

    // A converted copy in row-major order, for layouts that must be permuted. Throws
    // CheckpointError for a missing tensor and for a NaN or infinity; the exceptions of reading the
    // file; Stopped.
    [[nodiscard]] std::vector<float> values(const std::string& tensor) const;

  private:
    [[nodiscard]] const StoredTensor& get(const std::string& tensor) const;
    void expect_finite(const std::string& tensor, std::span<const float> values) const;

    std::string name_;
    std::shared_ptr<const StoredTensors> tensors_;
    StopFlag stop_;
};

// Opens a checkpoint. The format is recognized by content, not by name:
//   safetensors; PyTorch's .pth; NumPy's .npz, and .npy, whose only tensor gets the file's name;
//   the index of a safetensors checkpoint in several shards, {"weight_map": {tensor: file}}, or one
//   of its shards, MODEL-00001-of-00003.safetensors, for which the index
//   MODEL.safetensors.index.json is read. The files in an index must be in the same folder.
// Throws CheckpointError for other and damaged files and missing shards. For old PyTorch pickles
// and whole modules, which are never executed, the message contains conversion lines in Python.
// Throws Stopped and the exceptions of `read`. `stop` is also used later: see TensorFile.
TensorFile open_tensor_file(const std::string& path, const FileReader& read,
                            const StopFlag& stop = {});

}  // namespace headlight
