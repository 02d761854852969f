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
    std::function<void(const std::string& address)> follow = {};  // all but those of the web
    bool explains = true;                                         // terms of the glossary
    std::set<std::string_view> other_sense = {};  // but these words, which mean something else here
};

// Running text with what stands in it: links that can be clicked, values as they are measured,
// equations. Links are called lesson.link.1 and so on, in the order of a frame. All of it can be
// selected.
class ProseWriter {
  public:
    ProseWriter(Frame& frame, Selecting& selecting, LinkUse use = {})
        : frame_(frame), selecting_(selecting), use_(std::move(use)) {}

    // What stands before the next that is written, where both are copied; else an empty line.
    void between(std::string text) { between_ = std::move(text); }

    [[nodiscard]] float height(const lessons::Prose& prose, float width,
                               const ProseStyle& style = {});
    // Returns the height that it took.
    float write(const ui::Rect& rect, const lessons::Prose& prose, const ProseStyle& style = {});
    // The same of text that stands for itself: code, notes.
    float plain(const ui::Rect& rect, std::string_view text, const ui::TextStyle& style);
    // What stands before a text, "•" or "1", and what is copied for it.
    void mark(ImVec2 at, std::string_view shown, std::string copied, const ui::TextStyle& style);
    // A link or an answer: the mouse may begin to select on it, and then does not click.
    ui::Interaction button(const std::string& name, const ui::Rect& rect);

  private:
    struct Part;
    // Words that the glossary knows, where they first stand: a dotted line, and what they mean
    // while the pointer is on them.
    void explain(const ProseLines& set, ImVec2 at, float step);
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
