#include "hub/file_part.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "files/error.h"
#include "files/safetensors.h"

namespace headlight::hub {
namespace {

// Tensors of one byte each, "a" first; `order` is their order in the file.
File file_of(const std::string& order, const std::string& metadata = "") {
    std::string header = metadata.empty() ? "{" : R"({"__metadata__":)" + metadata + ",";
    for (std::size_t i = 0; i < order.size(); ++i)
        header += (i > 0 ? ",\"" : "\"") + std::string(1, order[i]) +
                  R"(":{"dtype":"U8","shape":[1],"data_offsets":[)" + std::to_string(i) + "," +
                  std::to_string(i + 1) + "]}";
    header += "}";
    std::string bytes(8, '\0');
    const std::uint64_t length = header.size();
    std::memcpy(bytes.data(), &length, 8);
    bytes += header + order;  // each tensor's byte is its name
    const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
    return Bytes(first, first + bytes.size());
}

std::map<std::string, char> content(const File& file) {
    std::map<std::string, char> found;
    for (const auto& [name, tensor] : safetensors_entries(file, "part"))
        found[name] = static_cast<char>(tensor.bytes.bytes().data()[0]);
    return found;
}

TEST(FilePart, has_the_other_tensors_with_their_bytes) {
    for (const std::string& order : {std::string("abcdef"), std::string("fbdaec")})
        for (const std::set<std::string>& unused :
             {std::set<std::string>{"a"}, {"f"}, {"b", "d"}, {"a", "b", "c", "d", "e"}}) {
            const File whole = file_of(order);
            const auto part = part_without(whole, "w", unused, "w of x");
            ASSERT_TRUE(part);
            std::map<std::string, char> expected;
            for (const char name : order)
                if (!unused.contains(std::string(1, name))) expected[std::string(1, name)] = name;
            const File file = part_of(whole, *part);
            EXPECT_EQ(file.size(), part->size());
            EXPECT_EQ(content(File(file.bytes())), expected);
            EXPECT_EQ(content(file), expected);
            EXPECT_NE(part->start.find("w of x"), std::string::npos);
            EXPECT_EQ(part->start.size() % 8, 0);
        }
}

TEST(FilePart, joins_neighbors_and_says_where_bytes_come_from) {
    const File whole = file_of("abcdef", R"({"format":"pt"})");
    const auto part = part_without(whole, "w", {"a", "d"}, "w");
    ASSERT_TRUE(part);
    ASSERT_EQ(part->spans.size(), 2);
    const std::uint64_t data = whole.size() - 6, start = part->start.size();
    EXPECT_EQ(part->source(start).begin, data + 1);
    EXPECT_EQ(part->source(start).size, 2);
    EXPECT_EQ(part->source(start + 1).size, 1);
    EXPECT_EQ(part->source(start + 2).begin, data + 4);
    EXPECT_EQ(part->size(), start + 4);
    EXPECT_NE(part->start.find(R"("format":"pt")"), std::string::npos);
}

TEST(FilePart, is_none_where_nothing_is_left) {
    EXPECT_FALSE(part_without(file_of("ab"), "w", {"a", "b"}, "w"));
    EXPECT_THROW((void)part_without(Bytes(100), "w", {}, "w"), CheckpointError);
}

}  // namespace
}  // namespace headlight::hub
