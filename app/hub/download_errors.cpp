#include "hub/download_errors.h"

#include "hub/error.h"

namespace headlight::hub {

namespace {

std::string named(const Subject& subject) { return subject.name.repository + ", " + subject.path; }

}  // namespace

bool may_pass(const Response& response) {
    const bool passes = response.status == 403 || response.status == 408 ||
                        response.status == 416 || response.status >= 500;
    return passes && response.header("x-error-code").empty();
}

std::string arrived_too_little(const Subject& subject, std::uint64_t arrived, std::uint64_t size) {
    return named(subject) + ": only " + std::to_string(arrived) + " of " + std::to_string(size) +
           " bytes arrived before the server stopped. Try again later; the download then "
           "continues where it stopped.";
}

void refuse_range(const Subject& subject) {
    throw HubError(named(subject) +
                   ": the server sent a different part of the file than Headlight asked for. Try "
                   "again.");
}

void refuse_surplus(const Subject& subject, std::uint64_t announced) {
    throw HubError(named(subject) + ": the server sent more than the " + std::to_string(announced) +
                   " bytes that it announced. Headlight kept nothing. Try again.");
}

void refuse_hash(const Subject& subject, const std::string& found, const std::string& expected) {
    throw HubError(named(subject) + ": the downloaded file has the hash " + found.substr(0, 12) +
                   "…, but the Hub says " + expected.substr(0, 12) +
                   "…. Headlight deleted the download. Try again.");
}

}  // namespace headlight::hub
