#include "hub/fetcher.h"

#include <utility>

#include "hub/error.h"
#include "hub/examine.h"

namespace headlight::hub {

Fetcher::Fetcher()
    : latest_([this](const Question& question, std::atomic<float>& part, const StopFlag& stop) {
          return answer(question, part, stop);
      }) {}

void Fetcher::look_up(const std::string& name) {
    asked_.name = name;
    facts_.clear();
    ask(false);
}

void Fetcher::fetch() {
    facts_ = status().facts;
    ask(true);
}

void Fetcher::ask(bool fetches) {
    asked_.fetches = fetches;
    ++asked_.number;
    canceled_ = false;
    say("");
    latest_.cancel();  // does not wait for the previous question
    latest_.ask(asked_);
}

void Fetcher::cancel() {
    canceled_ = true;
    latest_.cancel();
}

Fetcher::Status Fetcher::status() const {
    Status status;
    status.name = asked_.name;
    status.facts = facts_;
    if (asked_.name.empty() || (canceled_ && facts_.empty())) return {};
    const auto said = latest_.last();
    if (canceled_) {
        status.phase = Phase::found;
        return status;
    }
    if (!said || !(said->question == asked_)) {
        status.phase = asked_.fetches ? Phase::fetching : Phase::looking;
        status.part = latest_.progress();
        const std::lock_guard lock(guard_);
        status.progress = progress_;
        return status;
    }
    status.error = said->error;
    if (!said->answer.facts.empty()) status.facts = said->answer.facts;
    status.folder = said->answer.folder;
    status.phase = !said->error.empty() ? Phase::failed
                   : asked_.fetches     ? Phase::fetched
                                        : Phase::found;
    return status;
}

void Fetcher::say(std::string progress) {
    const std::lock_guard lock(guard_);
    progress_ = std::move(progress);
}

Fetcher::Answer Fetcher::answer(const Question& question, std::atomic<float>& part,
                                const StopFlag& stop) {
    const auto name = parse_hub_name(question.name);
    if (!name)
        throw HubError("Expected a model on the Hub as ORG/NAME, found \"" +
                       question.name.substr(0, 80) + "\".");
    const Wanted wanted{*name};
    if (is_hub_offline()) return {"in the cache", find_in_cache(wanted)};
    const auto transport = new_transport();
    if (!transport) throw HubError(why_no_transport());
    Client client(*transport, endpoint(), find_token().text, stop);
    if (!question.fetches || !found_ || !(found_->name == *name)) {
        found_.reset();
        RemoteModel model = hub::look_up(client, wanted);
        if (!may_be_part(model)) expect_room(model);
        const std::string facts = examine(client, model);
        expect_room(model);
        found_ = std::move(model);
        if (!question.fetches) return {facts + ", " + size_and_license(*found_), {}};
    }
    const RemoteModel& model = *found_;
    Rate rate;
    const auto tell = [&](const ModelProgress& progress) {
        rate.add(progress.file);
        part = progress.size == 0 ? 0.0F
                                  : static_cast<float>(static_cast<double>(progress.arrived) /
                                                       static_cast<double>(progress.size));
        say(progress_in_words(progress, rate.bytes_per_second()));
    };
    return {"", hub::fetch(client, model, tell)};
}

}  // namespace headlight::hub
