#include "fuzz.h"
#include "state/session.h"

// A modified or damaged session is read completely or refused; what was read is unchanged after
// writing and reading again.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace headlight;
    fuzz::read_or_refuse<SessionError>([&] {
        const State state = from_json({reinterpret_cast<const char*>(data), size}, "session");
        fuzz::promise(from_json(to_json(state), "session") == state, "the same session again");
    });
    return 0;
}
