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

// A checkpoint as torch.save writes it since PyTorch 1.6: a zip archive with data.pkl, which
// describes how tensors refer to storages, and a member data/KEY for each storage
// (torch/serialization.py, torch/_utils.py). It is read as data; nothing in it is called.
class TorchArchive {
  public:
    // True if the members are those of such an archive.
    static bool is_one(const std::vector<ZipMember>& members);

    // Throws CheckpointError for TorchScript, another byte order, and as described in pickle.h;
    // Stopped.
    TorchArchive(const std::vector<ZipMember>& members, const std::string& name,
                 const StopFlag& stop);

    [[nodiscard]] const Pickle& pickle() const { return *pickle_; }
    // True if torch would create a tensor from it, even one that Headlight cannot read.
    [[nodiscard]] bool is_tensor(PickleId id) const;
    // The shape of a tensor, if it has one that can be read.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> shape(PickleId id) const;
    // The tensor; its numbers are only read later. `label` is its name in errors. Throws
    // CheckpointError for a kind of tensor that Headlight does not read, inconsistent sizes, and
    // numbers outside its storage.
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
    std::map<std::string, File, std::less<>> storages_;  // by key
};

}  // namespace headlight
