#include "walk/ribbon_plan.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>

namespace headlight::screens {
namespace {

constexpr std::pair<Step, Op> kLayer[] = {{Step::norm1, Op::norm},      {Step::qkv, Op::project},
                                          {Step::softmax, Op::softmax}, {Step::skip, Op::add},
                                          {Step::norm2, Op::norm},      {Step::mlp_out, Op::linear},
                                          {Step::residual2, Op::add}};

Node node_of(Step id, Op op, Place place) {
    Node node;
    node.id = id;
    node.op = op;
    node.place = place;
    return node;
}

// A model of `layers` after some token transformers, with `layer` selected.
Trace trace_of(int transformers, int layers, int layer) {
    auto model = std::make_shared<Model>();
    if (transformers > 0) model->splits.resize(static_cast<std::size_t>(transformers) + 1);
    for (int i = 0; i < transformers; ++i)
        model->layers.emplace_back().name = "T2T " + std::to_string(i + 1);
    for (int i = 0; i < layers; ++i) name_layer(model->layers.emplace_back(), i);
    Trace trace;
    trace.model = model;
    trace.layer = layer;
    trace.nodes = {node_of(Step::image, Op::frame, Place::front),
                   node_of(Step::patches, Op::gather, Place::front)};
    if (layer >= transformers)
        trace.nodes.push_back(node_of(Step::embed, Op::linear, Place::front));
    for (const auto& [step, op] : kLayer) trace.nodes.push_back(node_of(step, op, Place::layer));
    trace.nodes.push_back(node_of(Step::norm, Op::norm, Place::end));
    trace.nodes.push_back(node_of(Step::classify, Op::classify, Place::end));
    return trace;
}

// The ribbon as one line of text: branches in lowercase, layers in brackets.
std::string said(const Trace& trace) {
    std::string text;
    for (const RibbonItem& item : ribbon_items(trace)) {
        if (!text.empty()) text += ' ';
        if (!item.is_step())
            text += '[' + layer_range(*trace.model, item.first, item.last) + ']';
        else
            text += (item.branch ? "." : "") + std::string(item.node->name());
    }
    return text;
}

constexpr const char* kOwn = ".norm1 .qkv .softmax skip .norm2 .mlp_out residual2";

TEST(RibbonPlan, passed_layers_stand_before_and_after_the_present_one) {
    const std::string own = kOwn;
    EXPECT_EQ(said(trace_of(0, 12, 4)), "image patches embed [1–4] " + own + " [6–12] norm head");
    EXPECT_EQ(said(trace_of(0, 12, 0)), "image patches embed " + own + " [2–12] norm head");
    EXPECT_EQ(said(trace_of(0, 12, 11)), "image patches embed [1–11] " + own + " norm head");
    EXPECT_EQ(said(trace_of(0, 3, 1)), "image patches embed [1] " + own + " [3] norm head");
}

TEST(RibbonPlan, token_transformers_stand_where_they_are_computed) {
    const std::string own = kOwn;
    EXPECT_EQ(said(trace_of(2, 14, 6)),
              "image [T2T 1–2] patches embed [1–4] " + own + " [6–14] norm head");
    EXPECT_EQ(said(trace_of(2, 14, 1)), "image [T2T 1] patches " + own + " [1–14] norm head");
    EXPECT_EQ(said(trace_of(2, 14, 0)), "image patches " + own + " [T2T 2 – Layer 14] norm head");
}

TEST(RibbonPlan, room_is_shared_out_and_all_of_it_is_used) {
    const std::vector<float> wanted{40, 80, 60}, least{30, 30, 40};
    EXPECT_EQ(share_out(wanted, least, 210), (std::vector<float>{50, 90, 70}));
    EXPECT_EQ(share_out(wanted, least, 140), (std::vector<float>{35, 55, 50}));  // half of the rest
    EXPECT_EQ(share_out(wanted, least, 50), (std::vector<float>{15, 15, 20}));
}

TEST(RibbonPlan, labels_never_touch_and_the_first_ranks_choose_first) {
    std::vector<Label> labels;
    for (int i = 0; i < 10; ++i)
        labels.push_back({20.0F + 30.0F * static_cast<float>(i), 50, i == 4 ? 0 : 3, 0});
    labels.push_back({140, 50, 3, 1});  // in another row
    const std::vector<bool> shown = place_labels(labels, 4, 0, 300);
    EXPECT_TRUE(shown[4]);
    EXPECT_FALSE(shown[3]);
    EXPECT_FALSE(shown[5]);
    EXPECT_TRUE(shown[10]);
    EXPECT_FLOAT_EQ(labels[0].center, 25);  // moved inside
    for (std::size_t i = 0; i < 10; ++i)
        for (std::size_t j = i + 1; j < 10; ++j)
            if (shown[i] && shown[j]) {
                EXPECT_GE(labels[j].center - labels[i].center, 54);
            }
}

}  // namespace
}  // namespace headlight::screens
