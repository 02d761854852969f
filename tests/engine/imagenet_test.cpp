#include "model/imagenet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace headlight::imagenet_test {
namespace {

TEST(ImagenetNames, are_a_thousand_and_all_different) {
    const std::vector<std::string>& names = imagenet_names();
    ASSERT_EQ(names.size(), 1000U);
    std::set<std::string> seen;
    for (std::string name : names) {
        EXPECT_FALSE(name.empty());
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        EXPECT_TRUE(seen.insert(name).second) << name;
    }
}

TEST(ImagenetNames, stand_where_heads_have_them) {
    const std::pair<std::size_t, const char*> known[] = {{0, "tench"},
                                                         {1, "goldfish"},
                                                         {134, "crane (bird)"},
                                                         {207, "golden retriever"},
                                                         {243, "bull mastiff"},
                                                         {264, "Cardigan Welsh corgi"},
                                                         {281, "tabby"},
                                                         {282, "tiger cat"},
                                                         {285, "Egyptian cat"},
                                                         {386, "African elephant"},
                                                         {388, "giant panda"},
                                                         {404, "airliner"},
                                                         {474, "cardigan"},
                                                         {517, "crane (machine)"},
                                                         {638, "maillot (tights)"},
                                                         {639, "maillot (tank suit)"},
                                                         {751, "racer"},
                                                         {817, "sports car"},
                                                         {954, "banana"},
                                                         {999, "toilet tissue"}};
    for (const auto& [index, name] : known) EXPECT_EQ(imagenet_names().at(index), name) << index;
}

}  // namespace
}  // namespace headlight::imagenet_test
