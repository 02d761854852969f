#include "hub/fetcher.h"

#include <utility>

#include "hub/error.h"
#include "hub/examine.h"

namespace headlight::hub {

Fetcher::Fetcher()
    : latest_([this](const Question& question, std::atomic<float>&, const StopFlag& stop) {
          return answer(question, stop);
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
    asked_.round = 0;
    canceled_ = false;
    say("", 0);
    latest_.cancel();  // does not wait for the previous question
    replace_transport(new_transport());
    latest_.ask(asked_);
}

void Fetcher::cancel() {
    canceled_ = true;
    latest_.cancel();
    replace_transport(nullptr);
}

std::shared_ptr<Transport> Fetcher::transport() const {
    const std::lock_guard lock(guard_);
    return transport_;
}

void Fetcher::replace_transport(std::shared_ptr<Transport> transport) {
    const std::lock_guard lock(guard_);
    transport_.swap(transport);
}

Fetcher::Status Fetcher::status() {
    Status status;
    status.name = asked_.name;
    status.facts = facts_;
    if (asked_.name.empty() || (canceled_ && facts_.empty())) return {};
    const auto said = latest_.last();
    if (canceled_) {
        status.phase = Phase::found;
        return status;
    }
    const bool is_said = said && said->question == asked_;
    if (!is_said || said->answer.is_pending) {
        if (is_said && transport()->news() != said->answer.news) {
            ++asked_.round;
            latest_.ask(asked_);
        }
        status.phase = asked_.fetches ? Phase::fetching : Phase::looking;
        const std::lock_guard lock(guard_);
        status.part = part_;
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

void Fetcher::say(std::string progress, float part) {
    const std::lock_guard lock(guard_);
    progress_ = std::move(progress);
    part_ = part;
}

Fetcher::Answer Fetcher::answer(const Question& question, const StopFlag& stop) {
    const auto name = parse_hub_name(question.name);
    if (!name)
        throw HubError("Expected a model on the Hub as ORG/NAME, found \"" +
                       question.name.substr(0, 80) + "\".");
    if (is_hub_offline()) return {"in the cache", find_in_cache({*name})};
    const auto its = transport();
    if (!its) {
        throw_if_stopped(stop);
        throw HubError(why_no_transport());
    }
    const std::uint64_t news = its->news();
    Client client(*its, endpoint(), find_token().text, stop);
    try {
        return answer(question, *name, client);
    } catch (const Pending&) {
        return {"", {}, true, news};
    }
}

Fetcher::Answer Fetcher::answer(const Question& question, const HubName& name, Client& client) {
    if (!question.fetches || !found_ || !(found_->name == name)) {
        found_.reset();
        RemoteModel model = hub::look_up(client, {name});
        if (!may_be_part(model)) expect_room(model);
        const std::string facts = examine(client, model);
        expect_room(model);
        found_ = std::move(model);
        if (!question.fetches) return {facts + ", " + size_and_license(*found_), {}};
    }
    const RemoteModel& model = *found_;
    if (std::exchange(rated_, question.number) != question.number) rate_ = {};
    const auto tell = [&](const ModelProgress& progress) {
        rate_.add(progress.file);
        const float part = progress.size == 0
                               ? 0.0F
                               : static_cast<float>(static_cast<double>(progress.arrived) /
                                                    static_cast<double>(progress.size));
        say(progress_in_words(progress, rate_.bytes_per_second()), part);
    };
    return {"", hub::fetch(client, model, tell)};
}

}  // namespace headlight::hub
