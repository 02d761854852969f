#include "lessons_screen/manual_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "disk/read_file.h"
#include "frame/capitals.h"
#include "frame/overlay.h"
#include "frame/terms.h"
#include "image/image.h"
#include "kernels/counted.h"
#include "lessons/manual.h"
#include "lessons_screen/page.h"

namespace headlight::screens {

namespace {

using lessons::ManualPlace;

// The panel does not show this page; it lists the program's own table of keys instead.
constexpr std::string_view kKeysFile = "keys.md";

// Kept while the program runs.
struct ManualMemory {
    std::optional<lessons::Manual> manual;  // read on first use
    std::string problem;
    std::optional<std::size_t> page;     // empty: keys and mouse
    std::optional<std::size_t> section;  // to scroll to in the next frame
    std::string sought;                  // search text; empty: shows the page
    std::vector<lessons::ManualHit> hits;
    std::map<std::filesystem::path, std::shared_ptr<const Image>> pictures;  // null: unreadable
    long turns = 0;                                                          // counts page changes
    Selecting selecting;

    void turn(std::optional<std::size_t> to, std::size_t at = 0) {
        page = to && manual->pages[*to].file == kKeysFile ? std::nullopt : to;
        section = at;
        sought.clear();
        ++turns;
    }
    void search(const std::string& words) {
        sought = words;
        hits = lessons::search(*manual, words);
        ++turns;
    }
};

ManualMemory& manual_of(Frame& frame) {
    auto& memory = frame.memory.own<ManualMemory>();
    if (memory.manual) return memory;
    memory.manual.emplace();
    try {
        memory.manual = lessons::read_manual(frame.memory.own<ManualFolder>().path);
    } catch (const std::runtime_error& error) {
        memory.problem = error.what();
    }
    return memory;
}

// Opens the page with the screen's name.
void open_at_screen(Frame& frame, ManualMemory& memory) {
    const std::string name(words_of(frame.state.look.screen).name);
    memory.turn(memory.manual->page(name + ".md"));
}

// ---- contents

constexpr std::string_view kKeys = "Keys and mouse";

// "heads" for "heads.md", "lessons" for "../lessons/README.md".
std::string name_of_page(const lessons::ManualPage& page) {
    const std::filesystem::path file(page.file);
    return file.stem() == "README" ? file.parent_path().filename().string() + "-readme"
                                   : file.stem().string();
}

// "Heads" for "Heads: the maps of all heads".
std::string_view short_title(std::string_view title) { return title.substr(0, title.find(':')); }

bool content_row(Frame& frame, ui::Layout& rest, const std::string& name, std::string_view title,
                 bool shown) {
    const ui::Rect row = rest.row(4);
    const auto mouse = ui::interact(frame.ui, "help.page." + name, row);
    ui::Canvas canvas(frame.ui);
    if (mouse.hovered) canvas.fill(row, frame.colors().hover, frame.px(4));
    canvas.label(row.inset(frame.px(6), 0), title,
                 {.color = shown ? frame.colors().accent : frame.colors().text});
    return mouse.clicked;
}

void contents(Frame& frame, const ui::Rect& rect, ManualMemory& memory) {
    ui::begin_child("help.contents", rect, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    ui::Layout rest(frame.ui, {top.x, top.y, rect.w - frame.px(14), 1e6F});
    const bool reads = memory.sought.empty();
    if (content_row(frame, rest, "keys", kKeys, reads && !memory.page)) memory.turn({});
    std::string group;
    const auto& pages = memory.manual->pages;
    for (std::size_t p = 0; p < pages.size(); ++p) {
        if (pages[p].file == kKeysFile) continue;
        if (group != pages[p].group) {
            group = pages[p].group;
            rest.skip_top(8);
            ui::Canvas(frame.ui).caption(rest.row(), capitals(group));
        }
        if (content_row(frame, rest, name_of_page(pages[p]), short_title(pages[p].title),
                        reads && memory.page == p))
            memory.turn(p);
    }
    ImGui::SetCursorScreenPos({top.x, rest.y});
    ImGui::Dummy({1, 1});
    ImGui::EndChild();
}

// The same, if there is no space beside the text.
void contents_list(Frame& frame, const ui::Rect& rect, ManualMemory& memory) {
    const auto& pages = memory.manual->pages;
    std::vector<std::string_view> titles{kKeys};
    std::vector<std::optional<std::size_t>> turns_to{std::nullopt};
    for (std::size_t p = 0; p < pages.size(); ++p) {
        if (pages[p].file == kKeysFile) continue;
        titles.push_back(short_title(pages[p].title));
        turns_to.emplace_back(p);
    }
    const auto shown = std::ranges::find(turns_to, memory.page) - turns_to.begin();
    const int chosen = ui::choice(frame.ui, "help.pages", rect, titles, static_cast<int>(shown));
    if (chosen >= 0) memory.turn(turns_to[static_cast<std::size_t>(chosen)]);
}

// ---- text

void follow(ManualMemory& memory, const std::string& address) {
    const auto place = lessons::follow_link(*memory.manual, memory.page.value_or(0), address);
    if (place) return memory.turn(place->page, place->section);
    ImGui::SetClipboardText(address.c_str());  // a source file
}

void heading(Page& page, const std::string& title, ui::Size size) {
    lessons::Span span;
    span.text = title;
    page.write({span}, {.size = size, .face = ui::Face::bold});
    page.gap(8);
}

// Null if it cannot be read; its alternative text is shown instead.
std::shared_ptr<const Image> image_of(const std::filesystem::path& file, ManualMemory& memory) {
    constexpr std::int64_t kMostPixels = 4'000'000;
    const auto [place, fresh] = memory.pictures.try_emplace(file);
    if (!fresh) return place->second;
    try {
        place->second = std::make_shared<const Image>(decode_image(
            read_file(file.string()).bytes(), file.string(), kMostPixels, Alpha::white));
    } catch (const std::runtime_error&) {
        return nullptr;
    }
    return place->second;
}

void picture(Page& page, const lessons::ManualPage& shown, const lessons::Picture& block,
             ManualMemory& memory) {
    const auto folder = page.frame.memory.own<ManualFolder>().path / shown.file;
    const auto image = image_of(folder.parent_path() / block.file, memory);
    page.frame.ui.report("help.picture",
                         fmt::format("{}{}", block.file, image ? "" : " is missing"));
    write_picture(page, image, block);
}

void sections(Page& page, const lessons::ManualPage& shown, ManualMemory& memory) {
    // A link followed below sets the section of the next page.
    const auto wanted = std::exchange(memory.section, std::nullopt);
    for (std::size_t s = 0; s < shown.sections.size(); ++s) {
        const lessons::ManualSection& section = shown.sections[s];
        if (s > 0) page.gap(10);
        if (wanted == s) ImGui::SetScrollFromPosY(page.rest.y - ImGui::GetWindowPos().y, 0);
        heading(page, section.title, s == 0 ? ui::Size::large : ui::Size::body);
        for (std::size_t i = 0; i < section.blocks.size(); ++i) {
            if (i > 0 && is_item(section.blocks[i - 1]) && is_item(section.blocks[i]))
                page.between("\n");
            if (const auto* image = std::get_if<lessons::Picture>(&section.blocks[i].what))
                picture(page, shown, *image, memory);
            else
                write_block(page, section.blocks[i]);
        }
    }
}

void found(Page& page, ManualMemory& memory) {
    Frame& frame = page.frame;
    heading(page,
            fmt::format("{} with “{}”", counted(std::ssize(memory.hits), "section"), memory.sought),
            ui::Size::body);
    std::optional<ManualPlace> chosen;
    for (std::size_t i = 0; i < memory.hits.size(); ++i) {
        const lessons::ManualHit& hit = memory.hits[i];
        const lessons::ManualPage& there = memory.manual->pages[hit.place.page];
        const std::string_view title = short_title(there.title);
        const std::string& section = there.sections[hit.place.section].title;
        ui::Canvas canvas(frame.ui);
        ui::Layout row(frame.ui, page.rest);
        const ui::TextStyle dim{.color = frame.colors().dim};
        row.h = frame.line() + canvas.measure_wrapped(hit.excerpt, dim, row.w).y + frame.px(8);
        page.rest.top(row.h);
        const auto mouse = ui::interact(frame.ui, fmt::format("help.found.{}", i + 1), row);
        if (mouse.hovered) canvas.fill(row, frame.colors().hover, frame.px(4));
        if (mouse.clicked) chosen = hit.place;
        const bool begins = hit.place.section == 0;
        canvas.label(row.row(),
                     begins ? std::string(title) : fmt::format("{} › {}", title, section),
                     {.face = ui::Face::bold, .color = frame.colors().accent});
        canvas.wrapped(row, hit.excerpt, dim);
    }
    if (chosen) memory.turn(chosen->page, chosen->section);
}

void text(Frame& frame, const ui::Rect& rect, ManualMemory& memory, KeysPage& keys) {
    const ui::Layout content = begin_scroll(frame, rect, "help");
    if (memory.section == 0U) ImGui::SetScrollY(0);
    memory.selecting.begin(memory.turns);
    const bool is_glossary =
        memory.page && memory.manual->pages[*memory.page].file == "glossary.md";
    const LinkUse use{"help.link.",
                      [&](const std::string& address) { follow(memory, address); },
                      !is_glossary,
                      {"key", "keys", "value", "values"}};
    ProseWriter writer(frame, memory.selecting, use);
    Page page{frame, writer, content};
    float bottom = 0;
    if (!memory.problem.empty()) {
        bottom = content.y + ui::Canvas(frame.ui).wrapped(content, memory.problem, {});
    } else if (!memory.sought.empty()) {
        found(page, memory);
        bottom = page.rest.y;
    } else if (memory.page) {
        const std::size_t shown = *memory.page;  // a link may open another
        sections(page, memory.manual->pages[shown], memory);
        bottom = page.rest.y;
    } else {
        memory.section.reset();
        bottom = keys(frame, content);
    }
    ImGui::SetCursorScreenPos({content.x, bottom});
    memory.selecting.end(frame);
    end_scroll(content, bottom);
}

void search_field(Frame& frame, const ui::Rect& rect, ManualMemory& memory) {
    std::string words = memory.sought;
    if (ui::number_field(frame.ui, "help.search", rect, words) && words != memory.sought)
        memory.search(words);
}

}  // namespace

void manual_panel(Frame& frame, const ui::Rect& window, KeysPage& keys) {
    ui::Layout inside = begin_overlay(frame, window, "help", "Help");
    ManualMemory& memory = manual_of(frame);
    if (ImGui::IsWindowAppearing()) open_at_screen(frame, memory);
    ui::Layout foot = inside.last_row(12, 8);
    foot.skip_top(6);
    if (foot.button_left("help.about", "About Headlight")) frame.say("show", "about");
    const float scale = frame.ui.text_scale();
    const bool beside = inside.w > frame.px(640) * scale;
    ui::Layout left(frame.ui, beside ? inside.left(frame.px(190) * scale)
                                     : inside.top(2 * (frame.line() + frame.px(10))));
    ui::Layout row = left.row(6);
    const ui::TextStyle dim{.color = frame.colors().dim};
    row.words_left("Search", dim, 8);
    search_field(frame, row, memory);
    left.skip_top(8);
    if (beside) {
        contents(frame, left, memory);
        inside.skip_left(28);
    } else {
        contents_list(frame, left.row(2), memory);
    }
    frame.ui.report("help.page", memory.page ? memory.manual->pages[*memory.page].file : "keys");
    frame.ui.report("help.found", std::to_string(memory.sought.empty() ? 0 : memory.hits.size()));
    text(frame, inside, memory, keys);
    end_overlay();
}

bool manual_takes_key(Memory& memory, std::string_view key) {
    return memory.own<ManualMemory>().selecting.takes_key(key);
}

}  // namespace headlight::screens
