#include "fuzz.h"
#include "scene/render.h"
#include "scene/scene_file.h"
#include "scene/truth.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace headlight;
    fuzz::read_or_refuse<SceneError>([&] {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        const ShapeScene scene = scene_from_json(text, "file");
        fuzz::promise(scene_from_json(to_json(scene), "file") == scene, "the same scene again");
        (void)truth_of(scene, draw_scene(scene), 8);
    });
    return 0;
}
