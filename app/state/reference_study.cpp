#include "state/reference_study.h"

#include <algorithm>
#include <utility>

namespace headlight {

namespace {

bool is_worse(const HeldResult& a, const HeldResult& b) {
    if (a.why_not.empty() != b.why_not.empty()) return !a.why_not.empty();
    return a.deviation.relative > b.deviation.relative;
}

class References {
  public:
    explicit References(FileReader read_file) : read_file_(std::move(read_file)) {}

    HeldResults hold(const ReferenceQuestion& question, const StopFlag& stop) {
        const DirectoryEntry now = describe_file(question.file);
        const bool same = opened_ && opened_->name() == question.file &&
                          reading_ == question.reading && now.written == opened_as_.written &&
                          now.bytes == opened_as_.bytes;
        if (!same) {
            opened_ = open_tensor_file(question.file, read_file_);
            opened_as_ = now;
            reading_ = question.reading;
        }
        return held_against(*opened_, *question.trace, question.origin, stop);
    }

  private:
    FileReader read_file_;
    std::optional<TensorFile> opened_;
    DirectoryEntry opened_as_;
    int reading_ = 0;
};

}  // namespace

HeldResults held_of_step(const HeldResults& all, Step step) {
    HeldResults held;
    for (const HeldResult& result : all)
        if (result.step == step) held.push_back(result);
    std::ranges::stable_sort(held, is_worse);
    return held;
}

const HeldResult* worst_of(const HeldResults& results) {
    const auto worst = std::ranges::min_element(results, is_worse);
    return worst == results.end() ? nullptr : &*worst;
}

std::unique_ptr<ReferenceStudent> make_reference_student(FileReader read_file,
                                                         std::function<void()> wake) {
    auto references = std::make_shared<References>(std::move(read_file));
    return std::make_unique<ReferenceStudent>(
        [references](const ReferenceQuestion& question, std::atomic<float>&, const StopFlag& stop) {
            return references->hold(question, stop);
        },
        std::chrono::milliseconds(100), std::move(wake));
}

}  // namespace headlight
