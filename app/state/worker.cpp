#include "state/worker.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "tasks/suspender.h"

namespace headlight {

namespace {

// The message of the exception being handled.
std::string what_went_wrong() {
    std::string sentence;
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return "There is not enough memory for this. Choose a smaller image, larger patches or "
               "fewer heads.";
    } catch (const std::exception& e) {
        sentence = e.what();
    } catch (...) {
        sentence.clear();
    }
    return sentence.empty() ? "The computation failed for an unknown reason. Try again, or undo "
                              "the last change (Ctrl+Z)."
                            : sentence;
}

}  // namespace

Worker::Worker(FileReader read_file, std::function<void()> wake, const Pace& pace,
               ModelSource models)
    : runner_(
          std::move(read_file), [this](const Trace& layer) { gather(layer); }, std::move(models)),
      pace_(pace),
      stop_flag_([this] {
          let_frames_pass();  // also while a model is read
          return quit_ || stop_ || given_up_for_newer();
      }),
      wake_(std::move(wake)),
      task_([this] { return slice(); }) {}

Worker::~Worker() { quit_ = true; }

void Worker::request(const Recipe& recipe, Seen seen) {
    {
        const std::lock_guard lock(guard_);
        waiting_ = recipe;
        waiting_seen_ = seen;
        newer_waits_ = true;
    }
    task_.poke();
}

void Worker::cancel() {
    const std::lock_guard lock(guard_);
    // One response is enough: the run's own when it stops, or this one if nothing runs yet.
    if (working_) {
        stop_ = true;
    } else if (waiting_) {
        Finished dropped;
        dropped.recipe = *waiting_;
        dropped.canceled = true;
        publish(std::move(dropped));
    }
    waiting_.reset();
    newer_waits_ = false;
}

std::optional<Finished> Worker::poll() {
    const std::lock_guard lock(guard_);
    if (finished_.empty()) return std::nullopt;
    Finished oldest = std::move(finished_.front());
    finished_.erase(finished_.begin());
    return oldest;
}

bool Worker::busy() const {
    const std::lock_guard lock(guard_);
    return working_ || waiting_ || !finished_.empty();
}

float Worker::progress() const { return progress_; }

std::chrono::milliseconds Worker::running_for() const {
    const std::lock_guard lock(guard_);
    if (!working_) return std::chrono::milliseconds(0);
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_);
}

bool Worker::slice() {
    if (quit_ || (!run_ && !take_request())) return false;
    bool over = true;
    std::optional<Finished> result;
    try {
        if (!begun_) begin_run();
        over = !runner_.advance(stop_flag_);
        progress_ = runner_.progress();
        if (!over) publish_early();
        if (over) {
            summarise_run();
            result = Finished{.recipe = *run_, .summary = summary_, .trace = runner_.last()};
        }
    } catch (const Stopped&) {
        if (stop_) result = Finished{.recipe = *run_, .canceled = true};
    } catch (const TokensRefused& refusal) {
        result = Finished{.recipe = *run_,
                          .error = refusal.what(),
                          .failed_at = runner_.at(),
                          .tokens_refused = true};
    } catch (const LayerRefused& refusal) {
        result = Finished{.recipe = *run_,
                          .error = refusal.what(),
                          .failed_at = runner_.at(),
                          .without_layer = refusal.model};
    } catch (...) {
        result = Finished{.recipe = *run_, .error = what_went_wrong(), .failed_at = runner_.at()};
    }
    if (over) end_run(std::move(result));
    return true;  // the run may continue, or another may wait
}

bool Worker::take_request() {
    const std::lock_guard lock(guard_);
    if (!waiting_) return false;
    run_ = std::exchange(waiting_, std::nullopt);
    run_seen_ = waiting_seen_;
    run_began_ = Clock::now();
    published_early_ = false;
    begun_ = false;
    newer_waits_ = false;
    stop_ = false;
    progress_ = 0;
    working_ = true;
    if (!given_up_) started_ = run_began_;
    return true;
}

void Worker::begin_run() {
    begun_ = true;
    layers_ = summary_ ? summary_->layers : LayerNumbers();
    kept_ = summary_ ? summary_->kept : KeptLayers();
    rollout_.reset();
    if (run_->rollout) rollout_.emplace(*run_->rollout);
    runner_.begin(*run_);
}

// Whether to give up the run. What is shown was already published, or would come late.
bool Worker::given_up_for_newer() const {
    if (!newer_waits_) return false;
    if (published_early_) return true;
    const auto passed = Clock::now() - run_began_;
    constexpr int kMostDoublings = 10;
    constexpr float kFirstSteps = 0.01F;  // before this, the progress says nothing
    const auto longest = pace_.longest * (1 << std::min(given_up_in_a_row_.load(), kMostDoublings));
    return passed > pace_.doubts && passed > longest * std::max(progress_.load(), kFirstSteps);
}

// Publishes the selected layer as soon as it is done.
void Worker::publish_early() {
    if (run_seen_ == Seen::all || published_early_ || Clock::now() - run_began_ < pace_.early)
        return;
    const std::shared_ptr<const Trace> alone = runner_.layer_alone();
    if (!alone) return;
    auto summary = summarise(*alone, summary_.get());
    summary->layers = layers_;
    {
        const std::lock_guard lock(guard_);
        publish({.recipe = *run_, .summary = summary, .trace = alone, .complete = false});
        started_ = Clock::now();
    }
    published_early_ = true;
    if (wake_) wake_();
}

void Worker::gather(const Trace& layer) {
    const auto index = static_cast<std::size_t>(layer.layer);
    const MatrixView attention = layer.all(Tensor::attention);
    if (layers_.size() <= index) layers_.resize(index + 1);
    if (is_cross(layer)) {  // rollout needs queries and keys of the same tokens
        layers_[index].clear();
        kept_.resize(std::max(kept_.size(), index + 1));
        kept_[index].reset();
        return;
    }
    layers_[index] =
        head_numbers(attention, layer.shape.heads, layer.layout, layer.grid, stop_flag_);
    keep_attention(kept_, layer);
    // T2T: the token transformers have other tokens than the layers.
    const bool comes_too_early = layer.layer < layer.model->token_transformers();
    if (rollout_ && !comes_too_early) rollout_->add(attention, layer.shape.heads, stop_flag_);
}

void Worker::summarise_run() {
    auto summary = summarise(*runner_.last(), summary_.get());
    layers_.resize(runner_.last()->model->layers.size());
    summary->layers = layers_;
    kept_.resize(layers_.size());
    summary->kept = kept_;
    if (rollout_ && rollout_->layers() > 0)
        summary->rollout = make_result(rollout_->result());
    else if (run_->rollout && summary_)
        summary->rollout = summary_->rollout;  // only another layer was selected
    summary_ = std::move(summary);
}

void Worker::end_run(std::optional<Finished> result) {
    run_.reset();
    {
        const std::lock_guard lock(guard_);
        working_ = false;
        given_up_ = !result && !published_early_;
        given_up_in_a_row_ = given_up_ ? given_up_in_a_row_ + 1 : 0;
        if (result) publish(std::move(*result));
    }
    if (!given_up_ && !quit_ && wake_) wake_();
}

// Call with guard_ locked.
void Worker::publish(Finished result) {
    // A trace replaces all results not yet taken; a failure replaces only failures, so that the
    // trace before it is not lost.
    while (!finished_.empty() && (result.trace || !finished_.back().trace)) finished_.pop_back();
    finished_.push_back(std::move(result));
}

}  // namespace headlight
