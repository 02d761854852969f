#include "views/step_text.h"

#include "views/head_switch.h"
#include "views/image_text.h"
#include "views/tensor_text.h"

namespace headlight::views {

namespace {

void replace_all(std::string& text, std::string_view what, const std::string& with) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

bool positions_missing(const Scene& scene) {
    return scene.step() == Step::position && !scene.trace.has(Tensor::positions);
}

// Waves in the place of the rows that a model has learned.
bool waves_instead(const Scene& scene) {
    return scene.step() == Step::position && scene.recipe.position == PositionKind::sinusoidal;
}

bool skip_missing(const Scene& scene) {
    return scene.step() == Step::skip && scene.trace.config.skip == Skip::none;
}

// What the head has read is thrown away.
bool is_thrown_away(const Scene& scene) {
    return scene.step() == Step::mix && is_switched_off(scene.trace, scene.head);
}

// ", b_o" out of "F.linear(O, W_o, b_o)".
void drop_bias(std::string& line) {
    for (auto at = line.find(", b_"); at != std::string::npos; at = line.find(", b_"))
        line.erase(at, line.find_first_of(",)", at + 1) - at);
}

std::string letter(Tensor tensor) { return std::string(letter_of(tensor)); }
std::string named(Tensor tensor) {
    return "{" + std::string(info(tensor).name) + ":" + letter(tensor) + "}";
}

std::string temperature_text(const Scene& scene) {
    const float t = scene.trace.config.temperature;
    return t == 1.0F ? "" : " / " + ui::number(t, 2);
}

bool is_drawn(const Scene& scene) {
    return scene.step() == Step::image && scene.recipe.scene.has_value();
}

std::string image_line(const Scene& scene) {
    if (is_drawn(scene)) return "# drawn from its shapes";
    return framing_line(scene.trace.preprocessing, scene.trace.image->channels == 1);
}

std::string scale_line(const Scene& scene) {
    const AttentionConfig& config = scene.trace.config;
    return (config.scale ? "S = R * " + ui::number(*config.scale, 4)
                         : "S = R / math.sqrt(" + std::to_string(config.head_dim()) + ")") +
           temperature_text(scene);
}

std::string scale_meaning(const Scene& scene) {
    const AttentionConfig& config = scene.trace.config;
    std::string text(scene.step_info().meaning);
    if (config.scale)
        text =
            "Every product is multiplied by the same number, here one that was chosen by hand. "
            "Usually it is 1/√head_dim, which makes up for sums over more channels being larger.";
    if (config.temperature != 1.0F)
        text += std::string(" The temperature divides the scores once more, and ") +
                (config.temperature < 1.0F ? "sharpens" : "spreads") + " the attention.";
    return text;
}

}  // namespace

std::string equation_of(const Scene& scene) {
    const AttentionConfig& config = scene.trace.config;
    const StepInfo& step = scene.step_info();
    std::string text(step.equation);
    if (positions_missing(scene)) return "{tokens:X} = " + named(step.operands[0]);
    if (skip_missing(scene)) return "{output:Y} = {projection:Z}";
    if (is_drawn(scene)) return "{pixels:I} = draw(shapes)";
    if (is_thrown_away(scene)) text = "{head_output:O}_{h} = 0 · {attention:A}_{h} {value:V}_{h}";
    const auto bias = bias_of(step.id);
    if (bias && !scene.trace.has(*bias)) text.resize(std::min(text.find(" + "), text.size()));
    if (step.id == Step::qkv && scene.trace.has(Tensor::qkv_bias)) text += " + {qkv_bias:b}_{qkv}";
    if (place_of(step.id) != StepPlace::layer) return text;  // there _{h} is the head of the model
    const std::string factor =
        config.scale ? "· " + ui::number(*config.scale) : "/ √" + std::to_string(config.head_dim());
    replace_all(text, "· scale", factor + temperature_text(scene));
    replace_all(text, "_{h}", "_{" + std::to_string(scene.head + 1) + "}");
    replace_all(text, "_{H}", "_{" + std::to_string(scene.trace.shape.heads) + "}");
    return text;
}

std::string pytorch_of(const Scene& scene) {
    const StepInfo& step = scene.step_info();
    std::string line(step.pytorch);
    const auto bias = bias_of(step.id);
    if (bias && !scene.trace.has(*bias)) drop_bias(line);
    switch (step.id) {
        case Step::image:
            return image_line(scene);
        case Step::position:
            if (positions_missing(scene)) return "X = " + letter(step.operands[0]);
            return waves_instead(scene) ? "X = " + letter(step.operands[0]) + " + PE[:N]" : line;
        case Step::scale:
            return scale_line(scene);
        case Step::mix:
            return is_thrown_away(scene) ? "O = 0 * (A @ v)" : line;
        case Step::skip:
            return skip_missing(scene) ? "Y = Z" : line;
        default:
            return line;
    }
}

std::string meaning_of(const Scene& scene) {
    if (positions_missing(scene))
        return "Nothing is added here, so the layer cannot know where in the picture a token "
               "stood: to it they are a heap without order. Positions would tell each one.";
    if (waves_instead(scene)) return std::string(info(Step::position).meaning);
    if (skip_missing(scene))
        return "This layer has no skip: what comes out is the projection alone, and of its input "
               "only what the heads have let through.";
    if (is_thrown_away(scene))
        return "This head is switched off: whatever it reads, its A·V is put to zero, and the next "
               "steps have to do without it. How much the prediction changes is what it was worth.";
    if (is_drawn(scene))
        return "The scene, drawn in just the size that the layer reads: each pixel is a number "
               "from "
               "0 to 1. Everything that follows is computed from these numbers and the weights "
               "alone.";
    if (scene.step() == Step::scale) return scale_meaning(scene);
    return std::string(scene.step_info().meaning);
}

}  // namespace headlight::views
