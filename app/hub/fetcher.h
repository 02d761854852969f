#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "hub/rate.h"
#include "hub/remote_model.h"
#include "tasks/latest_task.h"

namespace headlight::hub {

// One model at a time, looked up and then fetched beside the interface, which asks status() in
// every frame.
class Fetcher {
  public:
    enum class Phase { idle, looking, found, fetching, fetched, failed };
    struct Status {
        Phase phase = Phase::idle;
        std::string name{};              // ORG/NAME or ORG/NAME@REVISION
        std::string facts{};             // what it is, once that is known
        std::string progress{};          // in words
        float part = 0;                  // that has arrived, 0..1
        std::string error{};             // of a failure
        std::filesystem::path folder{};  // of what was fetched
    };

    Fetcher();

    // Whether Headlight was built with what that takes.
    static bool is_possible() { return new_transport() != nullptr; }

    void look_up(const std::string& name);
    void fetch();  // what was looked up
    // What has arrived stays for the next time.
    void cancel();
    [[nodiscard]] Status status() const;

  private:
    struct Question {
        std::string name;
        bool fetches = false;
        int number = 0;  // the same again is another question

        friend bool operator==(const Question&, const Question&) = default;
    };
    struct Answer {
        std::string facts;
        std::filesystem::path folder;
    };

    void ask(bool fetches);
    Answer answer(const Question& question, std::atomic<float>& part, const StopFlag& stop);
    void say(std::string progress);

    Question asked_{};
    std::string facts_;                 // of asked_, from looking it up
    std::optional<RemoteModel>
        found_;  // the last one that was looked up; used on the background thread alone
    bool canceled_ = false;
    mutable std::mutex guard_;  // of the next
    std::string progress_;
    LatestTask<Question, Answer> latest_;  // last: its task ends before the rest
};

}  // namespace headlight::hub
