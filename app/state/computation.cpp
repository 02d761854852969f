#include "state/computation.h"

#include <utility>

#include "state/state.h"

namespace headlight {

namespace {

constexpr std::chrono::milliseconds kPatience{50};  // before progress is shown

}  // namespace

Computation::Computation(const FileReader& read_file, const std::function<void()>& wake,
                         const Pace& pace)
    : cache_(read_file),
      worker_(read_file, wake, pace, cache_.source()),
      pinned_worker_(read_file, wake, pace, cache_.source()) {}

bool Computation::show_progress() const { return worker_.running_for() > kPatience; }

void Computation::request(const Recipe& recipe, Worker::Seen seen) {
    // It was swapped in from the baseline.
    if (!awaits_ && requested_ == recipe && shows(recipe)) return;
    if (recipe.weights != requested_.weights || recipe.reading != requested_.reading) {
        opened_model_ = describe_file(recipe.weights);
        told_of_change_ = false;
    }
    requested_ = recipe;
    awaits_ = true;
    if (has_input(requested_)) return worker_.request(requested_, seen);
    worker_.cancel();
    now_.trace.reset();
    now_.summary.reset();  // no picture, nothing to show
}

void Computation::take_back_to(const Recipe& recipe) {
    if (recipe.weights != requested_.weights) opened_model_ = shown_model_;
    requested_ = recipe;
}

void Computation::accept(const Finished& finished) {
    failed_at_.reset();
    if (finished.recipe.weights == requested_.weights) shown_model_ = opened_model_;
    now_ = {finished.recipe, finished.trace, finished.summary, finished.complete};
}

std::optional<Finished> Computation::take() {
    std::optional<Finished> finished = worker_.poll();
    while (finished && !awaits_) finished = worker_.poll();
    return finished;
}

void Computation::pin() {
    pinned_ = now_;
    pinned_model_ = shown_model_;
    pinned_worker_.cancel();
}

void Computation::swap() {
    if (!pinned_.trace) return;
    std::swap(now_, pinned_);
    std::swap(shown_model_, pinned_model_);
    opened_model_ = shown_model_;
    told_of_change_ = false;
    failed_at_.reset();
    requested_ = now_.recipe;
    // The running computation belongs to what is now the baseline.
    awaits_ = false;
    worker_.cancel();
}

void Computation::request_pinned(const std::optional<Recipe>& recipe) {
    if (!recipe) {
        pinned_ = {};
        pinned_worker_.cancel();
        return;
    }
    if (pinned_.trace && pinned_.complete && pinned_.recipe == *recipe) return;
    if (shows(*recipe)) return pin();
    pinned_ = {};
    if (pinned_worker_.busy() && pinned_requested_ == *recipe) return;
    pinned_requested_ = *recipe;
    pinned_model_ = describe_file(recipe->weights);
    pinned_worker_.request(*recipe);
}

std::optional<std::string> Computation::take_pinned(const std::optional<Recipe>& recipe) {
    std::optional<std::string> news;
    while (const std::optional<Finished> finished = pinned_worker_.poll()) {
        if (!recipe || !(finished->recipe == *recipe) || pinned_.trace || finished->canceled)
            continue;
        news = finished->error;
        if (finished->trace) pinned_ = {finished->recipe, finished->trace, finished->summary, true};
    }
    return news;
}

bool Computation::model_changed() const {
    if (requested_.weights.empty()) return false;
    const DirectoryEntry now = describe_file(requested_.weights);
    const bool there = now.written != DirectoryEntry().written;
    return there && (now.bytes != opened_model_.bytes || now.written != opened_model_.written);
}

bool Computation::finds_model_changed() {
    if (busy() || !now_.trace || told_of_change_ || !model_changed()) return false;
    told_of_change_ = true;
    return true;
}

}  // namespace headlight
