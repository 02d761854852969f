#include "files/tensor_file.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>

#include "kernels/stop.h"
#include "tests/source_path.h"
#include "zip_file.h"

namespace headlight::tensor_file_test {
namespace {

using testing::little;
using testing::npy_of_shape;
using testing::zip_of;

FileBytes file_of(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return Bytes(bytes.begin(), bytes.end());
}

// The files of an in-memory disk.
FileReader disk(const std::map<std::string, std::string>& files) {
    return [files](const std::string& name) {
        const auto found = files.find(name);
        if (found == files.end()) throw FileMissing(name + ": there is no such file.");
        return file_of(found->second);
    };
}

FileBytes golden(const std::string& name) {
    std::ifstream file(source_path("tests/golden/checkpoints/") + name, std::ios::binary);
    if (!file) throw FileMissing(name + ": there is no such file.");
    return file_of({std::istreambuf_iterator<char>(file), {}});
}

TensorFile open_text(const std::string& text, const std::string& name = "file") {
    return open_tensor_file(name, disk({{name, text}}));
}

template <class Work>
std::string error_of(const Work& work) {
    try {
        (void)work();
    } catch (const CheckpointError& error) {
        return error.what();
    }
    return "no error";
}

std::string floats(const std::vector<float>& numbers) {
    std::string bytes(numbers.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
}

// One tensor "x"; spaces after the header move the numbers.
std::string safetensors(const std::string& type, const std::string& shape, const std::string& data,
                        std::size_t spaces = 0) {
    const std::string header = R"({"x":{"dtype":")" + type + R"(","shape":)" + shape +
                               R"(,"data_offsets":[0,)" + std::to_string(data.size()) + "]}}" +
                               std::string(spaces, ' ');
    return little(header.size(), 8) + header + data;
}

Matrix matrix_of(const SharedResult& result) { return result->view().eigen(); }

TEST(OpenTensorFile, knows_every_format_by_its_content) {
    const std::string data = floats({1, 2, 3, 4, 5, 6});
    const std::string npy = npy_of_shape("(2, 3)", data);
    const Matrix expected = (Matrix(2, 3) << 1, 2, 3, 4, 5, 6).finished();
    EXPECT_EQ(matrix_of(open_text(safetensors("F32", "[2,3]", data)).matrix("x", 2, 3)), expected);
    EXPECT_EQ(matrix_of(open_text(zip_of({{"x.npy", npy}})).matrix("x", 2, 3)), expected);
    EXPECT_EQ(matrix_of(open_text(npy, "folder/x.npy").matrix("x", 2, 3)), expected);
}

TEST(OpenTensorFile, puts_shards_together) {
    for (const char* name : {"model.safetensors.index.json", "model-00001-of-00002.safetensors",
                             "model-00002-of-00002.safetensors"}) {
        const TensorFile file = open_tensor_file(name, golden);
        EXPECT_EQ(file.name(), name);
        EXPECT_EQ(file.tensors().size(), 3U);
        EXPECT_EQ(file.values("a"), (std::vector<float>{-3, -2.5F, -2, -1.5F, -1, -0.5F}));
        EXPECT_EQ(file.values("b"), (std::vector<float>{-3, -2.5F, -2, -1.5F}));
        EXPECT_TRUE(file.has("c"));
    }
}

TEST(OpenTensorFile, takes_a_shard_that_is_the_only_one) {
    const std::string file = safetensors("F32", "[1]", floats({1}));
    EXPECT_TRUE(open_text(file, "model-00001-of-00001.safetensors").has("x"));
}

// At any stage: header or index, shards, archive, conversion, search for NaN.
TEST(OpenTensorFile, stops_wherever_it_is_asked) {
    for (const char* name : {"model.safetensors.index.json", "stored.npz", "deflated.npz"}) {
        int most = 0;
        for (int before = 0;; ++before) {
            std::atomic<int> asked = 0;
            try {
                const TensorFile file =
                    open_tensor_file(name, golden, [&] { return asked++ >= before; });
                for (const auto& [tensor, stored] : file.tensors()) (void)file.values(tensor);
                break;  // it finished before that many checks
            } catch (const Stopped&) {
                most = before;
            }
        }
        EXPECT_GT(most, 6) << name;
    }
}

// A disk that counts the bytes read of its file.
class CountingDisk {
  public:
    explicit CountingDisk(std::string text) : text_(std::move(text)) {}

    FileReader reader() {
        return [this](const std::string&) {
            return File(text_.size(), [this](std::uint64_t begin, std::span<std::byte> into) {
                std::memcpy(into.data(), text_.data() + begin, into.size());
                bytes_read += into.size();
            });
        };
    }
    std::atomic<std::uint64_t> bytes_read = 0;

  private:
    std::string text_;
};

TEST(OpenTensorFile, reads_no_tensor_that_nobody_wants) {
    constexpr std::size_t kCount = 1 << 20;
    const std::string numbers(kCount * sizeof(float), '\0');
    const std::string half = std::to_string(numbers.size()),
                      all = std::to_string(2 * numbers.size());
    const std::string header =
        R"({"a":{"dtype":"F32","shape":[1048576],"data_offsets":[0,)" + half +
        R"(]},"b":{"dtype":"F32","shape":[1048576],"data_offsets":[)" + half + "," + all + "]}}";
    CountingDisk disk(little(header.size(), 8) + header + numbers + numbers);
    const TensorFile file = open_tensor_file("m", disk.reader());
    EXPECT_LT(disk.bytes_read, 2000U);
    EXPECT_EQ(file.matrix("b", 1024, 1024)->view().rows, 1024);
    EXPECT_LT(disk.bytes_read, numbers.size() + 2000);
}

TEST(OpenTensorFile, reads_the_same_from_the_disk_as_from_memory) {
    for (const char* name : {"stored.npz", "deflated.npz", "model-00001-of-00002.safetensors"}) {
        const FileReader from_disk = [](const std::string& path) {
            const FileBytes bytes = golden(path);
            return File(bytes.size(), [bytes](std::uint64_t begin, std::span<std::byte> into) {
                std::memcpy(into.data(), bytes.data() + begin, into.size());
            });
        };
        const TensorFile memory = open_tensor_file(name, golden);
        const TensorFile disk = open_tensor_file(name, from_disk);
        ASSERT_EQ(memory.tensors().size(), disk.tensors().size());
        for (const auto& [tensor, stored] : memory.tensors())
            EXPECT_EQ(memory.values(tensor), disk.values(tensor)) << tensor;
    }
}

TEST(OpenTensorFile, leaves_a_missing_file_to_the_reader) {
    EXPECT_THROW(open_tensor_file("none", disk({})), FileMissing);
}

struct Refused {
    std::string name;
    std::map<std::string, std::string> files;
    std::string says;
};

std::string index_of(const std::string& map) { return R"({"weight_map":)" + map + "}"; }

std::vector<Refused> refused_files() {
    const std::string shard = safetensors("F32", "[1]", floats({1}));
    const std::string page = "\n<!DOCTYPE html><html><title>404</title></html>";
    const std::string deep(100'000, '[');
    return {
        {"Empty", {{"m", ""}}, "found an empty file"},
        {"Text", {{"m", "hello"}}, "found something else"},
        {"WebPage", {{"m", page}}, "a web page, probably from a failed download"},
        {"LfsPointer",
         {{"m", "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 9\n"}},
         "a Git LFS pointer"},
        {"Hdf5", {{"m", "\x89HDF\r\n\x1a\n"}}, "an HDF5 file"},
        {"Picture", {{"m", "\x89PNG\r\n\x1a\n"}}, "a PNG image"},
        {"Config", {{"m", R"({"model_type":"vit"})"}}, "JSON without one"},
        {"DamagedJson", {{"m", "{\"weight_map\":{"}}, "damaged JSON"},
        {"DeepIndex", {{"m", "{\"weight_map\":" + deep}}, "found a deeper one"},
        {"EmptyIndex", {{"m", index_of("{}")}}, "found an empty one"},
        {"IndexOfNumbers", {{"m", index_of(R"({"x":1})")}}, "the name of its file, found number"},
        {"TensorTwice", {{"m", index_of(R"({"x":"a","x":"b"})")}}, "\"x\" twice"},
        {"FolderAbove", {{"m", index_of(R"({"x":"../a"})")}}, "found \"../a\""},
        {"Parent", {{"m", index_of(R"({"x":".."})")}}, "found \"..\""},
        {"OtherFolder",
         {{"m", index_of(R"({"x":"/etc/passwd"})")}},
         "a file in the folder of the index"},
        {"OtherDrive", {{"m", index_of(R"({"x":"c:a"})")}}, "a file in the folder of the index"},
        {"NoName", {{"m", index_of(R"({"x":""})")}}, "a file in the folder of the index"},
        {"NameWithZero",
         {{"m", index_of(R"({"x":"a\u0000b"})")}},
         "a file in the folder of the index"},
        {"ShardMissing",
         {{"m", index_of(R"({"x":"a"})")}},
         "the shard \"a\" next to it, found none"},
        {"ShardIsAPage",
         {{"m", index_of(R"({"x":"a"})")}, {"a", page}},
         "a: expected a checkpoint"},
        {"ShardIsAnIndex", {{"m", index_of(R"({"x":"m"})")}}, "found something else"},
        {"ShardWithoutIt",
         {{"m", index_of(R"({"y":"a"})")}, {"a", shard}},
         "a: expected the tensor \"y\", which the index lists, found none"},
        {"IndexMissing",
         {{"m-00001-of-00002.safetensors", shard}},
         "the other shards' index \"m.safetensors.index.json\" next to it, found none"},
    };
}

class RefusedFile : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedFile, says_what_it_is) {
    const auto& files = GetParam().files;
    const std::string path = files.contains("m") ? "m" : files.begin()->first;
    const std::string error = error_of([&] { return open_tensor_file(path, disk(files)); });
    EXPECT_NE(error.find(": expected "), std::string::npos) << error;
    EXPECT_NE(error.find(GetParam().says), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    EXPECT_LT(error.size(), 300U);
}

INSTANTIATE_TEST_SUITE_P(All, RefusedFile, ::testing::ValuesIn(refused_files()),
                         [](const auto& param) { return param.param.name; });

TEST(OpenTensorFile, says_how_to_convert_a_pickle) {
    const std::string error = error_of([&] { return open_tensor_file("old_pickle.pth", golden); });
    EXPECT_NE(error.find("F, = \"old_pickle.pth\","), std::string::npos) << error;
    EXPECT_NE(error.find("pickle.safetensors\", \"wb\")"), std::string::npos) << error;
    EXPECT_NE(error.find("\nimport torch"), std::string::npos) << error;
}

TEST(OpenTensorFile, quotes_a_name_for_python) {
    const auto open = [] { return open_text("\x80\2}q", "a.d/a\"; evil(\\weights"); };
    EXPECT_NE(error_of(open).find(R"(F, = "a\"; evil(\\weights",)"), std::string::npos);
    EXPECT_NE(error_of(open).find(R"("a\"; evil(\\weights.safetensors", "wb")"), std::string::npos);
}

TEST(TensorFile, shows_aligned_floats_where_they_lie) {
    const std::string data = floats({1, 2, 3, 4});
    // The numbers start at a multiple of 4, or one byte later.
    const std::size_t header = safetensors("F32", "[2,2]", "").size();
    for (const std::size_t shift : {0, 1}) {
        const std::string text = safetensors("F32", "[2,2]", data, 8 - header % 4 + 3 + shift);
        const FileBytes bytes = file_of(text);
        const TensorFile file =
            open_tensor_file("m", [&](const std::string&) -> const FileBytes& { return bytes; });
        const SharedResult matrix = file.matrix("x", 2, 2);
        EXPECT_EQ(matrix_of(matrix), (Matrix(2, 2) << 1, 2, 3, 4).finished());
        const auto* first = reinterpret_cast<const std::byte*>(matrix->view().data);
        const bool inside = first >= bytes.data() && first < bytes.data() + bytes.size();
        const bool aligned = (text.size() - data.size()) % 4 == 0;
        EXPECT_EQ(inside, aligned);
    }
}

TEST(TensorFile, keeps_the_file_for_its_matrices) {
    SharedResult matrix;
    {
        std::string text = safetensors("F32", "[1,3]", floats({1, 2, 3}));
        matrix = open_text(text).matrix("x", 1, 3);
    }
    EXPECT_EQ(matrix_of(matrix), (Matrix(1, 3) << 1, 2, 3).finished());
}

TEST(TensorFile, gives_any_rank_as_a_matrix) {
    const TensorFile file = open_text(safetensors("F32", "[2,1,3]", floats({1, 2, 3, 4, 5, 6})));
    EXPECT_EQ(matrix_of(file.matrix("x", 3, 2)), (Matrix(3, 2) << 1, 2, 3, 4, 5, 6).finished());
    EXPECT_EQ(file.matrix("x", 1, 6)->view().cols, 6);
}

TEST(TensorFile, puts_columns_into_rows) {
    const TensorFile file = open_tensor_file("stored.npz", golden);
    const Matrix rows = matrix_of(file.matrix("block/float", 6, 4));
    EXPECT_EQ(matrix_of(file.matrix("block/columns", 6, 4)), rows);
    EXPECT_EQ(file.values("block/columns"), file.values("block/float"));
}

TEST(TensorFile, refuses_what_is_not_there_or_of_another_size) {
    const TensorFile file = open_text(safetensors("F16", "[2,3]", std::string(12, '\0')));
    EXPECT_EQ(error_of([&] { return file.matrix("y", 2, 3); }),
              "file: expected a tensor \"y\", found none.");
    EXPECT_EQ(error_of([&] { return file.values("y"); }),
              "file: expected a tensor \"y\", found none.");
    EXPECT_EQ(error_of([&] { return file.matrix("x", 2, 4); }),
              "file: tensor \"x\": expected the numbers of a matrix [2, 4], found [2, 3].");
    EXPECT_EQ(error_of([&] { return file.matrix("x", -2, -3); }),
              "file: tensor \"x\": expected the numbers of a matrix [-2, -3], found [2, 3].");
}

TEST(TensorFile, names_the_first_number_that_is_none) {
    const float inf = std::numeric_limits<float>::infinity();
    // Long enough for several blocks of the search.
    std::vector<float> numbers(300'000, 1);
    numbers[299'999] = std::nanf("");
    numbers[200'003] = -inf;
    const TensorFile file = open_text(safetensors("F32", "[3,100000]", floats(numbers)));
    const std::string expected =
        "file: tensor \"x\": expected finite numbers, found -inf at [2, 3].";
    EXPECT_EQ(error_of([&] { return file.matrix("x", 3, 100'000); }), expected);
    EXPECT_EQ(error_of([&] { return file.values("x"); }), expected);
}

TEST(TensorFile, finds_what_is_no_number_in_every_type) {
    const std::string half = little(0x7E00, 2), brain = little(0xFF80, 2);
    const std::string large = little(0x7FE0000000000000, 8);  // 2^1023: beyond float
    for (const auto& [type, data] : {std::pair("F16", half), {"BF16", brain}, {"F64", large}}) {
        const TensorFile file = open_text(safetensors(type, "[1]", data));
        EXPECT_NE(error_of([&] { return file.matrix("x", 1, 1); }).find("at [0]"),
                  std::string::npos)
            << type;
    }
}

}  // namespace
}  // namespace headlight::tensor_file_test
