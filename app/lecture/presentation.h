#pragma once

#include <optional>
#include <string>

namespace headlight::app {

// The time: by a monotonic clock, and in minutes of the day.
struct Moment {
    double seconds = 0;
    int minute = 0;
};

// The presenter's side of a lecture: whether its window is open, the start time, and the stop
// number being typed. It lives until the program ends and is not saved in a session.
class Presentation {
  public:
    struct Circumstances {
        bool lesson = false;        // is open
        bool lecture = false;       // lecture view
        bool two_monitors = false;  // not mirrored
    };
    // Starts with a lesson in lecture view, or when the presenter's window opens. With a second
    // monitor that window opens automatically, but only once: if the user closes it, it stays
    // closed.
    void follow(const Moment& now, const Circumstances& all);

    void open(bool wanted);  // by the user
    void swap() { swapped_ = !swapped_; }
    void restart();  // the clock

    [[nodiscard]] bool is_open() const { return open_; }
    // Whether each window has its own monitor; the lecture then fills the audience's.
    [[nodiscard]] bool is_staged() const { return staged_; }
    [[nodiscard]] bool is_swapped() const { return swapped_; }
    [[nodiscard]] const Moment& now() const { return now_; }
    [[nodiscard]] double elapsed() const { return began_ ? now_.seconds - *began_ : 0; }

    // The meaning of a key in the presenter's window: a command, its usual meaning, or nothing, as
    // while a number is typed.
    struct Meaning {
        std::string key, command;
        friend bool operator==(const Meaning&, const Meaning&) = default;
    };
    Meaning hear(const std::string& key);
    [[nodiscard]] const std::string& typed() const { return typed_; }

  private:
    Moment now_;
    std::optional<double> began_;
    bool open_ = false, by_itself_ = false, staged_ = false, swapped_ = false;
    std::string typed_;
};

}  // namespace headlight::app
