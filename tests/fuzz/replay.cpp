// Runs a target on its corpus and on mutated copies of it, the same on every machine. It does in
// seconds
// and without clang what libFuzzer does endlessly. `./dev check asan` runs it with the sanitizers.
//
//     NAME_replay ROUNDS FILE_OR_FOLDER...     ROUNDS mutated copies of each file
//
// An input that violates a guarantee or crashes is written to NAME_replay.crash. To run it alone,
// give it
// as FILE with 0 rounds.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
// A broken promise aborts; AddressSanitizer then reports it like its own findings.
// NOLINTNEXTLINE(bugprone-reserved-identifier): AddressSanitizer's name for it
extern "C" const char* __asan_default_options() { return "handle_abort=1"; }
#endif
extern "C" [[gnu::weak]] std::size_t LLVMFuzzerCustomMutator(std::uint8_t*, std::size_t,
                                                             std::size_t, unsigned);

namespace {

namespace fs = std::filesystem;
using Input = std::string;

// splitmix64, because the standard library's distributions differ between libraries.
class Chance {
  public:
    void seed(std::uint64_t state) { state_ = state; }
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31);
    }
    std::size_t below(std::size_t end) { return end == 0 ? 0 : next() % end; }

  private:
    std::uint64_t state_ = 0;
};

Chance chance;
const Input* current = nullptr;  // for the crash file
std::string crash_file;

// Tokens with a meaning in headers, including numbers at the limits of types.
constexpr std::array<std::string_view, 24> kTokens{"{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   ",",
                                                   ":",
                                                   "\"",
                                                   "\\u0000",
                                                   "0",
                                                   "-1",
                                                   "1e99",
                                                   "null",
                                                   "2147483648",
                                                   "4294967296",
                                                   "4611686018427387904",
                                                   "9223372036854775807",
                                                   "18446744073709551615",
                                                   "99999999999999999999",
                                                   "\"F64\"",
                                                   "\"shape\"",
                                                   "\"data_offsets\":[0,4]",
                                                   "\"__metadata__\":",
                                                   "[[[[[[[[[[[[[[[[",
                                                   "{\"x\":{\"x\":{\"x\":"};

// Replaces a number in the text by another, so that checks after the syntax are reached.
void change_number(Input& input) {
    constexpr const char* kDigits = "0123456789";
    const std::size_t from = input.find_first_of(kDigits, chance.below(input.size()));
    if (from == Input::npos) return;
    const std::size_t to = std::min(input.find_first_not_of(kDigits, from), input.size());
    input.replace(from, to - from, std::to_string(chance.next() >> chance.below(64)));
}

// Values at the limits of a field find more errors than arbitrary ones.
void fill_with_edges(Input& input, std::size_t at) {
    constexpr std::array<unsigned char, 6> kEdges{0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF};
    const std::size_t count = std::min<std::size_t>(1 + chance.below(8), input.size() - at);
    input.replace(at, count, count, static_cast<char>(kEdges[chance.below(kEdges.size())]));
}

void damage(Input& input) {
    const std::size_t at = chance.below(input.size());
    if (input.empty()) return input.push_back('\0');
    switch (chance.below(9)) {
        case 0:
            input[at] = static_cast<char>(input[at] ^ (1 << chance.below(8)));
            break;
        case 1:
            input[at] = static_cast<char>(chance.next());
            break;
        case 2:
            fill_with_edges(input, at);
            break;
        case 3:
            input.erase(at, 1 + chance.below(16));
            break;
        case 4:
            input.insert(at, input.substr(chance.below(input.size()), 1 + chance.below(64)));
            break;
        case 5:
            input.resize(at);
            break;
        case 6:
            input.insert(at, kTokens[chance.below(kTokens.size())]);
            break;
        case 7:
            change_number(input);
            break;
        default:
            input.append(chance.below(40), '\0');
            break;
    }
}

Input damaged(const Input& original) {
    constexpr std::size_t kRoom = 4096;  // for growth
    Input input = original;
    for (std::size_t times = 1 + chance.below(4); times > 0; --times) {
        const std::size_t size = input.size();
        input.resize(size + kRoom);
        auto* data = reinterpret_cast<std::uint8_t*>(input.data());
        const auto seed = static_cast<unsigned>(chance.next());
        const auto mutate = LLVMFuzzerCustomMutator;
        input.resize(mutate != nullptr ? mutate(data, size, input.size(), seed)
                                       : LLVMFuzzerMutate(data, size, input.size()));
    }
    return input;
}

void run(const Input& input) {
    current = &input;
    // Memory of exactly this size, so that AddressSanitizer detects reading one byte too far.
    const std::vector<std::uint8_t> bytes(input.begin(), input.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    current = nullptr;
}

void save_crash() {
    if (current == nullptr) return;
    std::ofstream(crash_file, std::ios::binary) << *current;
    std::fprintf(stderr, "The input is in %s\n", fs::absolute(crash_file).c_str());
}

// Without sanitizers, a crash is a signal.
[[maybe_unused]] void save_crash_and_end(int signal) {
    std::signal(signal, SIG_DFL);
    save_crash();
    std::raise(signal);
}

void watch_for_crashes() {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_set_death_callback(save_crash);
#else
    for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL})
        std::signal(signal, save_crash_and_end);
#endif
}

Input read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Input> read_corpus(int count, char** paths) {
    std::vector<fs::path> files;
    for (const fs::path path : std::vector<std::string>(paths, paths + count)) {
        if (fs::is_directory(path))
            std::ranges::copy_if(fs::recursive_directory_iterator(path), std::back_inserter(files),
                                 [](const auto& entry) { return entry.is_regular_file(); });
        else
            files.push_back(path);
    }
    std::ranges::sort(files);  // directory order differs between machines
    std::vector<Input> corpus;
    corpus.reserve(files.size());
    for (const fs::path& file : files) corpus.push_back(read(file));
    return corpus;
}

}  // namespace

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size) {
    Input input(reinterpret_cast<const char*>(data), size);
    damage(input);
    const std::size_t length = std::min(input.size(), max_size);
    std::copy_n(input.begin(), length, data);
    return length;
}

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: %s ROUNDS FILE_OR_FOLDER...\n", argv[0]);
        return EXIT_FAILURE;
    }
    crash_file = fs::path(argv[0]).filename().string() + ".crash";
    watch_for_crashes();
    const std::uint64_t rounds = std::strtoull(argv[1], nullptr, 10);
    const std::vector<Input> corpus = read_corpus(argc - 2, argv + 2);
    for (const Input& input : corpus) run(input);
    for (std::uint64_t round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < corpus.size(); ++i) {
            chance.seed(round * 1'000'003 + i);
            run(damaged(corpus[i]));
        }
    std::printf("%zu files and %llu damaged copies of each\n", corpus.size(),
                static_cast<unsigned long long>(rounds));
    return corpus.empty() ? EXIT_FAILURE : EXIT_SUCCESS;
}
