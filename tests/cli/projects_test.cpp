#include <nlohmann/json.hpp>

#include "cli_fixture.h"

// Compares `headlight trace` with runs of the projects' own code (tests/golden/projects/README.md).
namespace headlight {
namespace {

std::vector<std::string> projects() {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(golden("projects")))
        if (entry.is_directory()) names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
}

std::string last_attention(const TensorMap& trace) {
    int layer = 0;
    while (trace.contains("layer." + std::to_string(layer + 1) + ".attention")) ++layer;
    return "layer." + std::to_string(layer) + ".attention";
}

class CliProject : public Cli, public testing::WithParamInterface<std::string> {};

TEST_P(CliProject, every_tensor_equals_the_projects_own) {
    const std::string folder = golden("projects/") + GetParam() + "/";
    const auto run = nlohmann::json::parse(content_of(folder + "run.json"));
    nlohmann::json config = nlohmann::json::object();
    for (const char* key : {"num_heads", "mean", "std"})
        if (run.contains(key)) config[key] = run[key];
    const Outcome traced =
        headlight({"trace", "--model", folder + "weights.safetensors", "--input",
                   folder + "input.safetensors", "--config", write("run.json", config.dump()),
                   "--attention", run.value("attention", nlohmann::json::object()).dump(), "--out",
                   path("trace.safetensors")});
    ASSERT_EQ(traced.status, 0) << traced.error;

    const TensorMap found = read(path("trace.safetensors"));
    const TensorMap expected = read(folder + "expected.safetensors");
    const double tolerance = run.at("tolerance");
    std::size_t compared = 0;
    for (const auto& [name, tensor] : expected) {
        // The results of DINO's functions: rows of `norm`, and of the last layer's attention.
        if (name == "class_token" || name == "cls_attention") continue;
        const auto ours = found.find(name == "last_selfattention" ? last_attention(found) : name);
        ASSERT_NE(ours, found.end()) << name;
        ++compared;
        EXPECT_EQ(ours->second.shape, tensor.shape) << name;
        EXPECT_LE(relative_error(ours->second.values, tensor.values), tolerance) << name;
    }
    EXPECT_GE(compared, 5U);
}

INSTANTIATE_TEST_SUITE_P(Projects, CliProject, testing::ValuesIn(projects()),
                         [](const auto& project) { return project.param; });

}  // namespace
}  // namespace headlight
