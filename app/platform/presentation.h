#pragma once

#include <optional>
#include <string>

namespace headlight::platform {

// What time it is: by a clock that never goes back, and in minutes of the day.
struct Moment {
    double seconds = 0;
    int minute = 0;
};

// The presenter's side of a lecture: whether there is a window for it, since when it goes on, the
// stop whose number is being typed. It lasts as long as the program runs, and is in no session.
class Presentation {
  public:
    struct Circumstances {
        bool lesson = false;        // is read
        bool lecture = false;       // view
        bool two_monitors = false;  // whose pictures differ
    };
    // Begins with a lesson in lecture view, or with the presenter's window. With a second monitor
    // that window opens by itself, once: who closed it has closed it.
    void follow(const Moment& now, const Circumstances& all);

    void open(bool wanted);  // by hand
    void swap() { swapped_ = !swapped_; }
    void restart();  // the clock

    [[nodiscard]] bool is_open() const { return open_; }
    // Each window has a monitor of its own: the lecture's fills the one that the room sees.
    [[nodiscard]] bool is_staged() const { return staged_; }
    [[nodiscard]] bool is_swapped() const { return swapped_; }
    [[nodiscard]] const Moment& now() const { return now_; }
    [[nodiscard]] double elapsed() const { return began_ ? now_.seconds - *began_ : 0; }

    // What a key of the presenter's window means: a command, or what it means everywhere, or
    // nothing, as while a number is typed.
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

}  // namespace headlight::platform
