#include "frame/class_name.h"

#include "encoder/run_scene.h"
#include "scene/truth.h"

namespace headlight::screens {

std::string class_name(const Model& model, Index index) {
    const auto i = static_cast<std::size_t>(index);
    if (i < model.class_names.size()) return model.class_names[i];
    return answers_scenes(model) ? answer_name(static_cast<int>(index))
                                 : "class " + std::to_string(index);
}

}  // namespace headlight::screens
