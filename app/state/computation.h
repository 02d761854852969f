#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "state/directory.h"
#include "state/model_cache.h"
#include "state/worker.h"

namespace headlight {

// What came of a recipe: a trace with its matrices' statistics. Empty before the first.
struct Outcome {
    Recipe recipe;
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const Summary> summary;  // null exactly when the trace is
    bool complete = true;  // false: what follows the layer looked at is still to come
};

// What is computed: the experiment that is asked for, and beside it the one kept as A.
class Computation {
  public:
    // `wake` may be called from another thread: "there is something to take". `read_file` is called
    // from two others.
    Computation(const FileReader& read_file, const std::function<void()>& wake, const Pace& pace);

    // Null before the first, and where there is no picture.
    [[nodiscard]] const Outcome& now() const { return now_; }
    [[nodiscard]] const Outcome& pinned() const { return pinned_; }
    // The step that the last computation broke off at; nothing when it succeeded.
    [[nodiscard]] std::optional<Step> failed_at() const { return failed_at_; }
    // Whether the recipe is the one in view, with all that comes of it.
    [[nodiscard]] bool shows(const Recipe& recipe) const {
        return now_.trace && now_.complete && now_.recipe == recipe;
    }

    [[nodiscard]] bool busy() const { return worker_.busy() || pinned_worker_.busy(); }
    [[nodiscard]] bool busy_now() const { return worker_.busy(); }  // not with A
    [[nodiscard]] bool show_progress() const;
    [[nodiscard]] float progress() const { return worker_.progress(); }

    [[nodiscard]] const Recipe& requested() const { return requested_; }
    void request(const Recipe& recipe, Worker::Seen seen);
    void cancel() { worker_.cancel(); }
    // The request is taken back for one whose files are those of the result in view: nothing is
    // computed yet.
    void take_back_to(const Recipe& recipe);
    // What became of the request, good or bad; accept() and refuse() say what to make of it.
    std::optional<Finished> take();
    void accept(const Finished& finished);
    void refuse(const Finished& failed) { failed_at_ = failed.failed_at; }

    // The present result is kept as A.
    void pin();
    // The experiments of now and A have changed places: so do their results, where A's is there,
    // and nothing has to be computed.
    void swap();
    // What is kept as A is this; computed again, after a session or an undo, where it is not there.
    void request_pinned(const std::optional<Recipe>& recipe);
    // The sentence of one that cannot be; empty where it is there now, nothing where there is no
    // news. `recipe`: as it is wanted now.
    std::optional<std::string> take_pinned(const std::optional<Recipe>& recipe);

    // Whether the model's file is another by now than was opened; one that is gone is not.
    [[nodiscard]] bool model_changed() const;
    // The same, once.
    bool finds_model_changed();

  private:
    Outcome now_, pinned_;
    Recipe requested_, pinned_requested_;
    // The model's file as it was when it was asked for: the one requested, the one in view, A's.
    DirectoryEntry opened_model_, shown_model_, pinned_model_;
    bool told_of_change_ = false;  // since then
    bool awaits_ = false;          // what the worker makes is what is requested
    std::optional<Step> failed_at_;
    ModelCache cache_;  // of both
    Worker worker_, pinned_worker_;
};

}  // namespace headlight
