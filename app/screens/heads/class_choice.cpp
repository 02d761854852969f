#include "heads/class_choice.h"

#include <algorithm>
#include <vector>

#include "encoder/run_scene.h"
#include "heads/order.h"

namespace headlight::screens {

void class_choice(Frame& frame, ui::Flow& flow, const std::string& name) {
    const std::vector<Prediction>& top = frame.summary.top;
    const auto asked = class_asked(frame);
    if (!asked) return;
    std::vector<Index> classes;
    for (const Prediction& one : top) classes.push_back(one.index);
    if (std::ranges::find(classes, *asked) == classes.end()) classes.push_back(*asked);
    std::vector<std::string> names;
    for (const Index index : classes) names.push_back(class_name(*frame.trace.model, index));
    DropDown list{.name = name,
                  .options = {names.begin(), names.end()},
                  .tip = "The class for the class map, importance, contributions and patching"};
    for (const std::string& one : names) list.words.push_back("for " + one);
    list.selected = static_cast<int>(std::ranges::find(classes, *asked) - classes.begin());
    const int chosen = drop_down(frame, flow, list);
    if (chosen < 0) return;
    const Index index = classes[static_cast<std::size_t>(chosen)];
    frame.set("heads_class", index == top.front().index ? "answer" : std::to_string(index));
}

}  // namespace headlight::screens
