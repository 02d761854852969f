#include "pytorch/loops.h"

#include <gtest/gtest.h>

// Layers that a script contains only once, as a loop.
namespace headlight {
namespace {

LayerLines layer(int number, const std::string& more = "") {
    const std::string n = std::to_string(number);
    return {number, "Layer " + std::to_string(number + 1),
            "W = model[\"blocks." + n + ".mlp.1.weight\"]\n\nX = F.linear(X, W" + more +
                ")\ncheck(\"layer." + n + "\", output=X)\n"};
}

TEST(Loops, write_layers_that_are_alike_once) {
    EXPECT_EQ(with_loops({layer(2), layer(3), layer(4)}),
              "\n\n# ---- Layer 3 to Layer 5\n"
              "for i in range(2, 5):\n"
              "    W = model[f\"blocks.{i}.mlp.1.weight\"]\n"
              "\n"
              "    X = F.linear(X, W)\n"
              "    check(f\"layer.{i}\", output=X)\n");
}

TEST(Loops, leave_others_as_they_are) {
    const std::string one = "\n\n# ---- Layer 1\n" + layer(0).lines;
    EXPECT_EQ(with_loops({layer(0)}), one);
    const std::string text = with_loops({layer(2), layer(3), layer(4, ", b"), layer(5)});
    EXPECT_NE(text.find("for i in range(2, 4):"), std::string::npos) << text;
    EXPECT_NE(text.find("# ---- Layer 5\nW = model[\"blocks.4."), std::string::npos) << text;
    EXPECT_NE(text.find("# ---- Layer 6\nW = model[\"blocks.5."), std::string::npos) << text;
}

// Either number in "blocks.1.mlp.1" could be the index; no digit is part of another number.
TEST(Loops, say_exactly_what_the_layers_say) {
    const std::string text = with_loops({layer(0), layer(1), layer(2), layer(3)});
    EXPECT_NE(text.find("# ---- Layer 1\nW = model[\"blocks.0.mlp.1.weight\"]"), std::string::npos)
        << text;
    EXPECT_NE(text.find("# ---- Layer 2\nW = model[\"blocks.1.mlp.1.weight\"]"), std::string::npos)
        << text;
    EXPECT_NE(text.find("for i in range(2, 4):\n    W = model[f\"blocks.{i}.mlp.1.weight\"]"),
              std::string::npos)
        << text;
    EXPECT_EQ(with_loops({{1, "a", "f(\"11.1{\")\n"}, {2, "b", "f(\"11.2{\")\n"}}),
              "\n\n# ---- a\nf(\"11.1{\")\n\n\n# ---- b\nf(\"11.2{\")\n");
    EXPECT_NE(
        with_loops({{1, "a", "f(\"11.1\")\n"}, {2, "b", "f(\"11.2\")\n"}}).find("f\"11.{i}\""),
        std::string::npos);
}

}  // namespace
}  // namespace headlight
