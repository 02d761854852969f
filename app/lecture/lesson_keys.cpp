#include "lecture/lesson_keys.h"

#include <algorithm>
#include <array>
#include <variant>

namespace headlight::app {
namespace {

struct LessonKey {
    std::string_view key, command;
};
constexpr std::array<LessonKey, 6> kAlways{{{"→", "lesson-stop next"},
                                            {"PageDown", "lesson-stop next"},
                                            {"Space", "lesson-stop next"},
                                            {"←", "lesson-stop previous"},
                                            {"PageUp", "lesson-stop previous"},
                                            {"R", "lesson-stop again"}}};
constexpr std::array<LessonKey, 3> kInLecture{
    {{"Q", "lesson-ask next"}, {"↓", "lesson-page next"}, {"↑", "lesson-page previous"}}};

template <std::size_t N>
std::optional<std::string> find_in(const std::array<LessonKey, N>& table, std::string_view key) {
    const auto found = std::ranges::find(table, key, &LessonKey::key);
    if (found == table.end()) return std::nullopt;
    return std::string(found->command);
}

// The question that is shown; null where none is.
const lessons::Question* question_of(const lessons::Reader& reader) {
    const auto& asked = reader.page().asked;
    return asked ? std::get_if<lessons::Question>(&reader.stop().blocks[*asked].what) : nullptr;
}

std::optional<std::string> answer_to(const lessons::Question& question, std::string_view key) {
    if (key == "Enter") return "lesson-reveal";
    if (key.size() != 1 || key[0] < '1' || key[0] > '9') return std::nullopt;
    const bool is_answer = static_cast<std::size_t>(key[0] - '0') <= question.answers.size();
    return is_answer ? "lesson-choose " + std::string(key) : "";
}

}  // namespace

std::optional<std::string> command_for_lesson_key(std::string_view key,
                                                  const lessons::Reader& reader, const Look& look) {
    if (reader.lesson() == nullptr) return std::nullopt;
    if (auto command = find_in(kAlways, key)) return command;
    if (!look.lecture) return std::nullopt;
    if (reader.page().asked && key == "Escape") return "lesson-ask off";
    if (const auto* question = question_of(reader))
        if (auto command = answer_to(*question, key)) return command;
    return find_in(kInLecture, key);
}

}  // namespace headlight::app
