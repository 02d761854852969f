#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frame/frame.h"
#include "lessons/lesson.h"
#include "lessons_screen/prose_lines.h"
#include "lessons_screen/selecting.h"

namespace headlight::screens {

// What the links of a text are called, and where they lead when they are not a lesson's.
struct LinkUse {
    std::string name = "lesson.link.";
    std::function<void(const std::string& address)> follow = {};  // all but web links
    bool explains = true;                                         // marks glossary terms
    std::set<std::string_view> other_sense = {};  // not marked, as they mean something else here
};

// Running text with clickable links, evaluated values and equations. Links are called lesson.link.1
// and so on, in the order of the frame. All of it can be selected.
class ProseWriter {
  public:
    ProseWriter(Frame& frame, Selecting& selecting, LinkUse use = {})
        : frame_(frame), selecting_(selecting), use_(std::move(use)) {}

    // Text copied before the next one if both are copied; an empty line by default.
    void between(std::string text) { between_ = std::move(text); }

    [[nodiscard]] float height(const lessons::Prose& prose, float width,
                               const ProseStyle& style = {});
    // Returns the height of the text in pixels.
    float write(const ui::Rect& rect, const lessons::Prose& prose, const ProseStyle& style = {});
    // The same for verbatim text: code, notes.
    float plain(const ui::Rect& rect, std::string_view text, const ui::TextStyle& style);
    // A list marker, "•" or "1", and the text copied for it.
    void mark(ImVec2 at, std::string_view shown, std::string copied, const ui::TextStyle& style);
    // A link or an answer: a drag may start a selection on it, and is then no click.
    ui::Interaction button(const std::string& name, const ui::Rect& rect);

  private:
    struct Part;
    // Words that the glossary knows, where they first stand: a dotted line, and what they mean
    // while the pointer is on them.
    void explain(const ProseLines& set, ImVec2 at, float step);
    [[nodiscard]] bool is_example(std::string_view word) const;
    ImU32 link(const lessons::Span& span, const std::vector<ui::Rect>& places);
    bool select(const Part& part, const ui::TextStyle& style);

    Frame& frame_;
    Selecting& selecting_;
    LinkUse use_;
    std::string between_ = "\n\n";
    int links_ = 0;
    std::set<std::string> explained_;
};

}  // namespace headlight::screens
