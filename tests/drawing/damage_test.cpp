#include "ui/damage.h"

#include <gtest/gtest.h>

#include <map>

#include "pane.h"
#include "walks.h"

// Tests which pixels of the window a new frame changes.
namespace headlight {
namespace {

using ui::Area;

constexpr ImU32 kGround = IM_COL32(1, 2, 3, 255);
constexpr int kWidth = 400, kHeight = 300;

// Frames of a few shapes.
class Frames {
  public:
    Frames() {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        ImGui::GetIO().DisplaySize = {kWidth, kHeight};
        unsigned char* pixels = nullptr;
        int width = 0, height = 0;
        ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    }
    ~Frames() { ImGui::DestroyContext(); }
    Frames(const Frames&) = delete;
    Frames& operator=(const Frames&) = delete;

    template <class Draw>
    ImDrawData& frame(const Draw& draw) {
        ImGui::NewFrame();
        draw(*ImGui::GetForegroundDrawList());
        ImGui::Render();
        return *ImGui::GetDrawData();
    }
    template <class Draw>
    std::vector<Area> parts(const Draw& draw) {
        return damage.parts(frame(draw), kGround,
                            [this](ImTextureID id) { return contents[ui::texture_name(id)]; });
    }

    ui::Damage damage;
    std::map<std::uint32_t, std::uint64_t> contents;
};

void square(ImDrawList& list, float x, float y, ImU32 color = IM_COL32_WHITE) {
    list.AddRectFilled({x, y}, {x + 20, y + 20}, color);
}

const auto kOneSquare = [](ImDrawList& list) { square(list, 100, 100); };

bool covered(const std::vector<Area>& parts, int x, int y) {
    return std::ranges::any_of(parts, [&](const Area& p) {
        return x >= p.left && x < p.right && y >= p.top && y < p.bottom;
    });
}

std::int64_t pixels(const std::vector<Area>& parts) {
    std::int64_t sum = 0;
    for (const Area& part : parts) sum += part.pixels();
    return sum;
}

TEST(Damage, is_everything_at_first_and_nothing_when_nothing_changes) {
    Frames f;
    EXPECT_EQ(f.parts(kOneSquare), (std::vector<Area>{{0, 0, kWidth, kHeight}}));
    EXPECT_EQ(f.parts(kOneSquare), std::vector<Area>());
    f.damage.forget();
    EXPECT_EQ(f.parts(kOneSquare), (std::vector<Area>{{0, 0, kWidth, kHeight}}));
}

TEST(Damage, is_where_something_was_and_where_it_has_gone) {
    Frames f;
    f.parts(kOneSquare);
    const auto parts = f.parts([](ImDrawList& list) { square(list, 300, 200); });
    for (const int d : {0, 10, 19}) {
        EXPECT_TRUE(covered(parts, 100 + d, 100 + d));
        EXPECT_TRUE(covered(parts, 300 + d, 200 + d));
    }
    EXPECT_FALSE(covered(parts, 200, 150));
    EXPECT_LT(pixels(parts), kWidth * kHeight / 4);
}

TEST(Damage, is_where_a_color_changes_or_an_order) {
    Frames f;
    const auto two = [](ImU32 below, ImU32 above) {
        return [=](ImDrawList& list) {
            square(list, 100, 100, below);
            square(list, 100, 100, above);
            square(list, 300, 200, IM_COL32_WHITE);
        };
    };
    f.parts(two(IM_COL32_WHITE, IM_COL32_BLACK));
    EXPECT_TRUE(f.parts(two(IM_COL32_WHITE, IM_COL32_BLACK)).empty());
    const auto turned = f.parts(two(IM_COL32_BLACK, IM_COL32_WHITE));
    EXPECT_TRUE(covered(turned, 110, 110));
    EXPECT_FALSE(covered(turned, 310, 210));
    EXPECT_TRUE(covered(f.parts(two(IM_COL32_BLACK, IM_COL32(9, 9, 9, 255))), 110, 110));
}

TEST(Damage, is_where_a_texture_shows_something_else) {
    Frames f;
    const auto picture = [](ImDrawList& list) {
        list.AddImage(ui::texture_id(7), {40, 40}, {60, 60});
        square(list, 300, 200);
    };
    f.contents[7] = 1;
    f.parts(picture);
    EXPECT_TRUE(f.parts(picture).empty());
    f.contents[7] = 2;
    const auto parts = f.parts(picture);
    EXPECT_TRUE(covered(parts, 50, 50));
    EXPECT_FALSE(covered(parts, 310, 210));
}

TEST(Damage, is_where_the_clip_changes_and_not_outside_of_it) {
    Frames f;
    const auto clipped = [](float right) {
        return [right](ImDrawList& list) {
            list.PushClipRect({0, 0}, {right, 300});
            list.AddRectFilled({10, 10}, {390, 60}, IM_COL32_WHITE);
            list.PopClipRect();
        };
    };
    f.parts(clipped(100));
    const auto parts = f.parts(clipped(200));
    EXPECT_TRUE(covered(parts, 150, 30));
    EXPECT_FALSE(covered(parts, 300, 30));
}

TEST(Damage, is_everything_in_another_size_and_on_another_ground) {
    Frames f;
    f.parts(kOneSquare);
    ImGui::GetIO().DisplaySize = {kWidth, kHeight + 1};
    EXPECT_EQ(f.parts(kOneSquare), (std::vector<Area>{{0, 0, kWidth, kHeight + 1}}));
    const auto parts = f.damage.parts(f.frame(kOneSquare), IM_COL32_WHITE,
                                      [](ImTextureID) { return std::uint64_t{0}; });
    EXPECT_EQ(parts, (std::vector<Area>{{0, 0, kWidth, kHeight + 1}}));
}

TEST(Damage, comes_in_few_parts_that_do_not_overlap) {
    Frames f;
    const auto dots = [](ImU32 color) {
        return [color](ImDrawList& list) {
            for (int i = 0; i < 90; ++i) {
                const auto x = static_cast<float>(i * 83 % 390), y = static_cast<float>(i * 3);
                list.AddRectFilled({x, y}, {x + 2, y + 2}, color);
            }
        };
    };
    ImGui::GetIO().DisplaySize = {1600, 1000};
    f.parts(dots(IM_COL32_WHITE));
    const auto parts = f.parts(dots(IM_COL32_BLACK));
    EXPECT_LE(parts.size(), 24);
    for (int i = 0; i < 90; ++i) EXPECT_TRUE(covered(parts, i * 83 % 390, i * 3));
    for (std::size_t a = 0; a < parts.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            EXPECT_TRUE(parts[a].right <= parts[b].left || parts[b].right <= parts[a].left ||
                        parts[a].bottom <= parts[b].top || parts[b].bottom <= parts[a].top);
}

TEST(Cutout, has_what_is_seen_in_the_parts_in_their_order_and_nothing_else) {
    Frames f;
    const ImDrawData& frame = f.frame([](ImDrawList& list) {
        square(list, 100, 100, IM_COL32_BLACK);
        square(list, 300, 200, IM_COL32_WHITE);
        list.AddImage(ui::texture_id(7), {105, 105}, {120, 120});
    });
    ui::Cutout cut(frame, {{96, 96, 112, 128}, {0, 0, 10, 10}});
    const ImDrawData& data = cut.data();
    ASSERT_EQ(data.CmdListsCount, 1);
    const ImDrawList& list = *data.CmdLists[0];
    ASSERT_EQ(list.CmdBuffer.Size, 2) << "the black square, then the picture over it";
    EXPECT_EQ(ui::texture_name(list.CmdBuffer[1].GetTexID()), 7);
    int triangles = 0;
    for (const ImDrawCmd& command : list.CmdBuffer) {
        EXPECT_EQ(command.ClipRect.x, 96);
        EXPECT_EQ(command.ClipRect.z, 112);
        EXPECT_EQ(command.ElemCount % 3, 0);
        triangles += static_cast<int>(command.ElemCount / 3);
    }
    EXPECT_EQ(list.IdxBuffer.Size, 3 * triangles);
    for (const ImDrawVert& vertex : list.VtxBuffer) {
        EXPECT_LT(vertex.pos.x, 130);
        EXPECT_NE(vertex.col, 0);
    }
    EXPECT_EQ(data.TotalIdxCount, list.IdxBuffer.Size);
}

TEST(Damage, of_a_walk_at_rest_is_nothing_and_of_a_pointer_little) {
    testing::Desk desk(testing::cat(), testing::read_source);
    ASSERT_TRUE(desk.does("step softmax"));
    testing::Pane pane;
    ui::Damage damage;
    const auto parts = [&] {
        pane.draw(desk, {1600, 1000}, 1);
        return damage.parts(*ImGui::GetDrawData(), kGround, [&](ImTextureID id) {
            return pane.ui().heatmaps().content(ui::texture_name(id));
        });
    };
    for (int i = 0; i < 4; ++i) parts();
    EXPECT_TRUE(parts().empty());
    pane.point_at("top.open");
    std::int64_t changed = 0;
    for (int i = 0; i < 4; ++i) changed += pixels(parts());
    EXPECT_GT(changed, 0);
    EXPECT_LT(changed, 1600 * 1000 / 4);
    EXPECT_TRUE(parts().empty());
}

}  // namespace
}  // namespace headlight
