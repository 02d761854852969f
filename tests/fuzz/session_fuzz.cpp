#include "fuzz.h"
#include "state/session.h"

// A session that somebody, or a disk, has changed: read whole or refused; what was read comes back
// from what is written of it.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace headlight;
    fuzz::read_or_refuse<SessionError>([&] {
        const State state = from_json({reinterpret_cast<const char*>(data), size}, "session");
        fuzz::promise(from_json(to_json(state), "session") == state, "the same session again");
    });
    return 0;
}
