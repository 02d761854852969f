#include "figure/svg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "figure/matrix_file.h"
#include "figure/raster.h"
#include "files/npy.h"
#include "pane.h"
#include "ui/canvas.h"

// Tests recordings as SVG files. tests/ui/test_figures.py reads such files.
namespace headlight {
namespace {

// An empty window for a test's content; only recorded, so it needs no GPU.
class Page {
  public:
    Page() : ui_(testing::system_fonts()) {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        ImGui::GetIO().DisplaySize = {100, 100};
        ui_.record(&recording_, ui::Context::Paint::no);
    }
    ~Page() { ImGui::DestroyContext(); }
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;

    template <class Draw>
    std::string svg(const Draw& draw, const figure::Provenance& facts = {},
                    const ui::Rect& area = {0, 0, 100, 100}) {
        ui_.begin(ui::dark_palette(), 1, 1);
        ImGui::NewFrame();
        ui_.start_frame();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({100, 100});
        ImGui::Begin("page", nullptr, ImGuiWindowFlags_NoDecoration);
        ui::Canvas canvas(ui_);
        draw(canvas);
        ImGui::End();
        ImGui::Render();
        ui_.end();
        return figure::svg_of(recording_, area, ui_, IM_COL32_BLACK, facts);
    }
    [[nodiscard]] const ui::Recording& recording() const { return recording_; }

  private:
    ui::Recording recording_;
    ui::Context ui_;
};

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Svg, has_text_as_text_that_may_hold_any_sign) {
    Page page;
    const std::string svg = page.svg(
        [](ui::Canvas& canvas) {
            canvas.text({10, 20}, "A<B & \"C\" \xff", {});
        },
        {{"image", "a<b>.png"}});
    EXPECT_TRUE(has(svg, ">A&lt;B &amp; &quot;C&quot; \uFFFD</text>")) << svg;
    EXPECT_TRUE(has(svg, "<desc>image: a&lt;b&gt;.png\n</desc>")) << svg;
}

TEST(Svg, has_shapes_with_their_colors_and_opacity) {
    Page page;
    const std::string svg = page.svg([](ui::Canvas& canvas) {
        canvas.fill({1, 2, 3, 4}, IM_COL32(255, 128, 0, 51));
        canvas.circle({50, 60}, 7, IM_COL32(0, 0, 255, 255), 2);
    });
    EXPECT_TRUE(has(svg, R"(x="1" y="2" width="3" height="4" fill="#ff8000" fill-opacity="0.2")"))
        << svg;
    EXPECT_TRUE(has(svg, R"(cx="50" cy="60" r="7" fill="none" stroke="#0000ff" stroke-width="2")"))
        << svg;
}

TEST(Svg, clips_what_was_clipped) {
    Page page;
    const std::string svg = page.svg([](ui::Canvas& canvas) {
        const auto clip = canvas.clip({10, 10, 20, 20});
        canvas.fill({0, 0, 50, 50}, IM_COL32_WHITE);
    });
    EXPECT_TRUE(has(svg, R"(<rect x="10" y="10" width="20" height="20"/></clipPath>)")) << svg;
}

TEST(Svg, of_a_part_holds_nothing_that_lies_around_it) {
    Page page;
    const std::string svg = page.svg(
        [](ui::Canvas& canvas) {
            canvas.fill({0, 0, 100, 100}, IM_COL32(1, 2, 3, 255));
            canvas.text({0, 0}, "above", {});
            canvas.text({40, 50}, "inside", {});
            canvas.line({5, 90}, {95, 90}, IM_COL32(4, 5, 6, 255));
            canvas.line({5, 60}, {95, 60}, IM_COL32(7, 8, 9, 255));
            canvas.circle({10, 10}, 5, IM_COL32(10, 11, 12, 255));
        },
        {}, {30, 40, 60, 40});
    EXPECT_TRUE(has(svg, R"(viewBox="30 40 60 40")")) << svg;
    EXPECT_TRUE(has(svg, ">inside</text>")) << svg;
    EXPECT_FALSE(has(svg, "above")) << svg;
    EXPECT_FALSE(has(svg, "#040506")) << svg;
    EXPECT_FALSE(has(svg, "#0a0b0c")) << svg;
    // The background ends at the edges, and lines are clipped there.
    EXPECT_TRUE(has(svg, R"(<rect x="30" y="40" width="60" height="40" fill="#010203")")) << svg;
    EXPECT_TRUE(has(svg, "#070809")) << svg;
    EXPECT_TRUE(has(svg, R"(<rect x="30" y="40" width="60" height="40"/></clipPath>)")) << svg;
}

// A hairline is at pixel centers; a thicker line where it was drawn.
TEST(Svg, lines_lie_where_they_are) {
    Page page;
    const std::string svg = page.svg([](ui::Canvas& canvas) {
        canvas.line({5, 90}, {95, 90}, IM_COL32_WHITE);
        canvas.line({5, 60}, {95, 60}, IM_COL32_WHITE, 3);
    });
    EXPECT_TRUE(has(svg, R"(x1="5.5" y1="90.5" x2="95.5" y2="90.5")")) << svg;
    EXPECT_TRUE(has(svg, R"(x1="5" y1="60" x2="95" y2="60")")) << svg;
}

TEST(Svg, holds_a_photograph_once) {
    const auto pixels =
        std::shared_ptr<const float>(new float[12]{}, std::default_delete<float[]>());
    Page page;
    const std::string svg = page.svg([&](ui::Canvas& canvas) {
        const ui::PhotoPicture photo{pixels, 2, 2, 3, false};
        canvas.photo({0, 0, 10, 10}, photo);
        canvas.photo({20, 0, 10, 10}, photo);
    });
    const auto first = svg.find("base64");
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(svg.find("base64", first + 1), std::string::npos) << svg;
    EXPECT_TRUE(has(svg, R"~(transform="translate(20 0) scale(5 5)")~")) << svg;
}

TEST(Raster, has_a_square_of_its_color_for_each_cell_that_is_seen) {
    const std::vector<float> cells{0, 1, 2, 3, 4, 5};
    gl::HeatmapStyle style;
    style.map = gl::ColorMap::grey;
    style.high = 5;
    const figure::Raster raster = figure::raster_of(ui::DrawnMatrix{
        {0, 0, 10, 10}, {"m", {cells.data(), 2, 3, 3, 1}, {0, 1, 2, 2}, style}, 1, 0});
    EXPECT_EQ(raster.place, (ui::Rect{0, 0, 10, 10}));
    ASSERT_EQ(raster.width, 20);
    ASSERT_EQ(raster.height, 20);
    for (int y = 0; y < 20; ++y)
        for (int x = 0; x < 20; ++x) {
            const float cell = cells[static_cast<std::size_t>(y / 10 * 3 + x / 10 + 1)];
            ASSERT_EQ(raster.bytes[static_cast<std::size_t>(y * 20 + x) * 3],
                      gl::color_of(style, cell).r);
        }
}

TEST(Raster, reaches_past_what_it_shows_by_parts_of_cells) {
    const std::vector<float> cells(9, 0.5F);
    const figure::Raster raster = figure::raster_of(ui::DrawnMatrix{
        {100, 0, 20, 20}, {"m", {cells.data(), 3, 3, 3, 1}, {0.5F, 0.5F, 2, 2}, {}}, 1, 0});
    EXPECT_EQ(raster.place, (ui::Rect{95, -5, 30, 30}));
}

TEST(Raster, of_more_cells_than_pixels_shows_the_one_that_is_farthest) {
    std::vector<float> cells(10'000, 0.1F);
    cells[7'777] = 0.9F;
    gl::HeatmapStyle style;
    const figure::Raster raster = figure::raster_of(
        ui::DrawnMatrix{{0, 0, 100, 1},
                        {"m", {cells.data(), 1, 10'000, 10'000, 1}, {0, 0, 1, 10'000}, style},
                        1,
                        0});
    ASSERT_LE(raster.width, 4096);
    const gl::Rgb peak = gl::color_of(style, 0.9F);
    int found = 0;
    for (int x = 0; x < raster.width; ++x)
        found += raster.bytes[static_cast<std::size_t>(x) * 3] == peak.r &&
                         raster.bytes[static_cast<std::size_t>(x) * 3 + 1] == peak.g
                     ? 1
                     : 0;
    EXPECT_EQ(found, 1);
}

TEST(Raster, of_a_matrix_without_room_or_cells_has_no_pixels) {
    EXPECT_TRUE(
        figure::raster_of(ui::DrawnMatrix{{0, 0, 0, 0}, {"m", {}, {}, {}}, 1, 0}).bytes.empty());
    const std::vector<float> cells(4, 0);
    EXPECT_TRUE(figure::raster_of(
                    ui::DrawnMatrix{
                        {0, 0, 5, 5}, {"m", {cells.data(), 2, 2, 2, 1}, {9, 9, 2, 2}, {}}, 1, 0})
                    .bytes.empty());
}

// ---- in numbers

const std::vector<float> kCells{0.1F,  -2,
                                1e-9F, std::numeric_limits<float>::quiet_NaN(),
                                5,     -std::numeric_limits<float>::infinity()};

TEST(MatrixFile, has_numbers_that_give_the_same_floats_back) {
    const std::string text = figure::text_of({kCells.data(), 2, 3, 3, 1}, ',');
    EXPECT_EQ(text, "0.1,-2,1e-09\nnan,5,-inf\n");
    const std::string npy = figure::npy_of({kCells.data(), 2, 2, 3, 1});
    const StoredTensor read =
        read_npy({std::as_bytes(std::span(npy)), std::shared_ptr<const void>()}, "a.npy");
    EXPECT_EQ(read.shape, (std::vector<std::int64_t>{2, 2}));
    std::vector<float> found(4);
    to_floats(read, found.data());
    EXPECT_EQ(found[1], kCells[1]);
    EXPECT_TRUE(std::isnan(found[2]));
    EXPECT_EQ(found[3], kCells[4]);
}

TEST(MatrixFile, finds_what_is_under_the_pointer_and_its_row) {
    Page page;
    page.svg([](ui::Canvas& canvas) {
        canvas.matrix({0, 0, 30, 40}, {"below", {kCells.data(), 2, 3, 3, 1}, {0, 0, 2, 3}, {}});
        const auto clip = canvas.clip({0, 0, 30, 20});
        canvas.matrix({0, 0, 30, 40}, {"a.overlay", {kCells.data(), 2, 2, 3, 2}, {0, 0, 2, 2}, {}});
    });
    const ui::Recording& recording = page.recording();
    ASSERT_NE(figure::matrix_at(recording, {5, 5}), nullptr);
    EXPECT_EQ(figure::matrix_at(recording, {5, 5})->picture.name, "a.overlay");
    ASSERT_NE(figure::matrix_at(recording, {5, 30}), nullptr) << "the other one is clipped";
    EXPECT_EQ(figure::matrix_at(recording, {5, 30})->picture.name, "below");
    EXPECT_EQ(figure::matrix_at(recording, {50, 30}), nullptr);
    const ui::DrawnMatrix& below = *figure::matrix_at(recording, {5, 30});
    const figure::CellPlace at = figure::cell_at(below, {5, 30});
    const auto text = [&](int row, int col) {
        return figure::text_of(figure::part_of(below.picture.cells, row, col), '\t');
    };
    EXPECT_EQ(text(at.row, ui::Address::kAll), "nan\t5\t-inf\n");
    EXPECT_EQ(text(at.row, 1), "5\n");
    EXPECT_EQ(std::ranges::count(text(ui::Address::kAll, 1), '\n'), below.picture.cells.rows);
    ASSERT_NE(figure::matrix_named(recording, "a"), nullptr);
    EXPECT_EQ(figure::matrix_named(recording, "a")->picture.cells.version, 2U);
    EXPECT_EQ(figure::matrix_named(recording, "b"), nullptr);
}

}  // namespace
}  // namespace headlight
