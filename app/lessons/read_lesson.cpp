#include "lessons/read_lesson.h"

#include <algorithm>
#include <span>
#include <sstream>
#include <utility>

#include "kernels/trimmed.h"
#include "lessons/markdown.h"
#include "program/values.h"

namespace headlight::lessons {

namespace {

// Removes `word` from the start of a text; false if it does not start with it.
bool skip(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

// "? …" and "! …" are a question and a task.
bool begins_with(const Node& node, std::string_view sign) {
    return node.kind == Node::Kind::paragraph && !node.prose.empty() &&
           node.prose.front().kind == Span::Kind::text && node.prose.front().text.starts_with(sign);
}

Prose without_sign(Prose prose) {
    prose.front().text.erase(0, 2);
    if (prose.front().text.empty()) prose.erase(prose.begin());
    return prose;
}

class LessonReader {
  public:
    // page: only blocks are read, and headings one level deeper start a stop too.
    enum class Of { lesson, page };
    explicit LessonReader(Lesson& lesson, Of of = Of::lesson) : lesson_(lesson), of_(of) {}

    void read(const Node& document) {
        const auto& nodes = document.children;
        for (std::size_t at = 0; at < nodes.size();) {
            if (nodes[at].kind == Node::Kind::heading && nodes[at].level <= deepest())
                begin(nodes[at++]);
            else
                at +=
                    begins_with(nodes[at], "? ") ? read_question(nodes, at) : read_block(nodes[at]);
        }
        if (lesson_.title.empty()) complain(1, "expected a title (\"# \" and words), found none.");
        if (lesson_.stops.empty())
            complain(1, "expected at least one stop (\"## \" and words), found none.");
    }

  private:
    [[nodiscard]] int deepest() const { return of_ == Of::page ? 3 : 2; }

    void complain(int line, std::string reason) {
        lesson_.problems.push_back({line, std::move(reason)});
    }

    std::string title_of(const Node& heading) {
        std::string title = plain_text(heading.prose);
        if (title.size() <= kLongestTitle) return title;
        complain(heading.line, "expected a title of at most " + std::to_string(kLongestTitle) +
                                   " bytes, found " + std::to_string(title.size()) + ".");
        return in_quotes(title);  // the title's start
    }

    void begin(const Node& heading) {
        const std::string title = title_of(heading);
        if (heading.level == 1) {
            if (!lesson_.title.empty())
                complain(heading.line, "expected one title, found a second.");
            if (lesson_.title.empty()) lesson_.title = title;
            return;
        }
        if (of_ == Of::lesson && title == "Sources") {
            blocks_ = &lesson_.sources;
            stop_ = nullptr;
            return;
        }
        if (lesson_.stops.size() == kMostStops && !left_out_) {
            complain(heading.line, "expected no more than " + std::to_string(kMostStops) +
                                       " stops; this one and all later ones are left out.");
            left_out_ = true;
        }
        if (left_out_) return;
        if (title.empty())
            complain(heading.line, "expected the name of a stop after \"##\", found nothing.");
        Stop stop;
        stop.line = heading.line;
        stop.title = title;
        if (of_ == Of::lesson && heading.prose.size() == 1 && !heading.prose.front().link.empty()) {
            try {
                stop.borrowed = parse_borrowed(heading.prose.front().link);
            } catch (const CommandError& error) {
                complain(heading.line, error.what());
            }
        }
        lesson_.stops.push_back(std::move(stop));
        too_many_orders_ = false;
        stop_ = &lesson_.stops.back();
        blocks_ = &stop_->blocks;
    }

    void add(int line, decltype(Block::what) what) {
        if (!left_out_) blocks_->push_back({line, std::move(what)});
    }

    std::size_t read_block(const Node& node) {
        using K = Node::Kind;
        switch (node.kind) {
            case K::paragraph:
                read_paragraph(node, Text::Kind::paragraph);
                break;
            case K::heading:
                read_paragraph(node, Text::Kind::heading);
                break;
            case K::list:
                read_list(node, 1);
                break;
            case K::quote:
                for (const Node& child : node.children)
                    child.kind == K::paragraph ? read_paragraph(child, Text::Kind::quote)
                                               : void(read_block(child));
                break;
            case K::code:
                read_code(node);
                break;
            case K::html:
                read_comment(node);
                break;
            case K::table:
                read_table(node);
                break;
            default:
                break;
        }
        return 1;
    }

    void read_paragraph(const Node& node, Text::Kind kind) {
        if (begins_with(node, "! ")) return read_task(node);
        check_links(node.prose);
        if (!node.picture.empty()) {
            if (!stays_inside(node.picture))
                return complain(node.line, "expected a picture in the lesson's folder, found " +
                                               in_quotes(node.picture) + ".");
            return add(node.line, Picture{node.picture, plain_text(node.prose)});
        }
        if (!node.prose.empty()) add(node.line, Text{kind, node.prose, {}, 0});
    }

    void read_list(const Node& list, int depth) {
        int number = list.level;
        for (const Node& item : list.children) {
            std::string mark = number < 0 ? "•" : std::to_string(number++) + ".";
            const auto put = [&](int line, const Prose& prose) {
                check_links(prose);
                add(line, Text{Text::Kind::item, prose, std::exchange(mark, {}), depth});
            };
            if (!item.prose.empty()) put(item.line, item.prose);
            for (const Node& child : item.children) {
                if (child.kind == Node::Kind::list)
                    read_list(child, depth + 1);
                else if (child.kind == Node::Kind::paragraph && child.picture.empty())
                    put(child.line, child.prose);
                else
                    read_block(child);
            }
        }
    }

    void read_code(const Node& node) {
        if (node.info != "headlight" || of_ == Of::page) return add(node.line, Code{node.text});
        if (stop_ == nullptr)
            return complain(node.line,
                            "commands belong to a stop: put them after a \"## \" heading.");
        std::istringstream lines(node.text);
        int number = node.line;
        for (std::string line; std::getline(lines, line); ++number) {
            try {
                Command command = parse_command(line);
                if (command == Command{}) continue;
                if (stop_->orders.size() == kMostOrders) {
                    if (!std::exchange(too_many_orders_, true))
                        complain(number, "expected no more than " + std::to_string(kMostOrders) +
                                             " commands in a stop.");
                    return;
                }
                stop_->orders.push_back({number, std::move(command)});
            } catch (const CommandError& error) {
                complain(number, error.what());
            }
        }
    }

    void read_comment(const Node& node) {
        std::string_view text = trimmed(node.text);
        if (!skip(text, "<!--") || !text.ends_with("-->"))
            return complain(node.line, "HTML is not shown.");
        text.remove_suffix(3);
        text = trimmed(text);
        if (!skip(text, "note:")) return;
        if (stop_ == nullptr)
            return complain(node.line, "a note belongs to a stop: put it after a \"## \" heading.");
        if (!stop_->notes.empty()) stop_->notes += "\n";
        stop_->notes += trimmed(text);
    }

    void read_table(const Node& node) {
        Table table;
        for (const Node& row : node.children) {
            for (const Prose& cell : row.cells) check_links(cell);
            table.rows.push_back(row.cells);
        }
        add(node.line, std::move(table));
    }

    // Reads a paragraph, a list and optionally a quotation; returns the number of nodes.
    std::size_t read_question(const std::vector<Node>& nodes, std::size_t at) {
        const int line = nodes[at].line;
        Question question;
        question.prose = without_sign(nodes[at].prose);
        check_links(question.prose);
        std::size_t taken = 1;
        if (at + taken < nodes.size() && nodes[at + taken].kind == Node::Kind::list)
            read_answers(nodes[at + taken++], question);
        if (at + taken < nodes.size() && nodes[at + taken].kind == Node::Kind::quote)
            for (const Node& child : nodes[at + taken++].children)
                if (!child.prose.empty()) question.why.push_back(child.prose);
        const auto right = std::ranges::count(question.answers, true, &Question::Answer::right);
        if (question.answers.size() < 2 || question.answers.size() > kMostAnswers) {
            complain(line, "a question needs 2 to " + std::to_string(kMostAnswers) +
                               " answers, each starting with \"- \"; found " +
                               std::to_string(question.answers.size()) + ".");
        } else if (right != 1) {
            complain(
                line,
                "a question needs exactly one right answer, which starts with \"- [x] \"; found " +
                    std::to_string(right) + ".");
        } else {
            add(line, std::move(question));
        }
        return taken;
    }

    void read_answers(const Node& list, Question& question) {
        for (const Node& item : list.children) {
            Prose prose = item.prose;
            if (prose.empty() && !item.children.empty()) prose = item.children.front().prose;
            check_links(prose);
            question.answers.push_back({std::move(prose), item.ticked, hint_of(item)});
        }
    }

    // The quotation below an answer.
    Prose hint_of(const Node& answer) {
        const auto quote = std::ranges::find(answer.children, Node::Kind::quote, &Node::kind);
        if (quote == answer.children.end() || quote->children.empty()) return {};
        Prose hint = quote->children.front().prose;
        check_links(hint);
        if (answer.ticked)
            complain(quote->line,
                     "a hint belongs below a wrong answer, found one below the right one.");
        return hint;
    }

    // The condition and the controls are on separate lines after the text.
    void read_task(const Node& node) {
        Task task;
        for (Span span : without_sign(node.prose)) {
            if (span.kind != Span::Kind::text || span.text.find('\n') == std::string::npos) {
                task.prose.push_back(std::move(span));
                continue;
            }
            std::string words;
            std::istringstream lines(span.text);
            int number = span.line;
            for (std::string line; std::getline(lines, line); ++number) {
                std::string_view rest = trimmed(line);
                if (skip(rest, "until:")) {
                    task.until = trimmed(rest);
                } else if (skip(rest, "with:")) {
                    std::string names(rest);
                    std::ranges::replace(names, ',', ' ');
                    std::istringstream each(names);
                    for (std::string name; each >> name;) task.with.push_back(name);
                } else if (skip(rest, "solution:")) {
                    read_solution(task, trimmed(rest), number);
                } else {
                    words += words.empty() ? line : "\n" + line;
                }
            }
            span.text = words;
            if (!words.empty()) task.prose.push_back(std::move(span));
        }
        check_links(task.prose);
        if (task.with.size() > kMostControls) {
            complain(node.line, "a task has at most " + std::to_string(kMostControls) +
                                    " controls in \"with:\"; found " +
                                    std::to_string(task.with.size()) + ".");
            task.with.resize(kMostControls);
        }
        if (task.until.empty())
            return complain(
                node.line,
                "a task needs a line \"until: CONDITION\" that says when it is done; found none.");
        add(node.line, std::move(task));
    }

    void read_solution(Task& task, std::string_view line, int number) {
        try {
            task.solution.push_back({number, parse_command(line)});
        } catch (const CommandError& error) {
            complain(number, error.what());
        }
        if (task.solution.size() <= kMostOrders) return;
        task.solution.pop_back();
        complain(number, "expected no more than " + std::to_string(kMostOrders) +
                             " commands in a solution.");
    }

    void check_links(const Prose& prose) {
        if (of_ == Of::page) return;
        for (const Span& span : prose) {
            if (span.link.empty()) continue;
            try {
                (void)parse_link(span.link);
            } catch (const CommandError& error) {
                complain(span.line, error.what());
            }
        }
    }

    Lesson& lesson_;
    Of of_;
    Stop* stop_ = nullptr;
    std::vector<Block>* blocks_ = &lesson_.introduction;
    bool left_out_ = false;         // this stop and all that follow
    bool too_many_orders_ = false;  // in this stop; already reported
};

}  // namespace

std::vector<const Prose*> proses_of(const Block& block) {
    std::vector<const Prose*> all;
    if (const auto* text = std::get_if<Text>(&block.what)) all.push_back(&text->prose);
    if (const auto* task = std::get_if<Task>(&block.what)) all.push_back(&task->prose);
    if (const auto* table = std::get_if<Table>(&block.what))
        for (const auto& row : table->rows)
            for (const Prose& cell : row) all.push_back(&cell);
    if (const auto* question = std::get_if<Question>(&block.what)) {
        all.push_back(&question->prose);
        for (const auto& answer : question->answers) {
            all.push_back(&answer.prose);
            all.push_back(&answer.hint);
        }
        for (const Prose& why : question->why) all.push_back(&why);
    }
    return all;
}

int number_in(const Stop& stop, std::size_t block) {
    const auto before = std::span(stop.blocks).first(block);
    return 1 + static_cast<int>(std::ranges::count(before, stop.blocks[block].what.index(),
                                                   [](const Block& b) { return b.what.index(); }));
}

std::string_view Tries::standing(const Question& question) const {
    if (!given) return first_wrong ? "second try" : "open";
    return question.answers[static_cast<std::size_t>(*given)].right ? "right" : "wrong";
}

const Prose* Tries::hint_below(const Question& question, int answer) const {
    const Prose& hint = question.answers[static_cast<std::size_t>(answer)].hint;
    return !given && first_wrong == answer && !hint.empty() ? &hint : nullptr;
}

std::string plain_text(const Prose& prose) {
    std::string text;
    for (const Span& span : prose) text += span.text;
    std::ranges::replace(text, '\n', ' ');
    return text;
}

Lesson read_lesson(std::string_view text) {
    Lesson lesson;
    if (text.size() > kMostBytes) {
        lesson.problems.push_back({1, "expected a lesson of at most 256 kB, found " +
                                          std::to_string(text.size() / 1024) + " kB."});
        return lesson;
    }
    LessonReader(lesson).read(read_markdown(text, lesson.problems));
    std::ranges::stable_sort(lesson.problems, {}, &Problem::line);
    lesson.problems.erase(std::unique(lesson.problems.begin(), lesson.problems.end()),
                          lesson.problems.end());
    if (lesson.problems.size() > kMostProblems) lesson.problems.resize(kMostProblems);
    return lesson;
}

Lesson read_page(std::string_view text) {
    Lesson page;
    if (text.size() <= kMostBytes)
        LessonReader(page, LessonReader::Of::page).read(read_markdown(text, page.problems));
    return page;
}

bool stays_inside(std::string_view path) {
    if (path.empty() || path.front() == '/' || path.find(':') != path.npos ||
        path.find('\\') != path.npos)
        return false;
    while (!path.empty()) {
        const std::size_t end = path.find('/');
        if (path.substr(0, end) == "..") return false;
        path.remove_prefix(end == path.npos ? path.size() : end + 1);
    }
    return true;
}

Link parse_link(const std::string& text) {
    std::string_view rest = text;
    if (skip(rest, "symbol:")) return {LinkKind::symbol, std::string(rest)};
    if (skip(rest, "do:")) {
        (void)parse_command(rest);
        return {LinkKind::command, std::string(rest)};
    }
    if (rest.starts_with("https://") || rest.starts_with("http://")) return {LinkKind::web, text};
    if (rest.ends_with(".md") && stays_inside(rest)) return {LinkKind::lesson, text};
    throw CommandError(
        "a link must lead to symbol:NAME, do:COMMAND, a lesson (.md) in the same folder or "
        "https://…; found " +
        in_quotes(text) + ".");
}

}  // namespace headlight::lessons
