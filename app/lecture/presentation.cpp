#include "lecture/presentation.h"

#include <array>
#include <string_view>
#include <utility>

namespace headlight::app {
namespace {

constexpr std::size_t kMostDigits = 3;

// Keys of presenter remotes, and of other presentation programs.
struct Binding {
    std::string_view key;
    Presentation::Meaning means;
};
const std::array<Binding, 16>& bindings() {
    static const std::array<Binding, 16> table{{
        {"→", {"", "lesson-stop next"}},
        {"PageDown", {"", "lesson-stop next"}},
        {"Space", {"", "lesson-stop next"}},
        {"Enter", {"", "lesson-stop next"}},
        {"←", {"", "lesson-stop previous"}},
        {"PageUp", {"", "lesson-stop previous"}},
        {"Backspace", {"", "lesson-stop previous"}},
        {"Home", {"", "lesson-stop 1"}},
        {"End", {"", "lesson-stop last"}},
        {"R", {"", "presenter restart"}},
        {"X", {"", "presenter swap"}},
        // Scroll the notes.
        {"↑", {}},
        {"↓", {}},
        // Keys of Walk are off, because the stops choose its steps: the audience would see a slip.
        {"[", {}},
        {"]", {}},
        {"S", {}},
    }};
    return table;
}

bool is_digit(const std::string& key) { return key.size() == 1 && key[0] >= '0' && key[0] <= '9'; }

}  // namespace

void Presentation::follow(const Moment& now, const Circumstances& all) {
    now_ = now;
    if (!all.lesson) {
        open_ = by_itself_ = false;
        began_.reset();
        typed_.clear();
    }
    const bool staged = all.lesson && all.lecture && all.two_monitors;
    if (staged && !staged_ && !open_) open_ = by_itself_ = true;
    if (!staged && staged_ && by_itself_) open_ = by_itself_ = false;
    staged_ = staged;
    if (!staged) swapped_ = false;
    if (all.lesson && (all.lecture || open_) && !began_) began_ = now.seconds;
}

void Presentation::open(bool wanted) {
    open_ = wanted;
    by_itself_ = false;
    typed_.clear();
}

void Presentation::restart() { began_ = now_.seconds; }

Presentation::Meaning Presentation::hear(const std::string& key) {
    if (is_digit(key)) {
        if (typed_.size() < kMostDigits && (key != "0" || !typed_.empty())) typed_ += key;
        return {};
    }
    const std::string number = std::exchange(typed_, {});
    if (!number.empty() && key == "Enter") return {"", "lesson-stop " + number};
    if (!number.empty() && key == "Backspace") {
        typed_ = number.substr(0, number.size() - 1);
        return {};
    }
    if (!number.empty() && key == "Escape") return {};
    for (const Binding& binding : bindings())
        if (binding.key == key) return binding.means;
    return {key, ""};
}

}  // namespace headlight::app
