#include "files/npy.h"

#include <gtest/gtest.h>

#include <cstring>

#include "files/error.h"
#include "zip_file.h"

namespace headlight::npy_test {
namespace {

using testing::little;
using testing::npy_of;
using testing::npy_of_shape;

StoredTensor read(const std::string& file) {
    return read_npy({std::as_bytes(std::span(file)), nullptr}, "file");
}

std::string error_of(const std::string& file) {
    try {
        read(file);
    } catch (const CheckpointError& error) {
        return error.what();
    }
    return "no error";
}

TEST(ReadNpy, takes_every_number_type) {
    const std::pair<const char*, const char*> types[] = {
        {"<f8", "F64"}, {"<f4", "F32"}, {"<f2", "F16"}, {"|V2", "BF16"}, {"<i8", "I64"},
        {"<i4", "I32"}, {"<i2", "I16"}, {"|i1", "I8"},  {"<u8", "U64"},  {"<u4", "U32"},
        {"<u2", "U16"}, {"|u1", "U8"},  {"|b1", "BOOL"}};
    for (const auto& [theirs, ours] : types) {
        const std::string data(3 * bytes_per_number(ours), '\1');
        const std::string file = npy_of_shape("(3,)", data, theirs);
        const StoredTensor tensor = read(file);
        EXPECT_EQ(tensor.type, ours);
        EXPECT_EQ(tensor.shape, std::vector<std::int64_t>{3});
        EXPECT_EQ(tensor.count(), 3U);
    }
}

TEST(ReadNpy, leaves_the_numbers_in_the_file) {
    const std::string file = npy_of_shape("(2, 1)", "abcdefgh");
    const auto bytes = read(file).bytes;
    EXPECT_EQ(reinterpret_cast<const char*>(bytes.in_memory()), file.data() + file.size() - 8);
    EXPECT_EQ(bytes.size(), 8U);
}

TEST(ReadNpy, takes_what_every_numpy_writes) {
    const std::string four(4, '\0');
    EXPECT_TRUE(read(npy_of_shape("()", four)).shape.empty());
    EXPECT_EQ(read(npy_of_shape("(1L, 1L)", four)).shape, (std::vector<std::int64_t>{1, 1}));
    EXPECT_EQ(read(npy_of_shape("(0, 9)", "")).count(), 0U);
    EXPECT_TRUE(read(npy_of("{\"shape\":(1,),\"fortran_order\":True,\"descr\":\"<f4\"}", four))
                    .column_major);
    const std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}";
    EXPECT_EQ(read("\x93NUMPY\2" + little(0, 1) + little(dict.size(), 4) + dict + four).count(),
              1U);
}

struct Hostile {
    std::string name, file, says;
};

std::vector<Hostile> hostile_files() {
    const std::string four(4, '\0');
    const std::string type = "'descr': '<f4', ", order = "'fortran_order': False, ",
                      shape = "'shape': (1,), ";
    return {
        {"Empty", "", "found something else"},
        {"MagicOnly", "\x93NUMPY", "only the beginning of one"},
        {"NoLength", "\x93NUMPY\1" + little(0, 2), "only the beginning of one"},
        {"Version9", "\x93NUMPY\x09" + little(0, 3), "found version 9"},
        {"HeaderBeyondTheFile", "\x93NUMPY\1" + little(0, 1) + little(999, 2) + "{}",
         "a header length of 999"},
        {"HugeHeader", "\x93NUMPY\2" + little(0, 1) + little(~0U, 4) + "{}",
         "a header length of 4294967295"},
        {"NoDict", npy_of("", four), "other text at its character 0"},
        {"DictIsOpen", npy_of("{" + type + order + shape, four), "other text"},
        {"DictIsCode", npy_of("__import__('os')", four), "other text"},
        {"TextBehindTheDict", npy_of("{" + type + order + shape + "} x", four), "other text"},
        {"TextIsOpen", npy_of("{'descr': '<f4", four), "other text"},
        {"KeyTwice", npy_of("{" + type + type + order + shape + "}", four), "\"descr\" twice"},
        {"UnknownKey", npy_of("{'color': 'red'}", four), "found \"color\""},
        {"NoShape", npy_of("{" + type + order + "}", four), "found not all"},
        {"OrderIsANumber", npy_of("{'fortran_order': 1}", four), "other text"},
        {"ShapeIsANumber", npy_of("{'shape': 1}", four), "other text"},
        {"ShapeIsOpen", npy_of("{'shape': (1, 2", four), "other text"},
        {"NegativeExtent", npy_of_shape("(-1,)", four), "from 0 to 2^63"},
        {"HugeExtent", npy_of_shape("(9223372036854775808,)", four), "from 0 to 2^63"},
        {"ProductWraps", npy_of_shape("(4294967296, 1073741824)", ""), "below 2^6"},
        {"TooFewBytes", npy_of_shape("(2,)", four), "expected 8 bytes for F32 [2], found 4"},
        {"TooManyBytes", npy_of_shape("(1,)", four + four),
         "expected 4 bytes for F32 [1], found 8"},
        {"BigEndian", npy_of_shape("(1,)", four, ">f4"), "big-endian \">f4\""},
        {"Objects", npy_of_shape("(1,)", four, "|O"), "Python objects"},
        {"Complex", npy_of_shape("(1,)", four + four, "<c8"), "descr \"<c8\""},
        {"Structure", npy_of("{'descr': [('a', '<f4')]}", four), "one of structures"},
    };
}

class HostileNpy : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileNpy, is_refused_in_one_sentence) {
    const std::string error = error_of(GetParam().file);
    EXPECT_TRUE(error.starts_with("file: expected ")) << error;
    EXPECT_NE(error.find(GetParam().says), std::string::npos) << error;
    EXPECT_LT(error.size(), 300U);
}

INSTANTIATE_TEST_SUITE_P(All, HostileNpy, ::testing::ValuesIn(hostile_files()),
                         [](const auto& param) { return param.param.name; });

TEST(ReadNpy, every_truncation_is_refused) {
    const std::string file = npy_of_shape("(2, 3)", std::string(24, '\1'));
    for (std::size_t size = 0; size < file.size(); ++size)
        EXPECT_THROW(read(file.substr(0, size)), CheckpointError) << size;
}

TEST(ReadNpy, keeps_a_long_type_out_of_its_error) {
    EXPECT_LT(error_of(npy_of_shape("(1,)", "", std::string(10'000, 'n'))).size(), 300U);
}

}  // namespace
}  // namespace headlight::npy_test
