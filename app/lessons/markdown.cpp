#include "lessons/markdown.h"

#include <md4c.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "lessons/equation.h"
#include "lessons/source_text.h"
#include "state/command.h"

namespace headlight::lessons {

namespace {

// ---- parser output

std::string letter(unsigned point) {
    if (point == 0 || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) point = 0xFFFD;
    std::string bytes;
    const auto tail = [&](unsigned shift) {
        bytes += static_cast<char>(0x80U | ((point >> shift) & 0x3FU));
    };
    if (point < 0x80) {
        bytes += static_cast<char>(point);
    } else if (point < 0x800) {
        bytes += static_cast<char>(0xC0U | (point >> 6U));
        tail(0);
    } else if (point < 0x10000) {
        bytes += static_cast<char>(0xE0U | (point >> 12U));
        tail(6);
        tail(0);
    } else {
        bytes += static_cast<char>(0xF0U | (point >> 18U));
        tail(12);
        tail(6);
        tail(0);
    }
    return bytes;
}

// Decodes "&amp;", "&#8211;", "&#x2013;"; any other stays as written.
std::string entity(std::string_view text) {
    constexpr std::array<std::array<std::string_view, 2>, 8> kNamed{{{"&amp;", "&"},
                                                                     {"&lt;", "<"},
                                                                     {"&gt;", ">"},
                                                                     {"&quot;", "\""},
                                                                     {"&nbsp;", "\u00A0"},
                                                                     {"&ndash;", "–"},
                                                                     {"&minus;", "−"},
                                                                     {"&times;", "×"}}};
    for (const auto& [name, sign] : kNamed)
        if (text == name) return std::string(sign);
    if (!text.starts_with("&#") || text.size() < 4) return std::string(text);
    const bool hex = text[2] == 'x' || text[2] == 'X';
    unsigned point = 0;
    const char* end = text.data() + text.size() - 1;
    const auto read = std::from_chars(text.data() + (hex ? 3 : 2), end, point, hex ? 16 : 10);
    return read.ec == std::errc() && read.ptr == end ? letter(point) : std::string(text);
}

std::string text_of(const MD_ATTRIBUTE& attribute) {
    std::string text;
    for (unsigned i = 0; attribute.text != nullptr && attribute.substr_offsets[i] < attribute.size;
         ++i) {
        const MD_OFFSET from = attribute.substr_offsets[i], to = attribute.substr_offsets[i + 1];
        const std::string_view part(attribute.text + from, to - from);
        text += attribute.substr_types[i] == MD_TEXT_ENTITY     ? entity(part)
                : attribute.substr_types[i] == MD_TEXT_NULLCHAR ? letter(0)
                                                                : std::string(part);
    }
    return text;
}

bool same_dress(const Span& a, const Span& b) {
    return a.kind == b.kind && a.bold == b.bold && a.italic == b.italic && a.link == b.link;
}

// Puts the tree together, block by block.
class Builder {
  public:
    Builder(std::string_view source, std::vector<Problem>& problems)
        : source_(source), problems_(problems) {
        for (std::size_t at = 0; at < source.size(); ++at)
            if (source[at] == '\n') line_ends_.push_back(at);
        open_.push_back(&root_);
    }

    void parse() {
        MD_PARSER parser{};
        parser.flags = MD_FLAG_TABLES | MD_FLAG_TASKLISTS | MD_FLAG_LATEXMATHSPANS |
                       MD_FLAG_NOINDENTEDCODEBLOCKS;
        parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
            return static_cast<Builder*>(self)->enter(type, detail);
        };
        parser.leave_block = [](MD_BLOCKTYPE type, void* /*detail*/, void* self) {
            return static_cast<Builder*>(self)->leave(type);
        };
        parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
            return static_cast<Builder*>(self)->enter_span(type, detail);
        };
        parser.leave_span = [](MD_SPANTYPE type, void* /*detail*/, void* self) {
            return static_cast<Builder*>(self)->leave_span(type);
        };
        parser.text = [](MD_TEXTTYPE type, const char* text, MD_SIZE size, void* self) {
            return static_cast<Builder*>(self)->text(type, {text, size});
        };
        const int status =
            md_parse(source_.data(), static_cast<MD_SIZE>(source_.size()), &parser, this);
        if (status != 0 && !full_) complain("the file could not be read to its end.");
    }

    Node take() { return std::move(root_); }

  private:
    void complain(std::string_view reason) { complain(line_, reason); }
    void complain(int line, std::string_view reason) { lessons::complain(problems_, line, reason); }

    // Takes the line number from the parser's text, if that points into the source.
    void look_at(const char* text) {
        if (text < source_.data() || text >= source_.data() + source_.size()) return;
        const auto at = static_cast<std::size_t>(text - source_.data());
        line_ = 1 + static_cast<int>(std::ranges::lower_bound(line_ends_, at) - line_ends_.begin());
        for (Node* node : open_)
            if (node->line == 0) node->line = line_;
    }

    int enter(MD_BLOCKTYPE type, void* detail) {
        if (type == MD_BLOCK_DOC || type == MD_BLOCK_THEAD || type == MD_BLOCK_TBODY) return 0;
        if (++count_ > kMostSpans) return refuse_more();
        if (type == MD_BLOCK_TH || type == MD_BLOCK_TD) {
            if (open_.back()->kind == Node::Kind::row) open_.back()->cells.emplace_back();
            return 0;
        }
        Node node = node_of(type, detail);
        if (++depth_ > kDeepest) {
            if (depth_ == kDeepest + 1)
                complain("expected no more than " + std::to_string(kDeepest) +
                         " nested blocks. The deeper ones are left out.");
            return 0;
        }
        Node& parent = *open_.back();
        parent.children.push_back(std::move(node));
        open_.push_back(&parent.children.back());
        return 0;
    }

    static Node node_of(MD_BLOCKTYPE type, void* detail) {
        Node node;
        using K = Node::Kind;
        switch (type) {
            case MD_BLOCK_H:
                node.kind = K::heading;
                node.level = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
                break;
            case MD_BLOCK_UL:
                node.kind = K::list;
                node.level = -1;
                break;
            case MD_BLOCK_OL:
                node.kind = K::list;
                node.level = static_cast<int>(
                    std::min(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start, 999U));
                break;
            case MD_BLOCK_LI: {
                node.kind = K::item;
                const auto& item = *static_cast<MD_BLOCK_LI_DETAIL*>(detail);
                node.ticked = item.is_task != 0 && item.task_mark != ' ';
                break;
            }
            case MD_BLOCK_QUOTE:
                node.kind = K::quote;
                break;
            case MD_BLOCK_CODE:
                node.kind = K::code;
                node.info = text_of(static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->info);
                break;
            case MD_BLOCK_HTML:
                node.kind = K::html;
                break;
            case MD_BLOCK_HR:
                node.kind = K::rule;
                break;
            case MD_BLOCK_TABLE:
                node.kind = K::table;
                break;
            case MD_BLOCK_TR:
                node.kind = K::row;
                break;
            default:
                node.kind = K::paragraph;
        }
        return node;
    }

    int leave(MD_BLOCKTYPE type) {
        const bool opens = type != MD_BLOCK_DOC && type != MD_BLOCK_THEAD &&
                           type != MD_BLOCK_TBODY && type != MD_BLOCK_TH && type != MD_BLOCK_TD;
        if (!opens || --depth_ >= kDeepest) return 0;
        Node& node = *open_.back();
        if (node.line == 0) node.line = line_;  // no text, as in a picture without alt text
        if (node.kind == Node::Kind::item) find_tick(node);
        find_values(node.prose);
        for (Prose& cell : node.cells) find_values(cell);
        open_.pop_back();
        return 0;
    }

    // md4c does not detect a checkbox in an item that follows one with a quotation.
    static void find_tick(Node& item) {
        constexpr std::string_view kTick = "[x] ";
        const bool alone = item.prose.empty() && !item.children.empty();
        Prose& words = alone ? item.children.front().prose : item.prose;
        if (words.empty() || !words.front().text.starts_with(kTick)) return;
        item.ticked = true;
        words.front().text.erase(0, kTick.size());
    }

    int enter_span(MD_SPANTYPE type, void* detail) {
        if (++count_ > kMostSpans) return refuse_more();
        if (type == MD_SPAN_EM) ++italic_;
        if (type == MD_SPAN_STRONG) ++bold_;
        if (type == MD_SPAN_A) enter_link(static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
        if (type == MD_SPAN_IMG && ++pictures_ == 1)
            enter_picture(text_of(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src));
        if (type == MD_SPAN_CODE) kind_ = Span::Kind::code;
        if (type == MD_SPAN_LATEXMATH || type == MD_SPAN_LATEXMATH_DISPLAY) {
            kind_ = Span::Kind::equation;
            put("", true);
        }
        return 0;
    }

    int leave_span(MD_SPANTYPE type) {
        if (type == MD_SPAN_EM) --italic_;
        if (type == MD_SPAN_STRONG) --bold_;
        if (type == MD_SPAN_A) link_.clear();
        if (type == MD_SPAN_IMG) --pictures_;
        if (type == MD_SPAN_LATEXMATH || type == MD_SPAN_LATEXMATH_DISPLAY) finish_equation();
        if (type == MD_SPAN_CODE || type == MD_SPAN_LATEXMATH || type == MD_SPAN_LATEXMATH_DISPLAY)
            kind_ = Span::Kind::text;
        return 0;
    }

    // An address may be defined once and used ten thousand times.
    void enter_link(const MD_ATTRIBUTE& address) {
        if (address.size <= kLongestWord) {
            link_ = text_of(address);
            return;
        }
        look_at(address.text);
        complain("expected an address of at most " + std::to_string(kLongestWord) +
                 " bytes, found " + std::to_string(address.size) + ".");
    }

    void enter_picture(std::string address) {
        Node& node = *open_.back();
        if (!node.prose.empty() || !node.picture.empty() || node.kind != Node::Kind::paragraph)
            return complain("a picture needs a paragraph of its own.");
        node.picture = std::move(address);
    }

    int text(MD_TEXTTYPE type, std::string_view words) {
        if (++count_ > kMostSpans) return refuse_more();
        look_at(words.data());
        if (depth_ > kDeepest) return 0;
        Node& node = *open_.back();
        if (node.kind == Node::Kind::code || node.kind == Node::Kind::html) {
            node.text += words;
            return 0;
        }
        switch (type) {
            case MD_TEXT_NULLCHAR:
                put(letter(0));
                break;
            case MD_TEXT_BR:
                put("\n", true, Span::Kind::new_line);
                break;
            case MD_TEXT_SOFTBR:
                ++line_;
                put("\n");
                break;
            case MD_TEXT_ENTITY:
                put(entity(words));
                break;
            case MD_TEXT_HTML:
                if (!words.starts_with("<!--")) complain("HTML is not shown.");
                break;
            default:
                put(std::string(words));
        }
        return 0;
    }

    Prose& prose() {
        Node& node = *open_.back();
        return node.cells.empty() ? node.prose : node.cells.back();
    }

    void put(std::string words, bool apart = false, std::optional<Span::Kind> kind = {}) {
        if (depth_ > kDeepest || words.find('\0') != words.npos) return;
        Span span{kind.value_or(kind_), std::move(words), bold_ > 0, italic_ > 0, link_, line_};
        Prose& all = prose();
        if (!apart && !all.empty() && same_dress(all.back(), span))
            all.back().text += span.text;
        else
            all.push_back(std::move(span));
    }

    void finish_equation() {
        if (depth_ > kDeepest || prose().empty()) return;
        Span& span = prose().back();
        span.source = span.text;
        try {
            span.text = equation_of(span.text);
        } catch (const CommandError& error) {
            complain(error.what());
            span.kind = Span::Kind::code;
        }
    }

    // Splits "{value …}" off the complete text runs, and sets the condition of text in "{if …: }".
    void find_values(Prose& prose) {
        Prose found;
        std::string condition;
        int opened = 0;  // the line
        for (Span& span : prose) {
            const std::string whole = std::exchange(span.text, {});
            std::string_view rest = whole;
            const auto add = [&](Span::Kind kind, std::string_view text) {
                if (text.empty() && kind != Span::Kind::new_line) return;
                found.push_back(span);
                found.back().kind = kind;
                found.back().text = text;
                found.back().condition = condition;
            };
            while (span.kind == Span::Kind::text && !rest.empty()) {
                const std::size_t begin =
                    std::min({rest.find("{value "), rest.find("{percent "), rest.find("{if "),
                              condition.empty() ? rest.npos : rest.find('}')});
                if (begin == rest.npos) break;
                add(Span::Kind::text, rest.substr(0, begin));
                rest.remove_prefix(begin);
                if (rest.front() == '}') {
                    condition.clear();
                    rest.remove_prefix(1);
                } else if (rest[1] == 'i') {
                    const std::size_t words = rest.find(": ");
                    if (!condition.empty() || words == rest.npos) {
                        complain(span.line, condition.empty()
                                                ? "{if …} needs a condition and a colon."
                                                : "an {if …} is inside another.");
                        condition.clear();
                        break;
                    }
                    condition = rest.substr(4, words - 4);
                    opened = span.line;
                    rest.remove_prefix(words + 2);
                } else {
                    const std::size_t close = rest.find('}');
                    if (close == rest.npos) {
                        complain(span.line, "a value has an opening brace and no closing one.");
                        break;
                    }
                    const std::size_t words = rest.find(' ') + 1;
                    add(rest[1] == 'v' ? Span::Kind::value : Span::Kind::percent,
                        rest.substr(words, close - words));
                    rest.remove_prefix(close + 1);
                }
            }
            if (span.kind == Span::Kind::text) find_open_formula(span.line, rest);
            add(span.kind, rest);
        }
        if (!condition.empty())
            complain(opened, "an {if …} has an opening brace and no closing one.");
        prose = std::move(found);
    }

    // Reports a dollar sign without a matching one; an escaped dollar sign is a literal.
    void find_open_formula(int line, std::string_view text) {
        if (text.find('$') == text.npos || source_.find("\\$") != source_.npos) return;
        complain(line, "a formula starts with $ and has no closing $. Write a dollar sign as \\$.");
    }

    int refuse_more() {
        if (!full_)
            complain("expected a lesson of fewer than " + std::to_string(kMostSpans) +
                     " paragraphs, links and other pieces; what follows is left out.");
        full_ = true;
        return 1;
    }

    std::string_view source_;
    std::vector<Problem>& problems_;
    std::vector<std::size_t> line_ends_;
    Node root_;
    std::vector<Node*> open_;  // parents do not grow while their last child is open
    int depth_ = 0;
    std::size_t count_ = 0;
    bool full_ = false;
    int line_ = 1;
    int bold_ = 0, italic_ = 0, pictures_ = 0;
    std::string link_;
    Span::Kind kind_ = Span::Kind::text;
};

}  // namespace

Node read_markdown(std::string_view text, std::vector<Problem>& problems) {
    const std::string source = source_text(text, problems);
    Builder builder(source, problems);
    builder.parse();
    return builder.take();
}

}  // namespace headlight::lessons
