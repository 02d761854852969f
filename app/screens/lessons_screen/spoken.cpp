#include "lessons_screen/spoken.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "frame/value_text.h"
#include "ui/equation.h"
#include "ui/utf8.h"

namespace headlight::screens {

namespace {

using lessons::Prose;
using lessons::Span;

// Line breaks of the file are not part of the text.
std::string in_one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

// "_j", "_(j=1)"
std::string limit_of(const char* mark, const std::vector<ui::Glyphs>& limit) {
    if (limit.empty()) return "";
    const std::string& text = limit.front().text;
    return ui::first_letter(text).bytes == text ? mark + text : fmt::format("{}({})", mark, text);
}

std::string letters_of(const std::vector<ui::Glyphs>& equation) {
    std::string letters;
    int level = 0;
    for (const ui::Glyphs& glyphs : equation) {
        if (glyphs.kind == ui::Glyphs::Kind::limits) {
            letters += glyphs.text + limit_of("_", glyphs.below) + limit_of("^", glyphs.inside);
            continue;
        }
        if (glyphs.kind != ui::Glyphs::Kind::text) {
            const bool fraction = glyphs.kind == ui::Glyphs::Kind::fraction;
            letters += (fraction ? "(" : "√(") + letters_of(glyphs.inside) + ")";
            if (fraction) letters += " / (" + letters_of(glyphs.below) + ")";
            continue;
        }
        if (glyphs.level != level && glyphs.level != 0) letters += glyphs.level < 0 ? '_' : '^';
        level = glyphs.level;
        letters += glyphs.text;
    }
    return letters;
}

std::string value_of(const lessons::Reader& reader, const Span& span) {
    const lessons::Measured* measured = reader.measured(span.text);
    if (measured == nullptr || !measured->value) return "…";
    return span.kind == Span::Kind::percent ? percent_of(*measured->value)
                                            : value_text(*measured->value);
}

std::string question_of(const lessons::Reader& reader, const lessons::Question& question) {
    std::string text = "Question: " + spoken(reader, question.prose);
    for (const auto& answer : question.answers) {
        text += (answer.right ? "\n✓ " : "\n– ") + spoken(reader, answer.prose);
        if (!answer.hint.empty()) text += " (Hint: " + spoken(reader, answer.hint) + ")";
    }
    for (const Prose& why : question.why) text += "\n" + spoken(reader, why);
    return text;
}

std::string text_of(const lessons::Reader& reader, const lessons::Block& block) {
    if (const auto* question = std::get_if<lessons::Question>(&block.what))
        return question_of(reader, *question);
    if (const auto* task = std::get_if<lessons::Task>(&block.what))
        return "Task: " + spoken(reader, task->prose);
    if (const auto* text = std::get_if<lessons::Text>(&block.what))
        return (text->mark.empty() ? "" : text->mark + " ") + spoken(reader, text->prose);
    return "";
}

}  // namespace

std::string spoken(const lessons::Reader& reader, const Prose& prose) {
    std::string text;
    for (const Span& span : prose) {
        if (!reader.shows(span)) continue;
        switch (span.kind) {
            case Span::Kind::text:
            case Span::Kind::code:
                text += in_one_line(span.text);
                break;
            case Span::Kind::equation:
                text += letters_of(ui::parse_equation(span.text));
                break;
            case Span::Kind::value:
            case Span::Kind::percent:
                text += value_of(reader, span);
                break;
            case Span::Kind::new_line:
                text += '\n';
        }
    }
    return text;
}

std::string spoken(const lessons::Reader& reader, const lessons::Stop& stop) {
    std::string all;
    for (const lessons::Block& block : stop.blocks)
        if (const std::string text = text_of(reader, block); !text.empty())
            all += (all.empty() ? "" : "\n\n") + text;
    return all;
}

std::string first_words(const lessons::Reader& reader, const lessons::Stop& stop) {
    for (const lessons::Block& block : stop.blocks)
        if (const auto* text = std::get_if<lessons::Text>(&block.what))
            return first_sentence(spoken(reader, text->prose));
    return "";
}

std::string first_sentence(std::string_view text) {
    for (std::size_t i = 0; i + 2 < text.size(); ++i) {
        if (text[i] != '.' && text[i] != '?' && text[i] != '!') continue;
        const auto next = static_cast<unsigned char>(text[i + 2]);
        // "e.g. this" continues with a lowercase letter.
        if (std::isspace(static_cast<unsigned char>(text[i + 1])) != 0 && std::islower(next) == 0)
            return std::string(text.substr(0, i + 1));
    }
    return std::string(text);
}

std::optional<PlannedMinutes> planned_minutes(std::string_view notes) {
    constexpr std::string_view kBegins = "Minute ", kTo = " to ";
    if (!notes.starts_with(kBegins)) return std::nullopt;
    notes.remove_prefix(kBegins.size());
    PlannedMinutes planned;
    const auto take = [&](int& minutes) {
        const auto [end, error] =
            std::from_chars(notes.data(), notes.data() + notes.size(), minutes);
        notes.remove_prefix(static_cast<std::size_t>(end - notes.data()));
        return error == std::errc();
    };
    if (!take(planned.from) || !notes.starts_with(kTo)) return std::nullopt;
    notes.remove_prefix(kTo.size());
    if (!take(planned.to) || planned.to < planned.from) return std::nullopt;
    return planned;
}

std::string elapsed_text(double seconds) {
    const auto whole = static_cast<long>(std::floor(std::max(0.0, seconds)));
    const long hours = whole / 3600, minutes = whole / 60 % 60;
    return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                     : fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string time_text(int minute) { return fmt::format("{}:{:02}", minute / 60, minute % 60); }

}  // namespace headlight::screens
