#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <string>

#include "checkpoint/layer_file.h"
#include "checkpoint/safetensors.h"

// Damages good files in many ways and reads them: either they are read, or CheckpointError says in
// one line why not. Anything else (another exception, a crash, a report of a sanitizer) is a bug.
//
//   safetensors_fuzz [seed] [count]
namespace {

using namespace headlight;
using Random = std::mt19937_64;

std::string file_of(const std::string& header, std::size_t data_bytes) {
    const std::uint64_t length = header.size();
    std::string file(sizeof length, '\0');
    std::memcpy(file.data(), &length, sizeof length);
    return file + header + std::string(data_bytes, '\x3c');
}

// Between them they hold all types and all that the format allows.
std::array<std::string, 3> good_files() {
    return {
        file_of(R"({"qkv.weight":{"dtype":"F32","shape":[6,3],"data_offsets":[0,72]},)"
                R"("proj.weight":{"dtype":"F16","shape":[2,2],"data_offsets":[72,80]},)"
                R"("proj.bias":{"dtype":"BF16","shape":[2],"data_offsets":[80,84]}})",
                84),
        file_of(R"({"__metadata__":{"format":"pt"},)"
                R"("a.in_proj_weight":{"dtype":"F64","shape":[3,1],"data_offsets":[0,24]},)"
                R"("a.out_proj.weight":{"dtype":"I64","shape":[1,1],"data_offsets":[24,32]}}  )",
                32),
        file_of(R"({"mask":{"dtype":"BOOL","shape":[2,2],"data_offsets":[0,4]},)"
                R"("i":{"dtype":"I32","shape":[],"data_offsets":[4,8]},)"
                R"("j":{"dtype":"I16","shape":[1,2],"data_offsets":[8,12]},)"
                R"("k":{"dtype":"I8","shape":[3],"data_offsets":[12,15]},)"
                R"("u":{"dtype":"U8","shape":[1],"data_offsets":[15,16]},)"
                R"("none":{"dtype":"F32","shape":[0,9],"data_offsets":[16,16]}})",
                16)};
}

std::size_t below(Random& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

// Pieces that mean something to a reader of headers, among them numbers at the edges of types.
const std::string& token(Random& random) {
    static const std::array<std::string, 24> tokens{"{",
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
    return tokens[below(random, tokens.size())];
}

// Puts a number where a number stands, so that the header stays JSON and the checks behind it are
// reached.
void change_number(std::string& file, Random& random) {
    const std::size_t from = file.find_first_of("0123456789", below(random, file.size()));
    if (from == std::string::npos) return;
    const std::size_t to = file.find_first_not_of("0123456789", from);
    file.replace(from, (to == std::string::npos ? file.size() : to) - from,
                 std::to_string(random() >> below(random, 64)));
}

// The length of the header as it is now; otherwise most damage would be noticed by the length.
void mend_length(std::string& file) {
    const std::size_t end = file.rfind('}');
    if (file.size() < 9 || end == std::string::npos || end < 8) return;
    const std::uint64_t length = end - 7;
    std::memcpy(file.data(), &length, sizeof length);
}

void damage(std::string& file, Random& random) {
    const std::size_t at = below(random, file.size());
    switch (random() % 7) {
        case 0:
            if (!file.empty()) file[at] = static_cast<char>(random());
            break;
        case 1:
            file.insert(at, token(random));
            break;
        case 2:
            file.erase(at, below(random, 16));
            break;
        case 3:
            file.resize(at);
            break;
        case 4:
            file.insert(at, file.substr(below(random, file.size()), below(random, 64)));
            break;
        case 5:
            change_number(file, random);
            break;
        default:
            file.append(below(random, 40), '\0');
    }
}

// False where something happened that must not.
bool survives(const std::string& file) {
    try {
        const TensorMap tensors = read_safetensors(std::as_bytes(std::span(file)), "file");
        std::size_t bytes = 0;
        for (const auto& [name, tensor] : tensors) bytes += tensor.values.size();
        if (bytes > file.size()) return false;  // every value needs a byte of the file
        (void)read_layer(tensors, "file");
    } catch (const CheckpointError& error) {
        return std::string(error.what()).starts_with("file: ");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "unexpected: %s\n", error.what());
        return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20'000;
    const auto files = good_files();
    for (const std::string& file : files)
        if (!survives(file)) return EXIT_FAILURE;
    for (std::uint64_t i = 0; i < count; ++i) {
        Random random(seed * 1'000'003 + i);
        std::string file = files[below(random, files.size())];
        for (std::uint64_t times = 1 + below(random, 4); times > 0; --times) damage(file, random);
        if (random() % 4 != 0) mend_length(file);
        if (survives(file)) continue;
        std::fprintf(stderr, "seed %llu, file %llu of the round\n",
                     static_cast<unsigned long long>(seed), static_cast<unsigned long long>(i));
        return EXIT_FAILURE;
    }
    std::printf("%llu damaged files survived\n", static_cast<unsigned long long>(count));
    return EXIT_SUCCESS;
}
