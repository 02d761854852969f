#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "encoder/runner.h"
#include "state/directory.h"

namespace headlight {

// The models that are in use, so that two results of one file are results of one model and it is
// read once: the same file with the same options, in the same reading, and none of the files that
// it was read from has changed on the disk since.
class ModelCache {
  public:
    explicit ModelCache(FileReader read_file) : read_file_(std::move(read_file)) {}

    // For runners in several tasks; the cache has to outlive them. One that wants what another is
    // reading waits for it.
    ModelSource source();

  private:
    struct Entry {
        Recipe wanted;                      // of which the model counts
        std::vector<DirectoryEntry> files;  // as they were when they were read
        std::weak_ptr<const Model> model;
        bool being_read = true;
    };
    using Entries = std::list<Entry>;

    std::shared_ptr<const Model> take(const Recipe& recipe, const ModelRead& read,
                                      const StopFlag& stop);
    std::shared_ptr<const Model> read_into(Entries::iterator entry, const ModelRead& read);
    Entries::iterator find(const Recipe& recipe);
    void forget_dead();

    FileReader read_file_;
    std::mutex guard_;  // of the next two
    std::condition_variable was_read_;
    Entries entries_;
};

}  // namespace headlight
