#include <gtest/gtest.h>

#include <cmath>
#include <list>

#include "pane.h"
#include "walks.h"

// Every stage of every kind of model, in windows of every size. Nothing may crash, everything is
// drawn within the window, and with enough space the result is visible.
namespace headlight {
namespace {

using testing::Desk;
using testing::Pane;
using testing::PaneSize;
using testing::Walk;

// Smaller than typical windows, and those of projectors.
constexpr PaneSize kStageSizes[] = {{320, 240},  {640, 480},  {800, 600},  {960, 600},
                                    {1280, 720}, {1366, 768}, {1920, 1080}};

// The monitor's scale, and settings.
struct Type {
    float scale = 1, zoom = 1;
    bool lecture = false;
};

std::string name_of(const Type& type) {
    const auto percent = [](float part) { return std::to_string(std::lround(part * 100)); };
    return std::string(type.lecture ? "lecture_" : "plain_") + percent(type.scale) +
           (type.zoom == 1 ? "" : "_zoomed_" + percent(type.zoom));
}

// Without a baseline, and with one whose matrices have the same or other shapes.
std::vector<std::vector<std::string>> comparisons(const Walk& walk) {
    const std::string other_picture =
        "open \"" + testing::source("assets/images/coffee.jpg") + "\"";
    std::vector<std::string> difference = walk.beside_other_shapes, before = difference;
    difference.emplace_back("compare difference");
    before.emplace_back("compare before");
    return {{}, {"pin", other_picture, "compare difference"}, difference, before};
}

struct Looked {
    Looked(std::string what, const State& state)
        : name(std::move(what)), desk(state, testing::read_source) {}
    std::string name;
    Desk desk;
};

void open_all(std::list<Looked>& all, const Type& type) {
    State state = testing::cat();
    state.look.zoom = type.zoom;
    state.look.lecture = type.lecture;
    for (const Walk& walk : testing::all_walks())
        for (const auto& comparison : comparisons(walk)) {
            const std::string beside = comparison.empty() ? "alone" : comparison.back();
            Looked& looked = all.emplace_back(std::string(walk.name) + ", " + beside, state);
            ASSERT_NO_FATAL_FAILURE(say_all(looked.desk, walk.open));
            ASSERT_NO_FATAL_FAILURE(say_all(looked.desk, comparison));
        }
}

bool all_finite(const ImDrawData& drawn) {
    for (int i = 0; i < drawn.CmdListsCount; ++i)
        for (const ImDrawVert& corner : drawn.CmdLists[i]->VtxBuffer)
            if (!std::isfinite(corner.pos.x) || !std::isfinite(corner.pos.y)) return false;
    return true;
}

// Sizes that the interface is designed for; a difference may have nothing to show.
bool must_show_result(Desk& desk, PaneSize size, float scale, Step step) {
    const bool room = static_cast<float>(size.width) >= 900 * scale &&
                      static_cast<float>(size.height) >= 500 * scale;
    const Compare compare = desk.state().look.compare;
    if (!room || compare == Compare::difference) return false;
    // The baseline may have steps that the current result lacks.
    const Trace& shown = compare == Compare::before ? *desk->pinned_trace() : *desk->trace();
    return shown.has(shown.node(step)->result());
}

void draw_steps(Pane& pane, Desk& desk, PaneSize size, float scale) {
    const std::vector<Step> steps = desk->steps();
    for (const Step step : steps) {
        const std::string name(info(step).name);
        SCOPED_TRACE(name);
        ASSERT_TRUE(desk.say("step " + name));
        pane.point_nowhere();
        pane.draw(desk, size, scale);
        pane.point_at("stage.result");
        pane.draw(desk, size, scale);
        EXPECT_TRUE(all_finite(*ImGui::GetDrawData()));
        const bool shown = pane.ui().names().count("stage.result") == 1;
        EXPECT_TRUE(shown || !must_show_result(desk, size, scale, step));
    }
}

// The alternative views of a step: all heads, maps, mask values, timings.
TEST(StageViews, are_drawn_for_every_walk_at_every_size) {
    std::list<Looked> all;
    ASSERT_NO_FATAL_FAILURE(open_all(all, Type{}));
    Pane pane;
    for (Looked& looked : all) {
        if (!looked.name.ends_with(", alone")) continue;  // comparisons show the usual views
        for (const char* view : {"heads", "maps", "fills", "timing", "listing", "recurrent",
                                 "learning", "cloud", "schematic", "why_heads"}) {
            SCOPED_TRACE(looked.name + " as " + view);
            ASSERT_TRUE(looked.desk.say(std::string("set stage_view ") + view));
            for (const PaneSize size : {PaneSize{320, 240}, PaneSize{1366, 768}})
                for (const Step step : std::vector(looked.desk->steps())) {
                    ASSERT_TRUE(looked.desk.say("step " + std::string(info(step).name)));
                    pane.draw(looked.desk, size, 1);
                    EXPECT_TRUE(all_finite(*ImGui::GetDrawData())) << info(step).name;
                }
        }
    }
}

// The gradient of the first of 152 windows: vanished in the RNN, present in attention.
TEST(StageViews, compare_what_networks_remember_of_a_sequence) {
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, {"signal steps", "step windows", "set recurrent_gain 0.5",
                                           "set stage_view recurrent"}));
    Pane pane;
    pane.draw(desk, {1600, 1000}, 1);
    ASSERT_EQ(pane.ui().reports().count("recurrent.rnn"), 1U);
    EXPECT_LT(std::stod(pane.ui().reports().at("recurrent.rnn")), 1e-20);
    EXPECT_GT(std::stod(pane.ui().reports().at("recurrent.attention")), 1e-6);
}

// For words, Heads has a matrix for each head too.
TEST(HeadsOfGivenTokens, are_drawn_for_words) {
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, {"vectors royal", "set projections learned",
                                           "set channels 4", "set heads 2", "set screen heads"}));
    Pane pane;
    pane.draw(desk, {1600, 1000}, 1);
    for (const char* name : {"heads.given.1", "heads.given.2"})
        EXPECT_EQ(pane.ui().names().count(name), 1U) << name;
}

// Words with the same vector share a label, and no label covers another.
TEST(Plane, names_vectors_legibly) {
    Desk desk(testing::cat(), testing::read_source);
    Pane pane;
    for (const char* vectors :
         {"vectors keys=0,2 in=1,0 the=1,0 drawer=1,0 of=1,0 the=1,0 desk=1,0 are=1,0",
          "vectors detective=-0.3,1.4 suspect=-0.4,1.5 found=0.1,0.3 in=0.1,0.1"})
        for (const PaneSize size : {PaneSize{1280, 720}, PaneSize{1600, 1000}}) {
            SCOPED_TRACE(vectors);
            ASSERT_NO_FATAL_FAILURE(say_all(desk, {vectors, "step given", "focus 1"}));
            const ui::Recording& drawn = pane.record();
            pane.draw(desk, size, 1);
            const auto texts = drawn.texts(pane.ui().names().at("stage.result").rect);
            std::vector<ui::Rect> names;
            for (const ui::DrawnText& text : texts)
                if (text.face != ui::Face::mono)  // not a number of an axis
                    names.push_back({text.at.x, text.at.y, text.width, text.pixels});
            EXPECT_GE(names.size(), 4U);
            for (std::size_t i = 0; i < names.size(); ++i)
                for (std::size_t j = 0; j < i; ++j)
                    EXPECT_LE(names[i].common(names[j]).area(), 0) << i << " and " << j;
        }
}

// A layer without projections has no weights, so it cannot have random ones.
TEST(OutOfDepth, warns_of_random_weights_only_where_there_are_weights) {
    Desk desk(testing::cat(), testing::read_source);
    Pane pane;
    pane.draw(desk, {1600, 1000}, 1);
    EXPECT_NE(pane.ui().reports().at("out_of_depth").find("random weights"), std::string::npos);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, {"set projections none"}));
    pane.draw(desk, {1600, 1000}, 1);
    EXPECT_EQ(pane.ui().reports().at("out_of_depth"), "");
}

// The loss falls, and the report has the trained weights.
TEST(StageViews, show_attention_that_learns) {
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, {"vectors four"}));
    Pane pane;
    pane.draw(desk, {1600, 1000}, 1);
    EXPECT_EQ(pane.ui().names().count("heads.1"), 1U);
    ASSERT_TRUE(desk.say("set stage_view learning"));
    pane.draw(desk, {1600, 1000}, 1);
    // Weights of the layer would contradict those of the toy.
    EXPECT_EQ(pane.ui().names().count("heads.1"), 0U);
    const double before = std::stod(pane.ui().reports().at("toy.loss"));
    ASSERT_TRUE(desk.say("set toy_steps 200"));
    pane.draw(desk, {1600, 1000}, 1);
    EXPECT_LT(std::stod(pane.ui().reports().at("toy.loss")), 0.5 * before);
    for (const char* name : {"toy.query", "toy.key", "toy.attention", "toy.train"})
        EXPECT_EQ(pane.ui().names().count(name), 1U) << name;
}

// Each head's result, each channel's map and each mask value is a named widget.
TEST(StageViews, show_every_head_and_every_channel) {
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(
        desk, {"open-model \"" + testing::source("assets/models/scenes/model.safetensors") + "\"",
               "scene 7", "step products", "set stage_view heads"}));
    Pane pane;
    pane.draw(desk, {1600, 1000}, 1);
    for (int head = 1; head <= 4; ++head)
        EXPECT_EQ(pane.ui().names().count("stage.result.head." + std::to_string(head)), 1U) << head;
    ASSERT_NO_FATAL_FAILURE(say_all(desk, {"set stage_view maps", "step mix"}));
    pane.draw(desk, {1600, 1000}, 1);
    for (const char* name : {"stage.map.1.0", "stage.map.4.15"})
        EXPECT_EQ(pane.ui().names().count(name), 1U) << name;
    ASSERT_NO_FATAL_FAILURE(say_all(
        desk, {"mask-cells blocked 7 0-40", "step softmax", "cell 7 5", "set stage_view fills"}));
    pane.draw(desk, {1600, 1000}, 1);
    const auto said = pane.ui().reports();
    EXPECT_EQ(said.at("fills.minus_9e15.some"), "masked keys get exactly 0");
    EXPECT_EQ(said.at("fills.minus_infinity.all").substr(0, 3), "NaN");
    ASSERT_NO_FATAL_FAILURE(say_all(desk, {"step mix", "set stage_view listing"}));
    pane.draw(desk, {1600, 1000}, 1);
    EXPECT_EQ(pane.ui().reports().at("listing.line"), "        O = A @ v");
    EXPECT_EQ(pane.ui().reports().at("pytorch.notation"),
              "# or torch.einsum(\"bhqk,bhkd->bhqd\", A, v)");
}

// Beside the equation of the step, in windows of every usual size.
TEST(WholeFormula, is_shown_while_attention_is_computed) {
    Desk desk(testing::cat(), testing::read_source);
    Pane pane;
    const auto present = [&](PaneSize size) {
        pane.draw(desk, size, 1);
        const auto& said = pane.ui().reports();
        const auto found = said.find("formula.present");
        return found == said.end() ? "" : found->second;
    };
    const std::pair<const char*, const char*> steps[] = {
        {"qkv", "Q|KT|V|"},   {"heads", "Q|KT|V|"}, {"products", "Q KT|"},
        {"scale", " / √16|"}, {"mask", "mask(|)|"}, {"softmax", "softmax(|)|"},
        {"mix", " V|"},       {"concat", ""},       {"skip", ""}};
    ASSERT_NO_FATAL_FAILURE(say_all(desk, {"set mask causal"}));
    for (const bool lecture : {false, true})
        for (const auto& [step, part] : steps) {
            ASSERT_NO_FATAL_FAILURE(say_all(desk, {std::string("step ") + step}));
            desk.say(std::string("set lecture ") + (lecture ? "on" : "off"));
            for (const PaneSize size : {PaneSize{1280, 720}, PaneSize{1600, 1000}}) {
                const std::string found = present(size);
                // Large type leaves no room beside a long equation.
                const bool may_lack_room = lecture && std::string_view(step) != "softmax";
                EXPECT_TRUE(found == part || (may_lack_room && found.empty()))
                    << step << " " << size.width << " " << lecture << ": " << found;
            }
        }
}

class Stages : public ::testing::TestWithParam<Type> {};

TEST_P(Stages, are_drawn_at_every_size) {
    std::list<Looked> all;
    ASSERT_NO_FATAL_FAILURE(open_all(all, GetParam()));
    Pane pane;
    for (const PaneSize size : kStageSizes)
        for (Looked& looked : all) {
            SCOPED_TRACE(looked.name + " at " + std::to_string(size.width) + " × " +
                         std::to_string(size.height));
            ASSERT_NO_FATAL_FAILURE(draw_steps(pane, looked.desk, size, GetParam().scale));
        }
}

INSTANTIATE_TEST_SUITE_P(OfAllTypes, Stages,
                         ::testing::Values(Type{1, 1, false}, Type{1, 1, true}, Type{1, 2, false},
                                           Type{1, 2, true}, Type{1.5F, 1, false},
                                           Type{1.5F, 1, true}, Type{2, 1, false},
                                           Type{2, 1, true}),
                         [](const auto& test) { return name_of(test.param); });

}  // namespace
}  // namespace headlight
