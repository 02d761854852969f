#pragma once

#include <string>
#include <string_view>

#include "state/session.h"
#include "state/state.h"

namespace headlight::app {

// A whole state as text for a page's address (#s=…): the session's JSON, compressed with deflate
// (RFC 1951) and encoded as base64url (RFC 4648, without padding). About 1,500 characters.
//
// A link reveals nothing about the user's files: only names below the assets folder and names of
// models on the Hub are kept. The baseline and the lists of recent files are left out.
std::string link_text(const State& state);

// The state of a link, with the user's own settings, lists and lessons. Links are untrusted: every
// value is validated as in a session, at most one megabyte is decompressed, and only files of the
// assets folder and models in the Hub's cache are accepted. A model that is missing there has its
// repository's folder as its file. Throws SessionError with a sentence, also for other files.
State state_of_link(std::string_view text, const State& own);

}  // namespace headlight::app
