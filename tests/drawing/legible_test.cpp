#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "pane.h"
#include "walks.h"

// All text on the screen is large enough and has enough contrast with its background.
namespace headlight {
namespace {

using testing::Desk;
using testing::Pane;
using testing::PaneSize;
using testing::Walk;
using ui::Recording;

constexpr double kWords = 14, kLabels = 12, kContrast = 4.5;  // em at 96 dpi; WCAG 2.1
constexpr double kLetter = 1.0 / 30, kProjected = 7;          // of the height; in lecture view

constexpr PaneSize kLegibleSizes[] = {{1280, 720}, {1600, 1000}};
constexpr PaneSize kHalls[] = {{1280, 720}, {1920, 1080}, {1024, 768}};

double em_of(const Pane& pane, const ui::DrawnText& text) {
    const ui::Fonts& fonts = pane.ui().fonts();
    return text.pixels / fonts.pixels(text.size, text.face) * fonts.em(text.size);
}

// Whether a widget's texts are sentences, or labels of an axis, a step or a thumbnail. Texts of a
// named widget count as sentences.
bool is_of_words(const std::string& widget) {
    for (const char* start :
         {"field.", "compare", "top.", "transport.", "changed", "help", "model", "files", "about",
          "image.reading", "image.scale", "heads.range", "heads.view", "heads.number", "scene.",
          "notice", "zoom.reset", "stage.products"})
        if (widget.starts_with(start)) return true;
    return false;
}

// If a panel covers the window, the first item after the dimming, otherwise the first of all.
std::size_t uppermost(const Recording& recording, ImVec2 window) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < recording.items().size(); ++i)
        if (const auto* fill = std::get_if<ui::DrawnRect>(&recording.items()[i].what))
            if (fill->rect.w >= window.x && fill->rect.h >= window.y) first = i + 1;
    return first;
}

void expect_large_enough(const Pane& pane, const Recording& recording) {
    for (const Recording::Item& item : recording.items())
        if (const auto* text = std::get_if<ui::DrawnText>(&item.what)) {
            EXPECT_GE(em_of(pane, *text) + 0.01, kLabels) << text->text;
        }
    const auto first =
        static_cast<std::ptrdiff_t>(uppermost(recording, ImGui::GetIO().DisplaySize));
    for (const auto& [name, where] : pane.ui().names()) {
        if (!is_of_words(name)) continue;
        for (auto item = recording.items().begin() + first; item != recording.items().end();
             ++item) {
            const auto* text = std::get_if<ui::DrawnText>(&item->what);
            if (text == nullptr || text->face != ui::Face::words) continue;
            const ImVec2 middle = text->rect().center();
            if (!where.rect.contains(middle) || !item->clip.contains(middle)) continue;
            EXPECT_GE(em_of(pane, *text) + 0.01, kWords) << name << ": " << text->text;
        }
    }
}

bool covers(const ui::Rect& rect, const ui::Rect& clip, ImVec2 point) {
    return rect.contains(point) && clip.contains(point);
}

// The background of a text, from everything filled before it; empty if that is a picture.
std::optional<ImU32> ground_of(const Recording& recording, std::size_t index, ImU32 window) {
    const auto& items = recording.items();
    const ImVec2 at = std::get<ui::DrawnText>(items[index].what).rect().center();
    std::optional<ImU32> ground = window;
    for (std::size_t i = 0; i < index; ++i) {
        const Recording::Item& item = items[i];
        if (const auto* matrix = std::get_if<ui::DrawnMatrix>(&item.what)) {
            if (covers(matrix->rect, item.clip, at)) ground.reset();
        } else if (const auto* photo = std::get_if<ui::DrawnPhoto>(&item.what)) {
            if (covers(photo->rect, item.clip, at)) ground.reset();
        } else if (const auto* fill = std::get_if<ui::DrawnRect>(&item.what)) {
            if (fill->thickness > 0 || !covers(fill->rect, item.clip, at)) continue;
            const float alpha =
                static_cast<float>((fill->color >> IM_COL32_A_SHIFT) & 255U) / 255.0F;
            if (alpha >= 1)
                ground = fill->color;
            else if (ground)
                ground = ui::mix(*ground, fill->color | IM_COL32_A_MASK, alpha);
        }
    }
    return ground;
}

void expect_set_off(const Pane& pane, const Recording& recording, double least,
                    std::set<std::string>& said) {
    const ui::Palette& colors = pane.ui().colors();
    for (std::size_t i = 0; i < recording.items().size(); ++i) {
        const auto* text = std::get_if<ui::DrawnText>(&recording.items()[i].what);
        if (text == nullptr || !recording.items()[i].clip.contains(text->rect().center())) continue;
        const auto ground = ground_of(recording, i, colors.background);
        if (!ground) continue;
        const float alpha = static_cast<float>((text->color >> IM_COL32_A_SHIFT) & 255U) / 255.0F;
        const ImU32 ink = ui::mix(*ground, text->color | IM_COL32_A_MASK, alpha);
        const double contrast = ui::contrast(ink, *ground);
        if (contrast < least && said.insert(text->text).second)
            ADD_FAILURE() << '"' << text->text << "\": " << contrast << " : 1";
    }
}

// Visits every step and panel in both themes.
void look_at_all(Desk& desk, const std::vector<std::string>& lines) {
    Pane pane;
    const Recording& recording = pane.record();
    std::set<std::string> said;
    for (const char* theme : {"dark", "light"})
        for (const PaneSize size : kLegibleSizes)
            for (const std::string& line : lines) {
                SCOPED_TRACE(line + ", " + theme + ", " + std::to_string(size.width));
                ASSERT_TRUE(desk.say(std::string("set theme ") + theme));
                ASSERT_TRUE(desk.does(line)) << desk->notice().text;
                pane.point_nowhere();
                for (int frame = 0; frame < 2; ++frame) pane.draw(desk, size, 1);
                expect_large_enough(pane, recording);
                expect_set_off(pane, recording, kContrast, said);
            }
}

// From the top of ascenders to the bottom of descenders, according to the font.
void expect_seen_from_the_last_row(const Recording& recording, const PaneSize& size,
                                   std::set<std::string>& said) {
    for (const Recording::Item& item : recording.items())
        if (const auto* text = std::get_if<ui::DrawnText>(&item.what))
            if (text->pixels < kLetter * size.height && said.insert(text->text).second)
                ADD_FAILURE() << '"' << text->text << "\": " << text->pixels << " pixels";
}

class Legible : public ::testing::TestWithParam<int> {};

TEST_P(Legible, all_that_is_written) {
    const Walk walk = testing::all_walks()[static_cast<std::size_t>(GetParam())];
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, walk.open));
    std::vector<std::string> lines;
    for (const Step step : desk->steps()) lines.push_back("step " + std::string(info(step).name));
    for (const std::string_view section : kNames<Section>)
        lines.push_back("set fold_" + std::string(section) + " open");
    for (const char* line : {"pin", "set temperature 0.312", "compare before", "compare difference",
                             "compare after", "show model", "show help", "show about",
                             "show palette", "show files", "show nothing", "set screen look"})
        lines.emplace_back(line);
    look_at_all(desk, lines);
}

TEST_P(Legible, all_that_is_projected) {
    const Walk walk = testing::all_walks()[static_cast<std::size_t>(GetParam())];
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, walk.open));
    ASSERT_TRUE(desk.does("set lecture on"));
    std::vector<std::string> lines;
    for (const Step step : desk->steps()) lines.push_back("step " + std::string(info(step).name));
    for (const char* line : {"focus 3", "set temperature 0.312", "set screen positions",
                             "set screen heads", "set screen look"})
        lines.emplace_back(line);
    Pane pane;
    const Recording& recording = pane.record();
    for (const char* theme : {"dark", "light"})
        for (const PaneSize size : kHalls) {
            std::set<std::string> small, faint;
            for (const std::string& line : lines) {
                SCOPED_TRACE(line + ", " + theme + ", " + std::to_string(size.width));
                ASSERT_TRUE(desk.say(std::string("set lecture_theme ") + theme));
                ASSERT_TRUE(desk.does(line)) << desk->notice().text;
                pane.point_nowhere();
                pane.draw(desk, size, 1);
                pane.point_at("stage.result");  // so that a cell is explained
                for (int frame = 0; frame < 2; ++frame) pane.draw(desk, size, 1);
                expect_seen_from_the_last_row(recording, size, small);
                expect_set_off(pane, recording, kProjected, faint);
            }
            ASSERT_TRUE(desk.does("set screen walk"));
        }
}

INSTANTIATE_TEST_SUITE_P(OfAllWalks, Legible, ::testing::Range(0, 5), [](const auto& test) {
    return std::string(testing::all_walks()[static_cast<std::size_t>(test.param)].name);
});

}  // namespace
}  // namespace headlight
