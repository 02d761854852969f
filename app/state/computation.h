#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "state/directory.h"
#include "state/model_cache.h"
#include "state/worker.h"

namespace headlight {

// The result of a recipe: a trace with statistics of its matrices. Empty before the first result.
struct Outcome {
    Recipe recipe;
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const Summary> summary;  // null exactly when the trace is null
    bool complete = true;  // false: what follows the selected layer is still to come
};

// Computes the current experiment and, in parallel, the baseline (A).
class Computation {
  public:
    // `wake` may be called from another thread, to say that a result is ready. `read_file` is
    // called from two background threads.
    Computation(const FileReader& read_file, const std::function<void()>& wake, const Pace& pace);

    // Empty before the first result, and where there is no picture.
    [[nodiscard]] const Outcome& now() const { return now_; }
    [[nodiscard]] const Outcome& pinned() const { return pinned_; }
    // The step at which the last computation failed; empty if it succeeded.
    [[nodiscard]] std::optional<Step> failed_at() const { return failed_at_; }
    // Whether the current result is complete and belongs to this recipe.
    [[nodiscard]] bool shows(const Recipe& recipe) const {
        return now_.trace && now_.complete && now_.recipe == recipe;
    }

    [[nodiscard]] bool busy() const { return worker_.busy() || pinned_worker_.busy(); }
    [[nodiscard]] bool busy_now() const { return worker_.busy(); }  // excluding the baseline
    [[nodiscard]] bool show_progress() const;
    [[nodiscard]] float progress() const { return worker_.progress(); }

    [[nodiscard]] const Recipe& requested() const { return requested_; }
    void request(const Recipe& recipe, Worker::Seen seen);
    void cancel() { worker_.cancel(); }
    // Replaces the request by a recipe with the same files as the current result. Starts no
    // computation.
    void take_back_to(const Recipe& recipe);
    // The outcome of the request, success or error. Follow it with accept() or refuse().
    std::optional<Finished> take();
    void accept(const Finished& finished);
    void refuse(const Finished& failed) { failed_at_ = failed.failed_at; }

    // Saves the current result as the baseline A.
    void pin();
    // Swaps the results after the current experiment and the baseline were swapped. Nothing is
    // computed if the baseline's result is there.
    void swap();
    // Sets the recipe of the baseline. Recomputes its result if needed, as after loading a session
    // or an undo.
    void request_pinned(const std::optional<Recipe>& recipe);
    // An error message if the baseline cannot be computed; empty text if its result has arrived;
    // nothing if there is no news. `recipe`: the baseline's current recipe.
    std::optional<std::string> take_pinned(const std::optional<Recipe>& recipe);

    // Whether the model's file has changed since it was opened. A deleted file does not count.
    [[nodiscard]] bool model_changed() const;
    // The same, but true only once per change.
    bool finds_model_changed();

  private:
    Outcome now_, pinned_;
    Recipe requested_, pinned_requested_;
    // The directory entry of the model's file at the time it was requested: for the request, the
    // current result, and A.
    DirectoryEntry opened_model_, shown_model_, pinned_model_;
    bool told_of_change_ = false;  // since the last change
    bool awaits_ = false;          // the worker is computing the current request
    std::optional<Step> failed_at_;
    ModelCache cache_;  // for both workers
    Worker worker_, pinned_worker_;
};

}  // namespace headlight
