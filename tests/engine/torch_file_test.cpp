#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include "files/open_checkpoint.h"
#include "files/safetensors.h"
#include "kernels/stop.h"
#include "tests/source_path.h"
#include "zip_file.h"

// PyTorch checkpoints: those written by PyTorch (tests/golden/make_pickles.py), and malicious ones.
namespace headlight {
namespace {

using testing::deflated;
using testing::little;
using testing::Member;
using testing::zip_of;

std::string pickle(const std::string& name) {
    std::ifstream file(source_path("tests/golden/pickles/") + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

FileBytes held(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return Bytes(bytes.begin(), bytes.end());
}

// A file that is read in parts, counting the bytes read.
File on_disk(const std::string& text, std::uint64_t& read) {
    return {text.size(), [&text, &read](std::uint64_t begin, std::span<std::byte> into) {
                read += into.size();
                std::memcpy(into.data(), text.data() + begin, into.size());
            }};
}

OpenedCheckpoint opened(const std::string& text, const std::optional<std::string>& part = {}) {
    return open_checkpoint(
        "file.pth", [&](const std::string&) { return held(text); }, part);
}

std::string error_of(const std::string& text, const std::optional<std::string>& part = {}) {
    try {
        const OpenedCheckpoint checkpoint = opened(text, part);
        for (const auto& [name, tensor] : checkpoint.file.tensors())
            (void)checkpoint.file.values(name);
    } catch (const CheckpointError& error) {
        return error.what();
    }
    return "no error";
}

class TorchFile : public ::testing::TestWithParam<const char*> {};

TEST_P(TorchFile, gives_the_numbers_that_pytorch_gives) {
    const std::string name = GetParam(), text = pickle(name + ".pth");
    ASSERT_FALSE(text.empty());
    const std::string expected_text = pickle("expected.safetensors");
    const TensorMap expected =
        read_safetensors(std::as_bytes(std::span(expected_text)), "expected.safetensors");
    std::uint64_t read = 0;
    const std::string path = name + ".pth";
    for (const File& file : {File(held(text)), on_disk(text, read)}) {
        const OpenedCheckpoint checkpoint =
            open_checkpoint(path, [&](const std::string&) { return file; }, {});
        std::size_t found = 0;
        for (auto at = expected.lower_bound(name + "/");
             at != expected.end() && at->first.starts_with(name + "/"); ++at, ++found) {
            const std::string tensor = at->first.substr(name.size() + 1);
            ASSERT_TRUE(checkpoint.file.has(tensor)) << tensor;
            EXPECT_EQ(checkpoint.file.find(tensor)->shape, at->second.shape) << tensor;
            EXPECT_EQ(checkpoint.file.values(tensor), at->second.values) << tensor;
        }
        EXPECT_GT(found, 0U);
        EXPECT_EQ(checkpoint.file.tensors().size(), found);
    }
}

INSTANTIATE_TEST_SUITE_P(Golden, TorchFile,
                         ::testing::Values("plain", "views", "types", "training", "deflated",
                                           "module_ema", "ema_list", "ema_in_part", "teacher",
                                           "head_beside", "mmengine", "lightning", "parameters",
                                           "notes", "in_a_list", "alone"));

TEST(TorchFiles, keep_their_types) {
    const OpenedCheckpoint types = opened(pickle("types.pth"));
    const std::map<std::string, std::string> expected{
        {"float64", "F64"}, {"float32", "F32"}, {"float16", "F16"}, {"bfloat16", "BF16"},
        {"int64", "I64"},   {"int32", "I32"},   {"int16", "I16"},   {"int8", "I8"},
        {"uint8", "U8"},    {"bool", "BOOL"}};
    for (const auto& [name, type] : expected) EXPECT_EQ(types.file.find(name)->type, type);
}

TEST(TorchFiles, list_their_parts_and_give_the_one_that_is_asked_for) {
    const std::string training = pickle("training.pth");
    const OpenedCheckpoint usual = opened(training), other = opened(training, "state_dict");
    ASSERT_EQ(usual.parts.all.size(), 2U);
    EXPECT_EQ(usual.parts.all[usual.parts.chosen].name, "state_dict_ema");
    EXPECT_NE(usual.parts.all[0].look.find("cls_token"), std::string::npos);
    EXPECT_EQ(other.parts.all[other.parts.chosen].name, "state_dict");
    EXPECT_NE(usual.file.values("norm.bias"), other.file.values("norm.bias"));
    const std::string teacher = pickle("teacher.pth");
    EXPECT_EQ(opened(teacher, "student").file.values("backbone.norm.bias"),
              other.file.values("norm.bias"));
    EXPECT_EQ(opened(teacher, "student.backbone").inside, "backbone");
    EXPECT_EQ(opened(teacher, "backbone").inside, "backbone");
    EXPECT_EQ(opened(pickle("ema_in_part.pth"), "model").parts.chosen, 0U);
    EXPECT_NE(error_of(training, "nothing").find("\"state_dict\", \"state_dict_ema\""),
              std::string::npos);
    EXPECT_EQ(error_of(pickle("refused/module_as_ema.pth"), "model"), "no error");
}

TEST(TorchFiles, say_why_they_are_refused) {
    const std::map<std::string, std::string> says{
        {"module", "pickled module"}, {"module_as_ema", "as \"ema\""}, {"sparse", "proj.weight"},
        {"complex", "ComplexFloat"},  {"quantized", "quantized"},      {"no_weights", "weights"},
        {"script", "torch.jit.load("}};
    for (const auto& [name, words] : says) {
        const std::string error = error_of(pickle("refused/" + name + ".pth"));
        EXPECT_NE(error.find(words), std::string::npos) << name << ": " << error;
    }
    EXPECT_NE(error_of(pickle("refused/module.pth")).find("\nimport torch"), std::string::npos);
}

TEST(TorchFiles, on_the_disk_are_read_where_they_are_asked_for) {
    std::uint64_t read = 0;
    const std::string text = pickle("plain.pth");
    const File file = on_disk(text, read);
    const OpenedCheckpoint plain =
        open_checkpoint("plain.pth", [&](const std::string&) { return file; }, {});
    const std::uint64_t before = read;
    (void)plain.file.values("norm.bias");
    EXPECT_EQ(read - before, 4 * sizeof(float));
}

TEST(TorchFiles, stop) {
    const auto stop = [] { return true; };
    EXPECT_THROW(
        (void)open_checkpoint(
            "file", [](const std::string&) { return held(pickle("plain.pth")); }, {}, stop),
        Stopped);
}

// ---- malicious files

std::string text_of(const std::string& word) { return "X" + little(word.size(), 4) + word; }
std::string number(std::int64_t value) {
    return "\x8a\x08" + little(static_cast<std::uint64_t>(value), 8);
}
std::string tuple(const std::vector<std::string>& items) {
    std::string all = "(";
    for (const std::string& item : items) all += item;
    return all + "t";
}
std::string sizes(const std::vector<std::int64_t>& numbers) {
    std::vector<std::string> items;
    for (const std::int64_t each : numbers) items.push_back(number(each));
    return tuple(items);
}

struct Lie {
    std::int64_t numbers = 4, offset = 0;
    std::vector<std::int64_t> shape{2, 2}, steps{2, 1};
    std::string key = "0", type = "ctorch\nFloatStorage\n";
};
std::string tensor_of(const Lie& lie) {
    const std::string storage = tuple(
        {text_of("storage"), lie.type, text_of(lie.key), text_of("cpu"), number(lie.numbers)});
    return "ctorch._utils\n_rebuild_tensor_v2\n" +
           tuple({storage + "Q", number(lie.offset), sizes(lie.shape), sizes(lie.steps), "\x89",
                  "ccollections\nOrderedDict\n)R"}) +
           "R";
}
// Four numbers: 1, 2, 3, 4.
std::string storage_bytes() {
    const float numbers[] = {1, 2, 3, 4};
    return {reinterpret_cast<const char*>(numbers), sizeof numbers};
}
std::string archive_of(const std::string& pickle) {
    return zip_of({{"a/data.pkl", pickle}, {"a/data/0", storage_bytes()}});
}
std::string with_tensor(const Lie& lie) {
    return archive_of("\x80\x02}" + text_of("w") + tensor_of(lie) + "s.");
}

TEST(HostileTorchFile, the_honest_one_is_read) {
    EXPECT_EQ(opened(with_tensor({})).file.values("w"), (std::vector<float>{1, 2, 3, 4}));
    const Lie turned{.shape = {2, 2}, .steps = {1, 2}};
    EXPECT_EQ(opened(with_tensor(turned)).file.values("w"), (std::vector<float>{1, 3, 2, 4}));
    const Lie repeated{.offset = 2, .shape = {3, 2}, .steps = {0, 1}};
    EXPECT_EQ(opened(with_tensor(repeated)).file.values("w"),
              (std::vector<float>{3, 4, 3, 4, 3, 4}));
    const Lie typed{
        .numbers = 2, .shape = {2, 1}, .steps = {1, 1}, .type = "ctorch\nLongStorage\n"};
    EXPECT_EQ(opened(with_tensor(typed)).file.values("w").size(), 2U);
}

TEST(HostileTorchFile, tensors_must_lie_within_their_storage) {
    constexpr std::int64_t kLarge = std::int64_t{1} << 62U;
    const std::map<std::string, Lie> lies{
        {"offset", {.offset = 1}},
        {"negative_offset", {.offset = -1}},
        {"large_offset", {.offset = kLarge}},
        {"step", {.steps = {3, 1}}},
        {"negative_step", {.steps = {-2, 1}}},
        {"large_step", {.steps = {kLarge, 1}}},
        {"shape", {.shape = {3, 2}}},
        {"negative_shape", {.shape = {-2, 2}}},
        {"large_shape", {.shape = {kLarge, kLarge}}},
        {"repeated_without_end", {.shape = {kLarge, 2}, .steps = {0, 1}}},
        {"repeated_too_often", {.shape = {std::int64_t{1} << 30U, 2}, .steps = {0, 1}}},
        {"ranks", {.shape = {2, 2}, .steps = {1}}},
        {"too_many_ranks",
         {.shape = std::vector<std::int64_t>(65, 1), .steps = std::vector<std::int64_t>(65, 1)}},
        {"large_storage", {.numbers = 5}},
        {"larger_storage", {.numbers = kLarge}},
        {"negative_storage", {.numbers = -4}},
        {"no_storage", {.key = "1"}},
        {"storage_elsewhere", {.key = "../data.pkl"}},
        {"type", {.type = "ctorch\nQInt8Storage\n"}},
        {"no_type", {.type = "N"}}};
    for (const auto& [name, lie] : lies) {
        const std::string error = error_of(with_tensor(lie));
        EXPECT_NE(error.find("tensor \"w\""), std::string::npos) << name << ": " << error;
        EXPECT_LT(error.size(), 300U) << name;
    }
    const Lie empty{.shape = {0, kLarge}, .steps = {kLarge, 1}};
    EXPECT_EQ(opened(with_tensor(empty)).file.values("w").size(), 0U);
}

TEST(HostileTorchFile, pickles_that_break_the_machine_are_refused) {
    const std::map<std::string, std::string> pickles{
        {"nothing", ""},
        {"no_end", "\x80\x02}"},
        {"nothing_to_give", "\x80\x02."},
        {"protocol", "\x80\x09}."},
        {"unknown_opcode", "\x80\x02\xff."},
        {"old_opcode", "\x80\x02I1\n."},
        {"next_buffer", "\x80\x05\x97."},
        {"extension", "\x80\x02\x82\x01."},
        {"no_mark", "\x80\x02t."},
        {"below_the_mark", "\x80\x02}(s."},
        {"pop_nothing",
         "\x80\x02"
         "0."},
        {"memo", "\x80\x02h\x05."},
        {"odd_items", "\x80\x02}(X\x01" + std::string(3, '\0') + "au."},
        {"item_of_a_number", "\x80\x02K\x01K\x01K\x01s."},
        {"append_to_a_number",
         "\x80\x02K\x01K\x01"
         "a."},
        {"long_text",
         "\x80\x02X\xff\xff\xff\xff"
         "abc."},
        {"longer_text", "\x80\x04\x8d" + std::string(8, '\xff') + "."},
        {"class_without_end",
         "\x80\x02"
         "cposix"},
        {"class_of_numbers", "\x80\x04K\x01K\x02\x93."}};
    for (const auto& [name, pickle] : pickles) {
        const std::string error = error_of(archive_of(pickle));
        EXPECT_NE(error.find("pickle"), std::string::npos) << name << ": " << error;
        EXPECT_LT(error.size(), 300U) << name;
    }
}

TEST(HostileTorchFile, nothing_is_called) {
    const std::string evil = "cposix\nsystem\n" + tuple({text_of("touch ran")}) + "R";
    const std::string pickle = "\x80\x02}(" + text_of("model") + "}" + text_of("w") +
                               tensor_of({}) + "s" + text_of("x") + evil + "u.";
    EXPECT_EQ(opened(archive_of(pickle)).file.tensors().size(), 1U);
    EXPECT_FALSE(std::ifstream("ran").good());
    EXPECT_NE(error_of(archive_of("\x80\x02" + evil + ".")).find("weights"), std::string::npos);
}

TEST(HostileTorchFile, what_contains_itself_or_much_of_the_same_ends) {
    // d = {}; d["d"] = d
    const std::string circle = "\x80\x02}q\x01" + text_of("d") + "h\x01s.";
    EXPECT_NE(error_of(archive_of(circle)).find("weights"), std::string::npos);
    // A list of ten references to the one below, sixty levels deep.
    std::string laughs = "\x80\x02]q" + std::string(1, '\0');
    for (int level = 0; level < 60; ++level) {
        const char place = static_cast<char>(level);
        laughs += "(";
        for (int i = 0; i < 10; ++i) laughs += std::string("h") + place;
        laughs += std::string("tq") + static_cast<char>(place + 1);
    }
    EXPECT_NE(error_of(archive_of(laughs + ".")).find("expected"), std::string::npos);
    // A list of 30,000 references to a list of 30,000 references to the same list.
    std::string wide = "\x80\x02]q" + std::string(1, '\0') + "]q\x01(";
    for (int i = 0; i < 30000; ++i) wide += std::string("h") + '\0';
    wide += "e]q\x02(";
    for (int i = 0; i < 30000; ++i) wide += "h\x01";
    EXPECT_NE(error_of(archive_of(wide + "e.")).find("at most"), std::string::npos);
}

TEST(HostileTorchFile, deep_ones_need_no_stack) {
    std::string deep = "\x80\x02";
    for (int i = 0; i < 1'000'000; ++i) deep += "]";
    for (int i = 1; i < 1'000'000; ++i) deep += "a";
    EXPECT_NE(error_of(archive_of(deep + ".")).find("weights"), std::string::npos);
}

TEST(HostileTorchFile, endless_ones_are_bounded) {
    for (const char* opcode : {"N", "(", "]", "}"}) {
        std::string pickle = "\x80\x02";
        for (int i = 0; i < 5'000'000; ++i) pickle += opcode;
        EXPECT_NE(error_of(archive_of(pickle + ".")).find("at most"), std::string::npos) << opcode;
    }
}

TEST(HostileTorchFile, archives_are_checked) {
    const std::string pickle = "\x80\x02}" + text_of("w") + tensor_of({}) + "s.";
    const auto error = [](const std::vector<Member>& members) { return error_of(zip_of(members)); };
    const Member data{"a/data.pkl", pickle}, storage{"a/data/0", storage_bytes()};
    EXPECT_EQ(error({data, storage}), "no error");
    EXPECT_EQ(error({{"data.pkl", pickle}, {"data/0", storage_bytes()}}), "no error");
    EXPECT_EQ(error({data, storage, {"a/byteorder", "little"}}), "no error");
    EXPECT_NE(error({data, storage, {"a/byteorder", "big"}}).find("little-endian"),
              std::string::npos);
    // torch.save may omit checksums.
    Member unchecked = storage;
    unchecked.checksum = 1;
    EXPECT_EQ(error({data, unchecked}), "no error");
    Member packed{"a/data/0", deflated(storage_bytes()), 8};
    packed.size = 16;
    EXPECT_EQ(error({data, packed}), "no error");
    packed.data[0] = '\7';
    EXPECT_NE(error({data, packed}).find("damaged"), std::string::npos);
    const std::string whole = zip_of({data, storage});
    for (std::size_t size = 0; size < whole.size(); size += 7)
        EXPECT_NE(error_of(whole.substr(0, size)), "no error") << size;
}

TEST(HostileTorchFile, every_damaged_byte_is_read_or_refused) {
    const std::string whole = pickle("training.pth");
    for (std::size_t at = 0; at < 3000 && at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        (void)error_of(damaged);
    }
}

}  // namespace
}  // namespace headlight
