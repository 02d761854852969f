#include "lecture/handout.h"

#include <fmt/format.h>

#include "figure/markup.h"
#include "frame/tensor_text.h"
#include "lessons/read_lesson.h"
#include "state/command.h"
#include "ui/equation.h"
#include "ui/theme.h"

namespace headlight::app {
namespace {

using figure::escaped;
using lessons::Prose;
using lessons::Span;

constexpr std::string_view kStyle = R"~(
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #161a22; background: #fff;
  font: 16px/1.5 Inter, system-ui, sans-serif; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 3rem; }
figure { margin: 1rem 0; } img { max-width: 100%; border: 1px solid #dde2ea; border-radius: 6px; }
.card { border: 1px solid #dde2ea; border-radius: 8px; padding: .8rem 1rem; margin: 1rem 0; break-inside: avoid; }
.what { color: #56606f; font-size: .8rem; font-weight: 600; letter-spacing: .03em; }
code, .value { font-family: "JetBrains Mono", monospace; font-size: .92em; } .value { color: #9a4d00; }
pre { background: #f5f7fa; padding: .8rem; overflow: auto; } blockquote { color: #56606f; }
table { border-collapse: collapse; } td, th { border-bottom: 1px solid #dde2ea; padding: .3rem .8rem .3rem 0; text-align: left; }
.fraction { display: inline-flex; flex-direction: column; vertical-align: middle; text-align: center; font-size: .85em; padding: 0 .2em; }
.fraction > :first-child { border-bottom: 1px solid; } .root { border-top: 1px solid; }
.limits { display: inline-flex; flex-direction: column; text-align: center; line-height: 1.15; padding: 0 .1em; }
.limits.both { vertical-align: middle; } .limits small { font-size: .7em; } .limits .large { font-size: 1.2em; line-height: 1; }
ol.answers { list-style: upper-alpha; }
@media print {
  @page { size: A4; margin: 12mm; }
  body { max-width: none; margin: 0; padding: 0; font-size: 8.5pt; line-height: 1.35; }
  h2 { margin: .4rem 0; font-size: 12pt; } p, figure, .card { margin: .35rem 0; } .card { padding: .3rem .6rem; }
  .screen { float: right; width: 58%; margin: 0 0 .3rem .8rem; } .screen img { max-height: 88mm; display: block; margin-left: auto; }
  section { min-height: 132mm; break-inside: avoid; display: flow-root; }
}
)~";

std::string in_color(const std::string& tensor, const std::string& html) {
    const auto named = screens::tensor_named(tensor);
    if (!named) return html;
    const ImU32 color = ui::light_palette().hue(screens::hue_of(*named));
    return fmt::format("<span style=\"color:{}\">{}</span>", figure::hex_color(color), html);
}

// Without an upper limit the sign comes first, so it lies on the base line of the text.
std::string limits_html(const ui::Glyphs& sign) {
    const auto limit = [](const std::vector<ui::Glyphs>& glyphs) {
        return glyphs.empty() ? "" : "<small>" + escaped(glyphs.front().text) + "</small>";
    };
    const bool is_letters = static_cast<unsigned char>(sign.text.front()) < 0x80;
    return fmt::format("<span class=\"limits{}\">{}<span{}>{}</span>{}</span>",
                       sign.inside.empty() ? "" : " both", limit(sign.inside),
                       is_letters ? "" : " class=\"large\"", escaped(sign.text), limit(sign.below));
}

std::string glyphs_html(const std::vector<ui::Glyphs>& equation) {
    std::string html;
    for (const ui::Glyphs& glyphs : equation) {
        if (glyphs.kind == ui::Glyphs::Kind::fraction) {
            html += "<span class=\"fraction\"><span>" + glyphs_html(glyphs.inside) +
                    "</span><span>" + glyphs_html(glyphs.below) + "</span></span>";
            continue;
        }
        if (glyphs.kind == ui::Glyphs::Kind::root) {
            html += "√<span class=\"root\">" + glyphs_html(glyphs.inside) + "</span>";
            continue;
        }
        if (glyphs.kind == ui::Glyphs::Kind::limits) {
            html += limits_html(glyphs);
            continue;
        }
        std::string piece = escaped(glyphs.text);
        if (glyphs.level < 0) piece = "<sub>" + piece + "</sub>";
        if (glyphs.level > 0) piece = "<sup>" + piece + "</sup>";
        html += in_color(glyphs.name, piece);
    }
    return html;
}

std::string equation_html(const std::string& text) {
    return "<i class=\"equation\">" + glyphs_html(ui::parse_equation(text)) + "</i>";
}

// Builds the page block by block.
class Page {
  public:
    Page(const lessons::Lesson& lesson, const HandoutSource& source)
        : lesson_(lesson), source_(source) {}

    std::string write() {
        html_ = fmt::format(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{0}</title>\n"
            "<style>{1}</style>\n<h1>{0}</h1>\n",
            escaped(lesson_.title), kStyle);
        write(lesson_.introduction);
        for (stop_ = 0; stop_ < lesson_.stops.size(); ++stop_) write_stop();
        if (!hints_.empty()) html_ += "<h2>Hints</h2>\n" + hints_;
        if (!answers_.empty()) html_ += "<h2>Answers</h2>\n" + answers_;
        if (!lesson_.sources.empty()) html_ += "<h2>Sources</h2>\n";
        write(lesson_.sources);
        return html_ + "</html>\n";
    }

  private:
    void write_stop() {
        const lessons::Stop& stop = lesson_.stops[stop_];
        html_ += fmt::format(
            "<section>\n<h2>{}. {}</h2>\n"
            "<figure class=\"screen\"><img src=\"{}\" alt=\"{}\"></figure>\n",
            stop_ + 1, escaped(stop.title), escaped(source_.picture(stop_)),
            escaped(source_.picture_words(stop_)));
        write(stop.blocks);
        html_ += "</section>\n";
    }

    void write(const std::vector<lessons::Block>& blocks) {
        for (const lessons::Block& block : blocks)
            std::visit([&](const auto& what) { write(what); }, block.what);
    }

    std::string span_html(const Span& span) const {
        using K = Span::Kind;
        std::string html = escaped(span.text);
        if (span.kind == K::equation) html = equation_html(span.text);
        if (span.kind == K::code) html = "<code>" + html + "</code>";
        if (span.kind == K::value || span.kind == K::percent)
            html = "<span class=\"value\">" + escaped(source_.value(stop_, span)) + "</span>";
        if (span.kind == K::new_line) return "<br>\n";
        if (span.italic) html = "<em>" + html + "</em>";
        if (span.bold) html = "<strong>" + html + "</strong>";
        if (span.link.empty()) return html;
        try {
            const lessons::Link link = lessons::parse_link(span.link);
            if (link.kind == lessons::LinkKind::symbol) return in_color(link.to, html);
            if (link.kind == lessons::LinkKind::web)
                return fmt::format("<a href=\"{}\">{}</a>", escaped(link.to), html);
        } catch (const CommandError&) {
            // A broken link; its text stays.
        }
        return html;
    }
    std::string prose_html(const Prose& prose) const {
        std::string html;
        for (const Span& span : prose)
            if (span.condition.empty() || source_.shows(stop_, span)) html += span_html(span);
        return html;
    }

    void write(const lessons::Text& text) {
        using K = lessons::Text::Kind;
        const std::string words = prose_html(text.prose);
        if (text.kind == K::heading)
            html_ += "<h3>" + words + "</h3>\n";
        else if (text.kind == K::quote)
            html_ += "<blockquote>" + words + "</blockquote>\n";
        else if (text.kind == K::item)
            html_ += fmt::format("<p style=\"margin:.2rem 0 .2rem {}rem\">{} {}</p>\n",
                                 1.2 * text.depth, escaped(text.mark), words);
        else
            html_ += "<p>" + words + "</p>\n";
    }
    void write(const lessons::Code& code) {
        html_ += "<pre><code>" + escaped(code.text) + "</code></pre>\n";
    }
    void write(const lessons::Table& table) {
        html_ += "<table>\n";
        for (const auto& row : table.rows) {
            const char* cell = &row == &table.rows.front() ? "th" : "td";
            html_ += "<tr>";
            for (const Prose& words : row)
                html_ += fmt::format("<{0}>{1}</{0}>", cell, prose_html(words));
            html_ += "</tr>\n";
        }
        html_ += "</table>\n";
    }
    void write(const lessons::Picture& picture) {
        html_ += fmt::format("<figure><img src=\"{}\" alt=\"{}\"></figure>\n",
                             escaped(source_.folder + picture.file), escaped(picture.words));
    }
    void write(const lessons::Question& question) {
        html_ += "<div class=\"card\"><div class=\"what\">BEFORE YOU GO ON</div>\n<p>" +
                 prose_html(question.prose) + "</p>\n<ol class=\"answers\">\n";
        char letter = 'A';
        for (const auto& answer : question.answers) {
            const std::string words = prose_html(answer.prose);
            html_ += "<li>" + words + "</li>\n";
            if (!answer.hint.empty())
                hints_ += fmt::format("<p><b>{}. {}</b> {}: {}</p>\n", stop_ + 1,
                                      escaped(lesson_.stops[stop_].title), letter,
                                      prose_html(answer.hint));
            if (answer.right)
                answers_ += fmt::format("<p><b>{}. {}</b> {}: {}.", stop_ + 1,
                                        escaped(lesson_.stops[stop_].title), letter, words);
            ++letter;
        }
        html_ += "</ol></div>\n";
        for (const Prose& why : question.why) answers_ += " " + prose_html(why);
        answers_ += "</p>\n";
    }
    void write(const lessons::Task& task) {
        html_ += "<div class=\"card\"><div class=\"what\">TRY IT</div>\n<p>" +
                 prose_html(task.prose) + "</p></div>\n";
    }

    const lessons::Lesson& lesson_;
    const HandoutSource& source_;
    std::size_t stop_ = 0;
    std::string html_, hints_, answers_;
};

}  // namespace

std::string html_of(const lessons::Lesson& lesson, const HandoutSource& source) {
    return Page(lesson, source).write();
}

}  // namespace headlight::app
