#pragma once

#include <string>
#include <vector>

#include "disk/read_file.h"
#include "tests/source_path.h"
#include "tests/state/support.h"

namespace headlight::testing {

inline std::string source(const std::string& path) { return source_path(path); }

// The disk, where each golden family appears as a folder with its config.json beside the model.
inline File read_source(const std::string& name) {
    const std::string families = source("tests/golden/families/");
    const std::size_t end = name.rfind('/');
    if (!name.starts_with(families) || end < families.size()) return read_file(name);
    return read_file(name.substr(0, end) + "." + name.substr(end + 1));
}

// A model to walk through: the commands that open it, and those that save a baseline with other
// shapes.
struct Walk {
    const char* name;
    std::vector<std::string> open, beside_other_shapes;
};

inline Walk walk_through(const char* name, const std::string& model) {
    const std::string open = "open-model \"" + source(model) + "\"";
    return {name, {open}, {"close-model", "pin", open}};
}

// A single layer with small patches on a small picture.
inline Walk small_walk(const char* name, const std::string& model, const std::string& size) {
    Walk walk = walk_through(name, model);
    walk.open.push_back("set image_size " + size);
    return walk;
}

inline std::vector<Walk> all_walks() {
    Walk scenes = walk_through("scenes", "assets/models/scenes/model.safetensors");
    scenes.open.emplace_back("scene 7");
    return {{"layer", {}, {"pin", "set patch_size 32"}},
            scenes,
            walk_through("t2t", "tests/golden/families/t2t/model.safetensors"),
            walk_through("performers", "tests/golden/families/t2t_performer/model.safetensors"),
            small_walk("post_norm", "tests/golden/blocks/encoder_post.model.safetensors", "16"),
            small_walk("batch_norm", "tests/golden/blocks/batch_norm.model.safetensors", "16"),
            small_walk("v_and_x", "tests/golden/blocks/lanl_block.model.safetensors", "16"),
            small_walk("performer", "tests/golden/blocks/performer.model.safetensors", "24"),
            walk_through("registers", "tests/golden/families/timm_registers/model.safetensors"),
            {"vectors", {"vectors four"}, {"pin", "vectors space"}},
            {"words", {"vectors royal"}, {"vectors four", "pin", "vectors 1,2 \"the word=3,4\""}},
            {"signal", {"signal steps"}, {"pin", "set window 21"}},
            walk_through("maps", "tests/golden/families/maps/model.safetensors")};
}

inline State cat() {
    State state;
    state.recipe.image = source("assets/images/cat.jpg");
    state.look.motion = false;
    return state;
}

// Executes each line and waits for its result.
inline void say_all(Desk& desk, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        ASSERT_TRUE(desk.does(line)) << line << ": " << desk->notice().text;
        ASSERT_FALSE(desk->notice().is_error) << line << ": " << desk->notice().text;
    }
}

}  // namespace headlight::testing
