#include "fuzz.h"
#include "tokens/token_file.h"
#include "tokens/vector_set.h"

// A file of tokens opened instead of a picture: which tokens it has, and their numbers.
using namespace headlight;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = fuzz::bytes_of(data, size);
    const FileBytes input = Bytes(bytes.begin(), bytes.end());
    const FileReader read = [&](const std::string& name) -> File {
        if (name != "file") throw FileMissing(name);
        return input;
    };
    fuzz::read_or_refuse([&] {
        fuzz::read_or_refuse<TokenError>([&] {
            const TensorFile file = open_tensor_file("file", read);
            const auto tokens = tokens_in(file);
            if (!tokens) return;
            const TokenArray array = tokens->array();
            const Matrix rows = rows_of(*tokens, file);
            fuzz::promise(rows.rows() == array.rows && rows.cols() == array.width,
                          "as many rows and columns as the shape says");
            if (!tokens->is_cross()) return;
            const Matrix queries = rows_of(*tokens, file, TokenPart::queries);
            fuzz::promise(queries.rows() == tokens->queries().rows &&
                              queries.cols() == tokens->queries().width,
                          "as many queries as the shape says");
        });
    });
    return 0;
}
