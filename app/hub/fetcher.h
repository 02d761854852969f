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

// Looks up and then downloads one model at a time in a background task. The interface polls
// status() in every frame.
class Fetcher {
  public:
    enum class Phase { idle, looking, found, fetching, fetched, failed };
    struct Status {
        Phase phase = Phase::idle;
        std::string name{};              // ORG/NAME or ORG/NAME@REVISION
        std::string facts{};             // a description, once known
        std::string progress{};          // in words
        float part = 0;                  // downloaded part, 0..1
        std::string error{};             // in case of failure
        std::filesystem::path folder{};  // the downloaded model's
    };

    Fetcher();

    // Whether Headlight was built with download support.
    static bool is_possible() { return new_transport() != nullptr; }

    void look_up(const std::string& name);
    void fetch();  // downloads the model looked up
    // Keeps what has arrived for the next time.
    void cancel();
    [[nodiscard]] Status status() const;

  private:
    struct Question {
        std::string name;
        bool fetches = false;
        int number = 0;  // makes a repeated question distinct

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
    std::optional<RemoteModel> found_;  // the last model looked up; for the background thread only
    bool canceled_ = false;
    mutable std::mutex guard_;  // guards the next
    std::string progress_;
    LatestTask<Question, Answer> latest_;  // last member: its task ends before the others
};

}  // namespace headlight::hub
