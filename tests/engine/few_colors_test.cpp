// Drawings and photographs are told apart by the number of their colors.
#include "image/few_colors.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "tests/source_path.h"

namespace headlight {
namespace {

Image picture(const std::string& name) {
    std::ifstream stream(source_path("assets/images/") + name, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    return decode_image(std::as_bytes(std::span(text)), name);
}

TEST(FewColors, drawings_of_shapes_have_them) {
    EXPECT_TRUE(has_few_colors(picture("shapes.png")));
    EXPECT_TRUE(has_few_colors({1, 2, 3, {1, 0, 0, 0, 0, 1}}));
}

TEST(FewColors, photographs_have_more) {
    for (const char* name : {"astronaut.jpg", "bee.jpg", "cat.jpg", "citrus.jpg", "coffee.jpg",
                             "dahlia.jpg", "rocket.jpg"})
        EXPECT_FALSE(has_few_colors(picture(name))) << name;
}

// They have few levels, whatever they show.
TEST(FewColors, gray_pictures_count_as_photographs) {
    EXPECT_FALSE(has_few_colors(picture("coins.jpg")));
    EXPECT_FALSE(has_few_colors({1, 2, 3, {0, 0, 0, 1, 1, 1}}));
    EXPECT_FALSE(has_few_colors({1, 2, 1, {0, 1}}));
    EXPECT_FALSE(has_few_colors({}));
}

}  // namespace
}  // namespace headlight
