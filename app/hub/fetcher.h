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
    // Also goes on with what waited for a response (Pending).
    [[nodiscard]] Status status();

  private:
    struct Question {
        std::string name;
        bool fetches = false;
        int number = 0;  // makes a repeated question distinct
        int round = 0;   // of the same question, while responses are pending

        friend bool operator==(const Question&, const Question&) = default;
    };
    struct Answer {
        std::string facts;
        std::filesystem::path folder;
        bool is_pending = false;  // ask again when the transport's news() are others than
        std::uint64_t news = 0;
    };

    void ask(bool fetches);
    [[nodiscard]] std::shared_ptr<Transport> transport() const;
    void replace_transport(std::shared_ptr<Transport> transport);
    Answer answer(const Question& question, const StopFlag& stop);
    Answer answer(const Question& question, const HubName& name, Client& client);
    void say(std::string progress, float part);

    Question asked_{};
    std::string facts_;  // of asked_, from looking it up
    // For the background thread only: the last model looked up, and the rate of the download.
    std::optional<RemoteModel> found_;
    Rate rate_;
    int rated_ = 0;  // the question that it belongs to
    bool canceled_ = false;
    mutable std::mutex guard_;  // guards the next three
    std::string progress_;
    float part_ = 0;
    std::shared_ptr<Transport> transport_;  // of the question; keeps its pending responses
    LatestTask<Question, Answer> latest_;   // last member: its task ends before the others
};

}  // namespace headlight::hub
