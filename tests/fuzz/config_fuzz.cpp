#include "model/config.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    headlight::fuzz::read_or_refuse(
        [&] { (void)headlight::parse_config(headlight::fuzz::bytes_of(data, size), "file"); });
    return 0;
}
