#include "fuzz.h"
#include "scene/render.h"
#include "scene/scene_file.h"
#include "scene/truth.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace headlight;
    fuzz::read_or_refuse<SceneError>([&] {
        const ShapeScene scene = scene_from_json(fuzz::bytes_of(data, size), "file");
        const std::string again = to_json(scene);
        fuzz::promise(scene_from_json(std::as_bytes(std::span(again)), "file") == scene,
                      "the same scene again");
        (void)truth_of(scene, draw_scene(scene), 8);
    });
    return 0;
}
