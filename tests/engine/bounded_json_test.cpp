#include "json/bounded_json.h"

#include <gtest/gtest.h>

namespace headlight::bounded_json_test {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kEntries = 4;

Json parse(std::string_view text, const std::function<void()>& pulse = {}) {
    return parse_json(std::as_bytes(std::span(text)), {.levels = 3, .entries = kEntries}, pulse);
}

std::string error_of(std::string_view text) {
    try {
        parse(text);
    } catch (const JsonError& error) {
        return error.what();
    }
    return "no error";
}

TEST(BoundedJson, is_what_the_library_reads) {
    for (const char* text :
         {"null", "true", "-3", "18446744073709551615", "1.5e3", R"("a\u00e9\n")", "[]", "{}",
          R"([1, [2, [3]], {"a": null}])", R"({"b": {"c": [1, -2, 0.5], "d": ""}, "a": [{}]})"})
        EXPECT_EQ(parse(text), Json::parse(text)) << text;
}

TEST(BoundedJson, keeps_the_order_of_an_ordered_object) {
    const std::string_view text = R"({"b":1,"a":{"d":2,"c":3}})";
    const auto json = parse_json<nlohmann::ordered_json>(std::as_bytes(std::span(text)),
                                                         {.levels = 2, .entries = 2});
    EXPECT_EQ(json.dump(), text);
}

TEST(BoundedJson, says_where_it_is_none) {
    for (const char* text : {"", "{", "[1,]", "{\"a\":\xff}", "1 2", "nan", "1e999", "{'a':1}"})
        EXPECT_EQ(error_of(text), "expected JSON, found something else") << text;
    try {
        parse("[1,?]");
    } catch (const JsonError& error) {
        EXPECT_EQ(error.byte(), 4U);
    }
}

TEST(BoundedJson, refuses_a_name_twice_in_one_object) {
    EXPECT_EQ(error_of(R"({"a":1,"a":2})"),
              "expected JSON with every name once, found \"a\" twice");
    EXPECT_EQ(error_of(R"([{"a":{"b":1,"b":2}}])"),
              "expected JSON with every name once, found \"b\" twice");
    EXPECT_EQ(error_of(R"([{"a":{"b":1}},{"a":{"b":1}}])"), "no error");
    const std::string name(1'000'000, 'n');
    EXPECT_LT(error_of("{\"" + name + "\":1,\"" + name + "\":1}").size(), 200U);
}

TEST(BoundedJson, refuses_more_than_its_bounds) {
    EXPECT_EQ(error_of("[[[1]]]"), "no error");
    EXPECT_EQ(error_of("[[[[1]]]]"), "expected JSON of at most 3 levels, found a deeper one");
    EXPECT_EQ(error_of(R"({"a":[{"b":[]}]})"),
              "expected JSON of at most 3 levels, found a deeper one");
    EXPECT_EQ(error_of("[1,2,3,4]"), "no error");
    EXPECT_EQ(error_of("[1,2,3,4,5]"), "expected JSON of at most 4 entries, found more");
    EXPECT_EQ(error_of(R"({"a":1,"b":1,"c":1,"d":1,"e":1})"),
              "expected JSON of at most 4 entries, found more");
    EXPECT_EQ(error_of(std::string(1'000'000, '[')),
              "expected JSON of at most 3 levels, found a deeper one");
}

TEST(BoundedJson, asks_once_for_each_value) {
    int asked = 0;
    parse(R"({"a":[1,2],"b":{}})", [&] { ++asked; });
    EXPECT_EQ(asked, 5);
}

}  // namespace
}  // namespace headlight::bounded_json_test
