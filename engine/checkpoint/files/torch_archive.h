#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/pickle.h"
#include "files/stored_tensor.h"
#include "files/zip.h"

namespace headlight {

// A checkpoint as torch.save writes it since PyTorch 1.6: a zip archive with data.pkl, which says
// how tensors lie in storages, and a member data/KEY for each storage (torch/serialization.py,
// torch/_utils.py). Read as data; nothing in it is called.
class TorchArchive {
  public:
    // Whether these are the members of such an archive.
    static bool is_one(const std::vector<ZipMember>& members);

    // Throws CheckpointError: TorchScript, another byte order, what pickle.h says; Stopped.
    TorchArchive(const std::vector<ZipMember>& members, const std::string& name,
                 const StopFlag& stop);

    [[nodiscard]] const Pickle& pickle() const { return *pickle_; }
    // Whether torch would make a tensor of it; also of one that Headlight cannot read.
    [[nodiscard]] bool is_tensor(PickleId id) const;
    // Of a tensor; nothing where it has none that can be read.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> shape(PickleId id) const;
    // Its numbers stay where they are until they are read. `label` is its name in errors. Throws
    // CheckpointError: a kind of tensor that Headlight does not read, sizes that disagree, numbers
    // outside of its storage.
    [[nodiscard]] StoredTensor tensor(PickleId id, const std::string& label) const;

  private:
    struct View;

    [[nodiscard]] PickleId call_of(PickleId id, const char*& problem) const;
    [[nodiscard]] View view_of(PickleId id) const;
    [[nodiscard]] File storage(const View& view, const std::string& label) const;
    [[nodiscard]] std::optional<std::vector<std::int64_t>> whole_numbers(PickleId id) const;
    void read_storage(PickleId id, View& view) const;

    std::string name_;
    StopFlag stop_;
    FileBytes bytes_;  // of data.pkl
    std::unique_ptr<const Pickle> pickle_;
    std::map<std::string, File, std::less<>> storages_;  // by their keys
};

}  // namespace headlight
