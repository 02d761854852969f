#pragma once

#include <string>
#include <string_view>

#include "state/session.h"
#include "state/state.h"

namespace headlight::platform {

// A whole state as text for the address of a page (#s=…): the session's JSON, deflated (RFC 1951),
// in the letters of base64url (RFC 4648, without padding). About 1,500 letters.
//
// A link says nothing of the person's files: only names below the assets folder are kept, and what
// the experiment before and the lists of recent files hold is left out.
std::string link_text(const State& state);

// The state of a link, with a person's own look, lists and lessons. Links come from anywhere: every
// value passes the checks of a session, at most a megabyte is inflated, and only files of the
// assets folder are named. Throws SessionError with a sentence.
State state_of_link(std::string_view text, const State& own);

}  // namespace headlight::platform
