#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "encoder/runner.h"
#include "state/directory.h"

namespace headlight {

// The models in use, so that two results of one file share one model that is read once. A model is
// reused if the file, the options and the interpretation are the same, and none of the files that
// it was read from has changed on the disk.
class ModelCache {
  public:
    explicit ModelCache(FileReader read_file) : read_file_(std::move(read_file)) {}

    // For runners in several tasks; the cache must outlive them. If another task is reading the
    // same model, the caller waits for it.
    ModelSource source();

  private:
    struct Entry {
        Recipe wanted;                      // only the model's part matters
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
    std::mutex guard_;  // guards the next two
    std::condition_variable was_read_;
    Entries entries_;
};

}  // namespace headlight
