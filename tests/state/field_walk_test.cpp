#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models.h"
#include "scene/random_scene.h"
#include "scene/scene_file.h"
#include "state/fields.h"
#include "state/session.h"
#include "support.h"

// Goes through all fields: each has a visible effect, and each is saved.
namespace headlight {
namespace {

using testing::Desk;

std::string scene_on_one_line() {
    std::string text = to_json(random_scene(5));
    std::erase(text, '\n');
    return text;
}

// Other values to try. Not all numbers are compatible with the other fields.
std::vector<std::string> candidates(const FieldInfo& field) {
    static const std::map<std::string_view, std::string> samples{
        {"image", "b.ppm"},
        {"weights", "vit/model.safetensors"},
        {"family", "dino"},
        {"part", "teacher"},
        {"scene", scene_on_one_line()},
        {"tokens",
         R"({"signal": {"curve": "waves", "samples": 90, "window": 5, "noise": 0, "seed": 4}})"},
        {"switched_off", "1.1 1.2"},
        {"grid", "15x20"},
        {"figure_methods", "relevance"},
        {"nearest_folder", "pictures"},
        {"features_foreground", "above:0.6"},
        {"figure_layers", "1"},
        {"figure_heads", "2"},
        {"figure_words", "What it reads"},
        {"order", "shifted 0 1"},
        {"toy_weights", "1 0 0 1 1 0 0 1"},
        {"toy_targets", "1 0"}};
    switch (field.kind) {
        case FieldKind::integer:
            return {"8", "48", "1", "2", "100"};
        case FieldKind::number:
        case FieldKind::optional_number:
            return {"0.5", "2", "300", "0.25"};
        case FieldKind::toggle:
            return {"true", "false"};
        case FieldKind::choice:
            return {field.choices.begin(), field.choices.end()};
        case FieldKind::numbers:
            return {"0.25 0.5 0.75"};
        case FieldKind::rules:
            return {"causal", "local 1 + keys 0 2", "no_self"};
        default:
            return {samples.at(field.name)};
    }
}

bool same_nodes(const Trace& a, const Trace& b) {
    return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                      [](const Node& x, const Node& y) {
                          return x.id == y.id && x.equation == y.equation &&
                                 x.pytorch == y.pytorch && x.meaning == y.meaning &&
                                 x.parameters == y.parameters;
                      });
}

bool same_results(const Trace& a, const Trace& b) {
    for (const TensorInfo& tensor : all_tensors())
        if (a.version(tensor.id) != b.version(tensor.id)) return false;
    return true;
}

bool same_numbers(const SharedResult& a, const SharedResult& b) {
    if (!a || !b) return a == b;
    const MatrixView x = a->view(), y = b->view();
    return x.rows == y.rows && x.cols == y.cols && x.eigen() == y.eigen();
}

struct Seen {
    std::shared_ptr<const Trace> trace;
    SharedResult rollout;
    Look look;
    Selection selection;

    explicit Seen(Desk& desk)
        : trace(desk->trace()),
          rollout(desk->summary()->rollout),
          look(desk.state().look),
          selection(desk.state().selection) {}

    [[nodiscard]] bool differs(const Seen& other) const {
        return !same_nodes(*trace, *other.trace) || !same_results(*trace, *other.trace) ||
               !same_numbers(rollout, other.rollout) || look != other.look ||
               selection != other.selection;
    }
};

// Settings without which a field has no effect.
void prepare(Desk& desk, const Field& field) {
    if (field.name == "position_base") desk.does("set positions sinusoidal");
    if (field.name == "position_first") desk.does("set positions sincos_2d");
    if (field.name == "outputs") desk.does("set skip none");
    if (field.name == "query_seed") desk.does("set queries 3");
    if (field.name == "sum_over") desk.does("set queries none");
    if (field.name == "dropout_seed") desk.does("set dropout_output 0.5");
}

// Whether another value of the field has a visible effect. Restores the field afterwards.
bool matters(Desk& desk, const Field& field) {
    prepare(desk, field);
    for (const std::string& value : candidates(field)) {
        const State before = desk.state();
        const Seen seen(desk);
        if (value == field.get(before)) continue;
        desk->end_gesture();
        const std::string name(field.name);  // those that count from 1 have their own command
        const Command said = field.one_based ? command(name, value) : command("set", name, value);
        if (!desk.does(to_text(said))) continue;
        const bool computed =
            !desk->notice().is_error && desk->trace_recipe() == desk.state().recipe;
        const bool differs = computed && Seen(desk).differs(seen);
        if (!same_choices(desk.state(), before)) {
            EXPECT_TRUE(desk.does("undo"));
        }
        EXPECT_TRUE(same_choices(desk.state(), before)) << field.name;
        if (differs) return true;
    }
    return false;
}

void expect_that_all_matter(Desk& desk) {
    ASSERT_TRUE(desk->trace());
    for (const Field& field : all_fields())
        if (applies(field, *desk->trace())) {
            EXPECT_TRUE(matters(desk, field)) << field.name << " changes nothing that is seen";
        }
}

TEST(FieldWalk, every_field_changes_what_is_seen_of_a_bare_layer) {
    Desk desk(testing::small_state(), testing::model_files());
    desk.does("set patch_size 24");  // 64 pixels are no multiple of it: the border shows
    expect_that_all_matter(desk);
}

TEST(FieldWalk, every_field_changes_what_is_seen_of_a_whole_model) {
    Desk desk(testing::small_state(), testing::model_files());
    desk.does("open-model timm/model.safetensors");
    desk.does("set image_size 32");  // not what its positions were learned for
    desk.does("set rollout max");    // whose rows have sums of their own
    expect_that_all_matter(desk);
}

// For several layers with norms and an MLP.
TEST(FieldWalk, an_encoder_has_fields_that_a_single_attention_layer_has_not) {
    Desk desk(testing::small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("open-model encoder/model.safetensors")) << desk->notice().text;
    for (const char* name : {"norm_first", "activation", "layer_norm_eps", "layer", "heads"}) {
        const Field* field = find_field(all_fields(), name);
        ASSERT_NE(field, nullptr) << name;
        EXPECT_TRUE(applies(*field, *desk->trace())) << name;
        EXPECT_TRUE(matters(desk, *field)) << name;
    }
    ASSERT_TRUE(desk.does("close-model"));
    for (const char* name : {"norm_first", "activation", "layer_norm_eps"})
        EXPECT_FALSE(applies(*find_field(all_fields(), name), *desk->trace())) << name;
}

// The layers of a randomly initialized stack, one by one, also with random scores.
TEST(FieldWalk, drawn_layers_stand_one_on_the_other) {
    Desk desk(testing::small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("set layers 12")) << desk->notice().text;
    ASSERT_EQ(desk->trace()->model->layers.size(), 12U);
    ASSERT_EQ(desk->trace()->stream.size(), 13U);
    const SharedResult first = desk->trace()->result(Tensor::output);
    ASSERT_TRUE(desk.does("set score additive")) << desk->notice().text;
    ASSERT_TRUE(desk.does("layer 12")) << desk->notice().text;
    EXPECT_TRUE(desk->trace()->has(Tensor::score_vector));
    EXPECT_FALSE(same_numbers(desk->trace()->result(Tensor::output), first));
    ASSERT_TRUE(desk.does("set score usual"));
    ASSERT_TRUE(desk.does("layer 1"));
    EXPECT_TRUE(same_numbers(desk->trace()->result(Tensor::output), first));
    EXPECT_FALSE(desk.does("set layers 13"));
}

TEST(FieldWalk, every_field_comes_back_from_a_session) {
    for (const Field& field : all_fields())
        for (const std::string& value : candidates(field)) {
            State state;
            state.recipe.rollout.emplace();  // without one its settings have no effect
            try {
                field.set(state, value);
            } catch (const ValueError&) {
                continue;
            }
            EXPECT_EQ(from_json(to_json(state), "s"), state) << field.name << " " << value;
        }
}

// Does not compile when a recipe gets another member. Such a member needs a field, or is an
// exception like `reading` (which counts how often a file was read), `model.qk_scale` (which the
// user sets as `scale`) and `model.shuffled` (which commands set for a check of class maps).
auto members(const Recipe& recipe) {
    const auto& [image, scene, tokens, height, width, framing, alpha, mean, std, position, scale,
                 temperature, mask, switched_off, weights, reading, model, layer, rollout, grey,
                 patches, heads, skip, variant, queries, query_seed, layers, channels,
                 value_channels, outputs, qkv_bias, seed] = recipe;
    const auto& [size, stride, ragged] = patches;
    const auto& [kind, base, bias, first] = position;
    const auto& [bias_start, bias_strength, bias_seed] = bias;
    const auto& [score, weights_from, projections, activation_after, sum_over, dropout] = variant;
    const auto& [drop_attention, drop_output, drop_seed] = dropout;
    const auto& [family, num_heads, layer_norm_eps, qk_scale, activation, resampling, norm_first,
                 part, layout, sample, shuffled] = model;
    const auto& [grid, tokens_before] = layout;
    const RolloutSettings settings = rollout.value_or(RolloutSettings{});
    const auto& [fusion, discard_ratio, normalisation] = settings;
    (void)reading, (void)qk_scale, (void)shuffled;
    return std::make_tuple(
        image, scene, tokens, height, width, framing, alpha, mean, std, kind, base, scale,
        temperature, mask, switched_off, weights, layer, grey, heads, skip, score, weights_from,
        projections, activation_after, sum_over, drop_attention, drop_output, drop_seed, layers,
        channels, value_channels, outputs, qkv_bias, seed, queries, query_seed, size, stride,
        ragged, family, num_heads, layer_norm_eps, activation, resampling, norm_first, part,
        rollout.has_value(), fusion, discard_ratio, normalisation, bias_start, bias_strength,
        bias_seed, first, grid, tokens_before, sample);
}

void set_other(const RecipeField& field, Recipe& recipe) {
    const std::string present = field.get(recipe);
    for (const std::string& value : candidates(field)) {
        if (value == present) continue;
        try {
            return field.set(recipe, value);
        } catch (const ValueError&) {
        }
    }
    ADD_FAILURE() << field.name << " has no other value to try";
}

TEST(FieldWalk, every_member_of_a_recipe_has_a_field) {
    Recipe recipe;
    recipe.rollout = RolloutSettings{.fusion = HeadFusion::min};
    for (const RecipeField& field : recipe_fields()) set_other(field, recipe);
    recipe.rollout->fusion = HeadFusion::min;  // "mean", the first other value, is the usual one
    const auto expect_all_set =
        []<std::size_t... I>(const auto& usual, const auto& other, std::index_sequence<I...>) {
        ([&] { EXPECT_FALSE(std::get<I>(usual) == std::get<I>(other)) << "member " << I; }(), ...);
    };
    const auto usual = members(Recipe{}), other = members(recipe);
    expect_all_set(usual, other,
                   std::make_index_sequence<std::tuple_size_v<std::decay_t<decltype(usual)>>>());
}

}  // namespace
}  // namespace headlight
