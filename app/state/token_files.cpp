#include "state/token_files.h"

#include <filesystem>

#include "disk/names.h"
#include "files/shards.h"
#include "kernels/counted.h"
#include "state/command.h"
#include "tokens/vector_set.h"

namespace headlight {

namespace {

// An archive must be read completely to see its content; larger ones are models.
constexpr std::uint64_t kMostOfArchive = 16ULL << 20U;

bool may_hold_tokens(const std::string& path, const FileReader& read_file) {
    const std::string ending = std::filesystem::path(path).extension().string();
    if (ending != ".npy" && ending != ".npz" && ending != ".safetensors") return false;
    if (index_of_shard(path)) return false;
    return ending != ".npz" || read_file(path).size() <= kMostOfArchive;
}

}  // namespace

std::optional<TokenFile> tokens_at(const std::string& path, const FileReader& read_file) {
    try {
        if (!may_hold_tokens(path, read_file)) return {};
        return tokens_in(open_tensor_file(path, read_file));
    } catch (const TokenError& error) {
        throw CommandError(error.what());
    } catch (const std::exception&) {
        return {};
    }
}

TokenFile only_tokens_at(const std::string& path, const FileReader& read_file) {
    try {
        return tokens_of(open_tensor_file(path, read_file));
    } catch (const std::exception& error) {
        throw CommandError(error.what());
    }
}

std::string said_of(const TokenFile& tokens) {
    const auto& shape = tokens.shape;
    const std::string name = std::filesystem::path(tokens.file).filename().string();
    if (tokens.named || tokens.batch) return "";
    // Three points with three coordinates are common; attention maps of so few tokens are not.
    if (shape.size() == 2 && shape[0] == shape[1] && shape[0] > 3)
        return name + ": read as " + counted(shape[0], "token") + " of " +
               counted(shape[1], "number") +
               ". If it is an attention map, open it as a model: choose “Find a command…” in the "
               "menu and type open-model.";
    if (shape.size() != 3) return "";
    return name + ": read as a feature map of " + std::to_string(shape[0]) + " × " +
           std::to_string(shape[1]) + " cells with " + counted(shape[2], "number") +
           " each. “batch” on the left reads it as " + counted(shape[0], "sample") + " of " +
           counted(shape[1], "token") + ".";
}

}  // namespace headlight
