#include <gtest/gtest.h>

#include <algorithm>

#include "pane.h"
#include "ui/canvas.h"
#include "ui/controls.h"
#include "walks.h"

// Tests what the views draw, as data.
namespace headlight {
namespace {

using testing::Desk;
using testing::Pane;

constexpr testing::PaneSize kSize{1600, 1000};

// A window of our own widgets.
class Sheet {
  public:
    Sheet() : ui_(testing::system_fonts()) {
        testing::use_no_gl();
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        ImGui::GetIO().DisplaySize = {800, 600};
    }
    ~Sheet() { ImGui::DestroyContext(); }
    Sheet(const Sheet&) = delete;
    Sheet& operator=(const Sheet&) = delete;

    template <class Draw>
    void draw(const Draw& draw) {
        ui_.begin(ui::dark_palette(), 1, 1);
        ImGui::NewFrame();
        ui_.start_frame();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({800, 600});
        ImGui::Begin("sheet", nullptr, ImGuiWindowFlags_NoDecoration);
        draw(ui_);
        ImGui::End();
        ImGui::Render();
        ui_.end();
    }
    ui::Context& ui() { return ui_; }

  private:
    ui::Context ui_;
};

std::vector<std::string> words_of(const ui::Recording& recording) {
    std::vector<std::string> words;
    for (const ui::DrawnText& text : recording.texts({0, 0, 800, 600})) words.push_back(text.text);
    return words;
}

TEST(Recording, holds_what_was_said_to_the_canvas_with_its_looks) {
    Sheet sheet;
    ui::Recording recording;
    sheet.ui().record(&recording);
    sheet.draw([](ui::Context& ui) {
        ui::Canvas canvas(ui);
        canvas.fill({10, 20, 30, 40}, IM_COL32(1, 2, 3, 255), 4);
        canvas.text({50.4F, 60}, "A · V", {.face = ui::Face::mono, .color = IM_COL32_WHITE});
        canvas.line({1, 2}, {3, 4}, IM_COL32_BLACK, 2);
    });
    ASSERT_EQ(recording.items().size(), 3);
    const auto& fill = std::get<ui::DrawnRect>(recording.items()[0].what);
    EXPECT_EQ(fill.rect, (ui::Rect{10, 20, 30, 40}));
    EXPECT_EQ(fill.color, IM_COL32(1, 2, 3, 255));
    EXPECT_EQ(fill.rounding, 4);
    EXPECT_EQ(fill.thickness, 0);
    const auto& text = std::get<ui::DrawnText>(recording.items()[1].what);
    EXPECT_EQ(text.text, "A · V");
    EXPECT_EQ(text.face, ui::Face::mono);
    EXPECT_EQ(text.color, IM_COL32_WHITE);
    EXPECT_EQ(text.at.x, 50);
    EXPECT_FLOAT_EQ(text.pixels, sheet.ui().fonts().pixels(ui::Size::body, ui::Face::mono));
    EXPECT_FLOAT_EQ(text.width, ui::Canvas(sheet.ui(), ui::Canvas::Over::everything)
                                    .measure("A · V", {.face = ui::Face::mono}));
    EXPECT_EQ(std::get<ui::DrawnLine>(recording.items()[2].what).thickness, 2);
}

TEST(Recording, is_in_the_order_in_which_things_lie_over_each_other) {
    Sheet sheet;
    ui::Recording recording;
    sheet.ui().record(&recording);
    sheet.draw([](ui::Context& ui) {
        const auto say = [&](const char* what, auto over) {
            ui::Canvas(ui, over).text({100, 100}, what, {});
        };
        say("over all", ui::Canvas::Over::everything);
        say("first", ui::Canvas::Over::window);
        ui::begin_child("within", {50, 50, 200, 200}, 0);
        say("within", ui::Canvas::Over::window);
        ImGui::EndChild();
        say("second", ui::Canvas::Over::window);
    });
    EXPECT_EQ(words_of(recording),
              (std::vector<std::string>{"first", "second", "within", "over all"}));
}

TEST(Recording, knows_what_is_cut_off) {
    Sheet sheet;
    ui::Recording recording;
    sheet.ui().record(&recording);
    sheet.draw([](ui::Context& ui) {
        ui::Canvas canvas(ui);
        {
            const auto clip = canvas.clip({0, 0, 100, 100});
            canvas.text({10, 10}, "seen", {});
            canvas.text({10, 200}, "cut off", {});
        }
        canvas.text({10, 300}, "seen again", {});
    });
    EXPECT_EQ(words_of(recording), (std::vector<std::string>{"seen", "seen again"}));
    EXPECT_EQ(recording.items().front().clip, (ui::Rect{0, 0, 100, 100}));
}

TEST(Recording, is_of_one_frame_and_only_while_somebody_wants_it) {
    Sheet sheet;
    const auto draw = [&](const char* what) {
        sheet.draw([&](ui::Context& ui) { ui::Canvas(ui).text({10, 10}, what, {}); });
    };
    ui::Recording recording;
    draw("nobody listens");
    EXPECT_TRUE(recording.items().empty());
    sheet.ui().record(&recording);
    draw("one");
    draw("two");
    EXPECT_EQ(words_of(recording), (std::vector<std::string>{"two"}));
    sheet.ui().record(nullptr);
    draw("three");
    EXPECT_EQ(words_of(recording), (std::vector<std::string>{"two"}));
}

TEST(Recording, says_which_cells_a_matrix_shows) {
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_TRUE(desk.does("step scale"));
    Pane pane;
    const ui::Recording& recording = pane.record();
    pane.draw(desk, kSize, 1);
    const auto is_result = [](const ui::Recording::Item& item) {
        const auto* matrix = std::get_if<ui::DrawnMatrix>(&item.what);
        return matrix != nullptr && matrix->picture.name == "stage.result";
    };
    const auto found = std::ranges::find_if(recording.items(), is_result);
    ASSERT_NE(found, recording.items().end());
    const auto& picture = std::get<ui::DrawnMatrix>(found->what).picture;
    const MatrixView scores = desk->trace()->view(Tensor::scores, 0, desk.selection().head);
    EXPECT_EQ(picture.cells.data, scores.data);
    EXPECT_EQ(picture.cells.rows, scores.rows);
    EXPECT_LT(picture.style.low, picture.style.high);
}

TEST(Recording, says_what_the_walk_says) {
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_TRUE(desk.does("step scale"));
    Pane pane;
    pane.record();
    pane.draw(desk, kSize, 1);
    const std::vector<std::string> stage = pane.texts("stage");
    for (const char* said : {"N = 100 tokens", "× 0.25", "1/√16"})
        EXPECT_TRUE(std::ranges::count(stage, said) > 0)
            << said << " in " << ::testing::PrintToString(stage);
    const std::vector<std::string> open = pane.texts("top.open");
    ASSERT_FALSE(open.empty());
    EXPECT_TRUE(open.front().starts_with("cat.jpg")) << ::testing::PrintToString(open);
}

}  // namespace
}  // namespace headlight
