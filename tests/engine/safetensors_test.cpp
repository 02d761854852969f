#include "files/safetensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "tests/scratch_folder.h"
#include "written_file.h"

namespace headlight::safetensors_test {
namespace {

namespace fs = std::filesystem;

std::string length_bytes(std::uint64_t length) {
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    return bytes;
}

// A file with this header and data.
std::string file_of(const std::string& header, const std::string& data = "") {
    return length_bytes(header.size()) + header + data;
}

TensorMap read(const std::string& file) {
    return read_safetensors(std::as_bytes(std::span(file)), "file");
}

std::string error_of(const std::string& file) {
    try {
        read(file);
    } catch (const CheckpointError& error) {
        return error.what();
    }
    return "no error";
}

std::string entry(const std::string& type, const std::string& shape, const std::string& offsets) {
    return R"({"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

std::string one_tensor(const std::string& type, const std::string& shape,
                       const std::string& offsets, const std::string& data) {
    return file_of("{\"x\":" + entry(type, shape, offsets) + "}", data);
}

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
    std::string bytes(values.size() * sizeof(T), '\0');
    std::memcpy(bytes.data(), values.begin(), bytes.size());
    return bytes;
}

std::vector<float> converted(const std::string& type, std::size_t count, const std::string& data) {
    return read(one_tensor(type, "[" + std::to_string(count) + "]",
                           "[0," + std::to_string(data.size()) + "]", data))
        .at("x")
        .values;
}

TEST(ReadSafetensors, converts_every_type_to_float) {
    using V = std::vector<float>;
    EXPECT_EQ(converted("F32", 2, bytes_of({1.5F, -2.0F})), (V{1.5F, -2}));
    EXPECT_EQ(converted("F64", 2, bytes_of({0.1, -2.0})), (V{0.1F, -2}));
    EXPECT_EQ(converted("I64", 2, bytes_of<std::int64_t>({-3, 1LL << 40})), (V{-3, 0x1p40F}));
    EXPECT_EQ(converted("I32", 1, bytes_of<std::int32_t>({-70000})), (V{-70000}));
    EXPECT_EQ(converted("I16", 1, bytes_of<std::int16_t>({-300})), (V{-300}));
    EXPECT_EQ(converted("I8", 2, bytes_of<std::int8_t>({-128, 7})), (V{-128, 7}));
    EXPECT_EQ(converted("U8", 2, bytes_of<std::uint8_t>({255, 7})), (V{255, 7}));
    EXPECT_EQ(converted("BOOL", 3, bytes_of<std::uint8_t>({0, 1, 2})), (V{0, 1, 1}));
    EXPECT_EQ(converted("BF16", 2, bytes_of<std::uint16_t>({0x3FC0, 0xC000})), (V{1.5F, -2}));
}

TEST(ReadSafetensors, converts_halves_exactly) {
    // 1.5, −2, smallest subnormal, largest subnormal, largest, −0, infinity, NaN
    const auto values = converted(
        "F16", 8,
        bytes_of<std::uint16_t>({0x3E00, 0xC000, 0x0001, 0x03FF, 0x7BFF, 0x8000, 0x7C00, 0x7E00}));
    EXPECT_EQ((std::vector(values.begin(), values.begin() + 5)),
              (std::vector{1.5F, -2.0F, 0x1p-24F, 1023 * 0x1p-24F, 65504.0F}));
    EXPECT_TRUE(values[5] == 0 && std::signbit(values[5]));
    EXPECT_EQ(values[6], std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(values[7]));
}

TEST(ReadSafetensors, takes_metadata_padding_scalars_and_empty_tensors) {
    const TensorMap tensors = read(file_of(R"({"__metadata__":{"format":"pt"},"empty":)" +
                                               entry("F32", "[0,5]", "[0,0]") + R"(,"scalar":)" +
                                               entry("F32", "[]", "[0,4]") + "}   ",
                                           bytes_of({2.5F})));
    ASSERT_EQ(tensors.size(), 2U);
    EXPECT_EQ(tensors.at("empty").shape, (std::vector<std::int64_t>{0, 5}));
    EXPECT_TRUE(tensors.at("empty").values.empty());
    EXPECT_TRUE(tensors.at("scalar").shape.empty());
    EXPECT_EQ(tensors.at("scalar").values, std::vector{2.5F});
}

struct Hostile {
    std::string name, file, says;
};

std::vector<Hostile> hostile_files() {
    const std::string four(4, '\0'), eight(8, '\0');
    const std::string ok = entry("F32", "[1]", "[0,4]");
    const std::string deep(100'000, '[');
    return {
        {"Empty", "", "at least 8 bytes"},
        {"ShorterThanALength", "abc", "found 3"},
        {"HeaderBeyondTheFile", length_bytes(100) + "{}", "a header length of 100"},
        {"HeaderLengthOfAllBits", length_bytes(~0ULL) + "{}", "18446744073709551615"},
        {"HeaderIsNotJson", file_of("{\"x\":"), "a header of JSON"},
        {"HeaderIsAList", file_of("[]"), "found array"},
        {"HeaderIsEmpty", length_bytes(0), "a header of JSON"},
        {"HeaderHasInvalidUtf8", file_of("{\"\xFF\":1}"), "a header of JSON"},
        {"DeepLists", file_of("{\"x\":" + deep + "}"), "a deeper one"},
        {"DeepMetadata", file_of("{\"__metadata__\":{\"a\":" + deep), "a deeper one"},
        {"EntryIsANumber", file_of("{\"x\":1}"), "found number"},
        {"NameTwice", file_of("{\"x\":" + ok + ",\"x\":" + ok + "}", four), "\"x\" twice"},
        {"NoType", file_of(R"({"x":{"shape":[1],"data_offsets":[0,4]}})", four), "a dtype"},
        {"UnknownType", one_tensor("F8_E4M3", "[4]", "[0,4]", four), "found \"F8_E4M3\""},
        {"NoShape", file_of(R"({"x":{"dtype":"F32","data_offsets":[0,4]}})", four), "found none"},
        {"ShapeIsText", one_tensor("F32", "\"1\"", "[0,4]", four), "found string"},
        {"NegativeExtent", one_tensor("F32", "[-1]", "[0,4]", four), "found -1"},
        {"BrokenExtent", one_tensor("F32", "[1.0]", "[0,4]", four), "found 1.0"},
        {"HugeExtent", one_tensor("F32", "[9223372036854775808]", "[0,4]", four), "below 2^6"},
        // 2^62 · 4 bytes wraps to 0, which would fit the empty range.
        {"ProductWraps", one_tensor("F32", "[4611686018427387904]", "[0,0]", ""), "below 2^6"},
        {"ProductOfManyWraps", one_tensor("F32", "[4294967296,4294967296]", "[0,0]", ""),
         "below 2^6"},
        {"OneOffset", one_tensor("F32", "[1]", "[0]", four), "found 1 numbers"},
        {"NegativeOffset", one_tensor("F32", "[1]", "[-4,0]", four), "found -4"},
        {"OffsetsBackwards", one_tensor("F32", "[1]", "[4,0]", four), "found [4, 0]"},
        {"OffsetBeyondTheFile", one_tensor("F32", "[2]", "[0,8]", four), "the 4 bytes of data"},
        {"OffsetWraps", one_tensor("F32", "[1]", "[18446744073709551612,0]", four),
         "found [18446744073709551612, 0]"},
        {"TooFewBytes", one_tensor("F32", "[2]", "[0,4]", four), "expected 8 bytes for F32 [2]"},
        {"Overlap", file_of("{\"x\":" + ok + ",\"y\":" + ok + "}", four), "an overlap at byte 0"},
        {"Gap", one_tensor("F32", "[1]", "[4,8]", eight), "a gap at byte 4"},
        {"BytesLeftOver", one_tensor("F32", "[1]", "[0,4]", eight), "found 8"},
    };
}

class HostileFile : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileFile, is_refused_in_one_sentence) {
    const std::string error = error_of(GetParam().file);
    EXPECT_TRUE(error.starts_with("file: ")) << error;
    EXPECT_NE(error.find("expected"), std::string::npos) << error;
    EXPECT_NE(error.find(GetParam().says), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    EXPECT_LT(error.size(), 400U);
}

INSTANTIATE_TEST_SUITE_P(All, HostileFile, ::testing::ValuesIn(hostile_files()),
                         [](const auto& param) { return param.param.name; });

TEST(ReadSafetensors, every_truncation_is_refused) {
    const std::string file = one_tensor("F32", "[2]", "[0,8]", std::string(8, '\1'));
    for (std::size_t size = 0; size < file.size(); ++size)
        EXPECT_THROW(read(file.substr(0, size)), CheckpointError) << size;
}

// A header with `count` empty tensors.
std::string header_of(std::size_t count) {
    std::string header = "{";
    for (std::size_t i = 0; i < count; ++i)
        header += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":" + entry("F32", "[0]", "[0,0]");
    return header + "}";
}

TEST(ReadSafetensors, takes_as_many_tensors_as_it_says_and_no_more) {
    EXPECT_EQ(read(file_of(header_of(kMaxTensors))).size(), kMaxTensors);
    EXPECT_EQ(error_of(file_of(header_of(kMaxTensors + 1))),
              "file: expected a header of JSON of at most 100000 tensors, found more.");
}

// Checks for a stop at each value of the header, so that reading it stops quickly.
TEST(ReadSafetensors, stops_within_a_header) {
    const std::string file = file_of(header_of(1000));
    const auto bytes = std::as_bytes(std::span(file));
    int asked = 0;
    EXPECT_THROW(
        safetensors_entries(FileBytes(bytes, nullptr), "file", [&] { return ++asked == 3000; }),
        Stopped);
    asked = 0;
    safetensors_entries(FileBytes(bytes, nullptr), "file", [&] { return ++asked > 7001; });
    EXPECT_EQ(asked, 7001);  // the header, and 7 for each tensor
}

TEST(ReadSafetensors, keeps_a_long_name_out_of_its_error) {
    const std::string name(1'000'000, 'n');
    EXPECT_LT(error_of(file_of("{\"" + name + "\":1}")).size(), 300U);
}

class WriteSafetensors : public ::testing::Test {
  protected:
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
    [[nodiscard]] static std::string content(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    [[nodiscard]] std::ptrdiff_t files() const {
        return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
    }

    ScratchFolder scratch_;
    const fs::path folder_ = scratch_.path();
};

TEST_F(WriteSafetensors, comes_back_as_it_was) {
    Matrix m(2, 4);
    m << 1, 2, 3, 4, 5, 6, 7, std::numeric_limits<float>::infinity();
    const MatrixView all = m;
    // The two halves of the columns one after the other, as for heads.
    write_safetensors(path("a"),
                      {{"halves", {2, 2, 2}, {all.block(0, 0, 2, 2), all.block(0, 2, 2, 2)}},
                       {"all", {2, 4}, {all}},
                       {"none", {0, 3}, {}}});
    const std::string file = content(path("a"));
    const TensorMap tensors = read(file);
    ASSERT_EQ(tensors.size(), 3U);
    const float inf = std::numeric_limits<float>::infinity();
    EXPECT_EQ(tensors.at("halves").shape, (std::vector<std::int64_t>{2, 2, 2}));
    EXPECT_EQ(tensors.at("halves").values, (std::vector<float>{1, 2, 5, 6, 3, 4, 7, inf}));
    EXPECT_EQ(tensors.at("all").values, (std::vector<float>{1, 2, 3, 4, 5, 6, 7, inf}));
    EXPECT_TRUE(tensors.at("none").values.empty());
    std::uint64_t header = 0;
    std::memcpy(&header, file.data(), sizeof header);
    EXPECT_EQ(header % 8, 0U) << "data must be aligned";
}

TEST_F(WriteSafetensors, replaces_a_file_and_leaves_nothing_beside) {
    const Matrix m = Matrix::Ones(1, 1);
    std::ofstream(path("a")) << "old";
    write_safetensors(path("a"), {{"x", {1, 1}, {m}}});
    EXPECT_EQ(read(content(path("a"))).at("x").values, std::vector{1.0F});
    EXPECT_EQ(files(), 1);
}

TEST_F(WriteSafetensors, writes_through_a_link) {
    const Matrix m = Matrix::Ones(1, 1);
    std::ofstream(path("a")) << "old";
    fs::create_symlink(path("a"), path("link"));
    write_safetensors(path("link"), {{"x", {1, 1}, {m}}});
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(read(content(path("a"))).at("x").values, std::vector{1.0F});
}

TEST_F(WriteSafetensors, fails_in_one_sentence_and_keeps_the_old_file) {
    const Matrix m = Matrix::Ones(1, 1);
    EXPECT_THROW(write_safetensors(path("no/such/folder/a"), {{"x", {1, 1}, {m}}}),
                 CheckpointError);
    EXPECT_THROW(write_safetensors(folder_, {{"x", {1, 1}, {m}}}), CheckpointError);
    std::ofstream(path("a")) << "old";
    EXPECT_THROW(write_safetensors(path("a"), {{"x", {2, 2}, {m}}}), CheckpointError);
    EXPECT_THROW(write_safetensors(path("a"), {{"x", {1, 1}, {m}}, {"x", {1, 1}, {m}}}),
                 CheckpointError);
    EXPECT_EQ(content(path("a")), "old");
    EXPECT_EQ(files(), 1);
}

TEST_F(WriteSafetensors, tensor_by_tensor_is_the_same_file) {
    const Matrix m = Matrix::Random(3, 4);
    std::ofstream(path("a")) << "old";
    {
        SafetensorsWriter writer(path("a"), 2 * SafetensorsWriter::room_for("second", 2));
        writer.write({"first", {3, 4}, {m}});
        EXPECT_EQ(content(path("a")), "old");
        writer.write({"second", {2, 2}, {MatrixView(m).block(1, 2, 2, 2)}});
        writer.finish();
    }
    const TensorMap tensors = read(content(path("a")));
    ASSERT_EQ(tensors.size(), 2U);
    EXPECT_EQ(tensors.at("second").values,
              (std::vector<float>{m(1, 2), m(1, 3), m(2, 2), m(2, 3)}));
    EXPECT_EQ(files(), 1);
}

TEST_F(WriteSafetensors, without_an_end_nothing_is_left) {
    const Matrix m = Matrix::Ones(1, 1);
    {
        SafetensorsWriter writer(path("a"), SafetensorsWriter::room_for("x", 2));
        writer.write({"x", {1, 1}, {m}});
        EXPECT_EQ(files(), 0) << "a killed program would leave this";
    }
    EXPECT_EQ(files(), 0);
}

TEST_F(WriteSafetensors, room_is_enough_for_any_name) {
    const std::string name = "\"\n\\ \u00e9";
    const std::vector<std::int64_t> shape{1, 1, 1, 1, 1, 1, 1};
    const Matrix m = Matrix::Ones(1, 1);
    SafetensorsWriter writer(path("a"), SafetensorsWriter::room_for(name, shape.size()));
    writer.write({name, shape, {m}});
    writer.finish();
    EXPECT_EQ(read(content(path("a"))).at(name).shape, shape);
}

TEST_F(WriteSafetensors, a_device_is_written_to_and_not_replaced) {
    const Matrix m = Matrix::Ones(1, 1);
    write_safetensors("/dev/null", {{"x", {1, 1}, {m}}});
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_THROW(write_safetensors("/dev/full", {{"x", {1, 1}, {m}}}), CheckpointError);
}

}  // namespace
}  // namespace headlight::safetensors_test
