#include "files/npz.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "files/error.h"
#include "kernels/stop.h"
#include "tests/source_path.h"
#include "zip_file.h"

namespace headlight::npz_test {
namespace {

using testing::deflated;
using testing::Ending;
using testing::little;
using testing::Member;
using testing::npy_of_shape;
using testing::zip_of;

FileBytes file_of(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return Bytes(bytes.begin(), bytes.end());
}

StoredTensors read(const std::string& text, const StopFlag& stop = {}) {
    const FileBytes file = file_of(text);
    return read_npz(zip_members(file, "file"), "file", stop);
}

std::string error_of(const std::string& file) {
    try {
        read(file);
    } catch (const CheckpointError& error) {
        return error.what();
    }
    return "no error";
}

std::string golden(const std::string& name) {
    std::ifstream file(source_path("tests/golden/checkpoints/") + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<float> values(const StoredTensor& tensor) {
    std::vector<float> floats(tensor.count());
    to_floats(tensor, floats.data());
    return floats;
}

// As written by tests/golden/make_checkpoints.py.
std::vector<float> halves(int count) {
    std::vector<float> numbers(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) numbers[i] = static_cast<float>(i) / 2 - 3;
    return numbers;
}

class NumpysArchive : public ::testing::TestWithParam<const char*> {};

TEST_P(NumpysArchive, is_read_with_every_type) {
    using V = std::vector<float>;
    const StoredTensors tensors = read(golden(GetParam()));
    EXPECT_EQ(tensors.size(), 10U);
    EXPECT_EQ(tensors.at("block/float").shape, (std::vector<std::int64_t>{2, 3, 4}));
    EXPECT_EQ(values(tensors.at("block/float")), halves(24));
    EXPECT_TRUE(tensors.at("block/columns").column_major);
    EXPECT_EQ(values(tensors.at("block/columns")), halves(24));
    EXPECT_EQ(values(tensors.at("block/half")), halves(5));
    EXPECT_EQ(values(tensors.at("block/double")), halves(6));
    EXPECT_EQ(values(tensors.at("block/bfloat")), halves(4));
    EXPECT_EQ(values(tensors.at("long")), (V{0, 1, 2}));
    EXPECT_EQ(values(tensors.at("byte")), (V{0, 1, 2}));
    EXPECT_EQ(values(tensors.at("truth")), (V{0, 1, 0}));
    EXPECT_EQ(values(tensors.at("scalar")), V{-3});
    EXPECT_TRUE(values(tensors.at("none")).empty());
}

TEST_P(NumpysArchive, is_refused_wherever_it_is_cut_off) {
    const std::string file = golden(GetParam());
    for (std::size_t size = 0; size < file.size(); ++size)
        EXPECT_THROW(read(file.substr(0, size)), CheckpointError) << size;
}

INSTANTIATE_TEST_SUITE_P(All, NumpysArchive, ::testing::Values("stored.npz", "deflated.npz"),
                         [](const auto& param) {
                             const std::string name = param.param;
                             return name.substr(0, name.find('.'));
                         });

TEST(ReadNpz, leaves_stored_numbers_in_the_file) {
    const FileBytes file = file_of(zip_of({{"x.npy", npy_of_shape("(2,)", "abcdefgh")}}));
    const StoredTensors tensors = read_npz(zip_members(file, "file"), "file");
    const File& bytes = tensors.at("x").bytes;
    EXPECT_GE(bytes.in_memory(), file.data());
    EXPECT_LT(bytes.in_memory(), file.data() + file.size());
    EXPECT_EQ(bytes.owner(), file.owner());
}

TEST(ReadNpz, takes_zip64_comments_and_other_members) {
    const std::string npy = npy_of_shape("(1,)", "abcd");
    const std::string sizes =
        little(1, 2) + little(16, 2) + little(npy.size(), 8) + little(npy.size(), 8);
    Member big{"x.npy", npy};
    big.size = big.packed = 0xFFFFFFFF;
    big.extra = little(7, 2) + little(1, 2) + "?" + sizes;
    EXPECT_EQ(read(zip_of({big, {"readme.txt", "x"}}, {.comment = "weights"})).size(), 1U);

    const std::string plain = zip_of({{"x.npy", npy}});
    const std::uint64_t directory = plain.find("PK\1\2"), end = plain.find("PK\5\6");
    Ending ending{.entries = 0xFFFF, .bytes = 0xFFFFFFFF, .offset = 0xFFFFFFFF};
    ending.before = "PK\6\6" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) +
                    little(1, 8) + little(1, 8) + little(end - directory, 8) +
                    little(directory, 8) + "PK\6\7" + little(0, 4) + little(end, 8) + little(1, 4);
    EXPECT_EQ(read(zip_of({{"x.npy", npy}}, ending)).size(), 1U);
}

TEST(ReadNpz, stops) {
    EXPECT_THROW(read(golden("deflated.npz"), [] { return true; }), Stopped);
}

struct Hostile {
    std::string name, file, says;
};

Member changed(const std::string& name, void (*change)(Member&)) {
    Member member{name, npy_of_shape("(1,)", "abcd")};
    change(member);
    return member;
}

Hostile one(const std::string& name, const std::string& says, void (*change)(Member&)) {
    return {name, zip_of({changed("x.npy", change)}), says};
}

std::vector<Hostile> hostile_files() {
    const std::string npy = npy_of_shape("(1,)", "abcd");
    const Member x{"x.npy", npy}, y{"y.npy", npy};
    const Member over = changed("y.npy", [](Member& m) {
        m.packed = 150;
        m.size = 150;
    });
    const std::string two = zip_of({over, x});
    return {
        {"Empty", "", "found none in 0 bytes"},
        {"NoMembers", zip_of({}), "found an empty archive"},
        {"NoArrays", zip_of({{"word/document.xml", "x"}}), "with \"word/document.xml\""},
        {"NameTwice", zip_of({x, x}), "\"x.npy\" twice"},
        {"SeveralParts", zip_of({x}, {.parts = 1}), "one of several parts"},
        {"DirectoryOutside", zip_of({x}, {.offset = 1 << 30}), "an offset of 1073741824"},
        {"DirectoryElsewhere", zip_of({x}, {.offset = 1}), "none at byte 0"},
        {"DirectoryTooLong", zip_of({x}, {.bytes = 1 << 30}), "the directory of the archive"},
        {"TooManyEntries", zip_of({x}, {.entries = 2}), "an entry of the archive's directory"},
        {"NoZip64", zip_of({x}, {.entries = 0xFFFF}), "zip64 directory of the archive, found none"},
        {"Zip64Outside",
         zip_of({x}, {.entries = 0xFFFF,
                      .before = "PK\6\7" + little(0, 4) + little(~0ULL, 8) + little(1, 4)}),
         "nothing at byte 18446744073709551615"},
        one("NoZip64Sizes", "its zip64 sizes", [](Member& m) { m.size = 0xFFFFFFFF; }),
        one("Zip64SizeWraps", "within the archive",
            [](Member& m) {
                m.packed = m.size = 0xFFFFFFFF;
                m.extra = little(1, 2) + little(16, 2) + little(~0ULL, 8) + little(~0ULL, 8);
            }),
        one("Encrypted", "no encryption", [](Member& m) { m.flags = 1; }),
        one("OtherCompression", "found compression 14", [](Member& m) { m.method = 14; }),
        one("OffsetOutside", "none at byte 99999", [](Member& m) { m.offset = 99999; }),
        one("OffsetElsewhere", "none at byte 7", [](Member& m) { m.offset = 7; }),
        one("BytesOutside", "its 1000000 bytes within the archive",
            [](Member& m) { m.packed = m.size = 1'000'000; }),
        one("SizesDisagree", "with 5 stored bytes", [](Member& m) { m.size = 5; }),
        one("OtherNameInside", "the same name", [](Member& m) { m.local_name = "y.npy"; }),
        one("OtherChecksum", "the checksum", [](Member& m) { m.checksum = 1; }),
        {"Overlap", two, "an overlap with"},
        one("NotDeflated", "deflated bytes, found damaged ones", [](Member& m) { m.method = 8; }),
        one("DeflatedIsLonger", "deflated bytes, found damaged ones",
            [](Member& m) {
                m.size = static_cast<std::int64_t>(m.data.size()) - 1;
                m.data = deflated(m.data);
                m.method = 8;
            }),
        one("DeflatedIsShorter", "deflated bytes, found damaged ones",
            [](Member& m) {
                m.size = static_cast<std::int64_t>(m.data.size()) + 1;
                m.data = deflated(m.data);
                m.method = 8;
            }),
        one("BytesBehindTheDeflated", "deflated bytes, found damaged ones",
            [](Member& m) {
                m.size = static_cast<std::int64_t>(m.data.size());
                m.data = deflated(m.data) + "more";
                m.method = 8;
            }),
        one("Impossible", "only 15 to inflate",
            [](Member& m) {
                m.method = 8;
                m.data = deflated("0123456789");
                m.size = 1 << 30;
            }),
        one("ZipBomb", "a zip bomb",
            [](Member& m) {
                m.method = 8;
                m.data = std::string(100'000, '\0');
                m.size = 80 << 20;
            }),
        one("ArrayIsNone", "\"x.npy\": expected a NumPy array", [](Member& m) { m.data = "text"; }),
        one("ArrayIsShort", "\"x.npy\": expected 8 bytes for F32 [2], found 4",
            [](Member& m) { m.data = npy_of_shape("(2,)", "abcd"); }),
    };
}

class HostileNpz : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileNpz, is_refused_in_one_sentence) {
    const std::string error = error_of(GetParam().file);
    EXPECT_TRUE(error.starts_with("file: ")) << error;
    EXPECT_NE(error.find("expected"), std::string::npos) << error;
    EXPECT_NE(error.find(GetParam().says), std::string::npos) << error;
    EXPECT_LT(error.size(), 400U);
}

INSTANTIATE_TEST_SUITE_P(All, HostileNpz, ::testing::ValuesIn(hostile_files()),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace headlight::npz_test
