#include "hub/protocol.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "hub/client.h"
#include "hub/curated.h"
#include "hub/digest.h"
#include "hub/file_list.h"
#include "hub/rate.h"

namespace headlight::hub {
namespace {

const std::string kSha1(40, 'a'), kSha256(64, '0');

TEST(Protocol, etags_are_hashes_or_nothing) {
    for (const std::string& etag : {kSha1, '"' + kSha1 + '"', "W/\"" + kSha1 + '"'})
        EXPECT_EQ(hash_in_etag(etag), kSha1) << etag;
    EXPECT_EQ(hash_in_etag('"' + kSha256 + '"'), kSha256);
    for (const std::string& etag :
         {std::string(), std::string("\"\""), kSha1 + "a", kSha1.substr(1),
          std::string(39, 'a') + "/", std::string("../../../../../../../../../../etc/passwd_"),
          kSha1 + "\"", "\"" + kSha1, std::string(40, 'A') + "-1"})
        EXPECT_FALSE(hash_in_etag(etag)) << etag;
}

TEST(Protocol, content_ranges) {
    const auto range = parse_content_range("bytes 100-199/1000");
    ASSERT_TRUE(range);
    EXPECT_EQ(range->begin, 100U);
    EXPECT_EQ(range->last, 199U);
    EXPECT_EQ(range->size, 1000U);
    EXPECT_FALSE(parse_content_range("bytes 0-9/*")->size);
    for (const char* text :
         {"", "bytes", "bytes */1000", "bytes 5-4/10", "bytes 0-10/10", "bytes -5-9/10",
          "bytes 1-x/9", "items 0-1/2", "bytes 0-99999999999999999999/100", "bytes 1 - 2/3"})
        EXPECT_FALSE(parse_content_range(text)) << text;
}

TEST(Protocol, sizes) {
    EXPECT_EQ(parse_size("18446744073709551615"), 18446744073709551615U);
    for (const char* text : {"", "-1", "+1", "1e3", "0x10", "18446744073709551616", " 1", "1 "})
        EXPECT_FALSE(parse_size(text)) << text;
}

// "headlight" hashed by sha256sum and by `git hash-object`.
TEST(Protocol, hashes_are_those_of_the_usual_tools) {
    if (!new_transport()) GTEST_SKIP() << why_no_transport();
    const std::string text = "headlight";
    const auto hash = [&](const std::string& kind) {
        Digest digest(kind, text.size());
        digest.add(std::as_bytes(std::span(text).first(4)));
        digest.add(std::as_bytes(std::span(text).subspan(4)));
        return digest.finish();
    };
    EXPECT_EQ(hash(kSha256), "54555fac6a941835e0f4c24ee7cc79e76dcb70c27fad1334e0d94244011b3027");
    EXPECT_EQ(hash(kSha1), "bf74150508c3b9403d935e9f0f647494ccdddbf9");
}

// Answers from a list, and records the requests.
class Scripted : public Transport {
  public:
    struct Answer {
        int status = 200;
        std::map<std::string, std::string> headers{};
        std::string body{};
    };
    explicit Scripted(std::vector<Answer> answers) : answers_(std::move(answers)) {}

    Response exchange(const Request& request, const Sink& sink, const StopFlag& stop) override {
        throw_if_stopped(stop);
        asked.push_back(request);
        const Answer& answer = answers_.at(std::min(asked.size(), answers_.size()) - 1);
        Response response{answer.status, answer.headers};
        if (!request.head && sink && !answer.body.empty())
            sink(response, std::as_bytes(std::span(answer.body)));
        return response;
    }
    std::vector<Request> asked;

  private:
    std::vector<Answer> answers_;
};

const Address kHub{"https", "hub.example", 443, ""};

TEST(Client, the_token_ends_at_the_first_other_server) {
    Scripted server({{302, {{"location", "/there"}}},
                     {302, {{"location", "https://cdn.example/x"}}},
                     {302, {{"location", "https://hub.example/back"}}},
                     {200, {}, "bytes"}});
    Client client(server, kHub, "hf_abc");
    std::string body;
    client.get(kHub, {}, [&](const Response&, std::span<const std::byte> piece) {
        body.append(reinterpret_cast<const char*>(piece.data()), piece.size());
        return true;
    });
    EXPECT_EQ(body, "bytes");
    ASSERT_EQ(server.asked.size(), 4U);
    EXPECT_EQ(server.asked[1].token, "hf_abc");
    EXPECT_EQ(server.asked[2].token, "");
    EXPECT_EQ(server.asked[3].token, "");
}

TEST(Client, head_stops_where_a_redirect_leaves_the_hub) {
    Scripted server({{307, {{"location", "/new/name"}, {"x-repo-commit", kSha1}}},
                     {302, {{"location", "https://cdn.example/x"}, {"x-linked-etag", kSha256}}}});
    const auto [response, address] =
        Client(server, kHub, "").head("ada/vit", "main", "model.safetensors");
    EXPECT_EQ(server.asked.size(), 2U);
    EXPECT_EQ(response.status, 302);
    EXPECT_EQ(response.header("x-repo-commit"), kSha1);
    EXPECT_EQ(response.header("x-linked-etag"), kSha256);
    EXPECT_EQ(address.rest, "/new/name");
}

TEST(Client, redirects_end) {
    Scripted server({{302, {{"location", "/again"}}}});
    Client client(server, kHub, "");
    EXPECT_THROW((void)client.head("ada/vit", "main", "config.json"), HubError);
    EXPECT_THROW(client.get(kHub, {}, {}), HubError);
    EXPECT_LT(server.asked.size(), 50U);
}

const std::string kList = R"({"id": "ada/new", "sha": ")" + kSha1 + R"(", "siblings": [
    {"rfilename": "config.json", "size": 9, "blobId": "b"},
    {"rfilename": "model.safetensors", "size": 99, "blobId": "b", "lfs": {"sha256": ")" +
                          kSha256 +
                          R"(", "size": 99, "pointerSize": 134}},
    {"rfilename": "no-size", "blobId": "b"}, {"rfilename": "below-zero", "size": -1, "blobId": "b"},
    {"size": 1, "blobId": "b"}, 7]})";

TEST(Client, lists_of_files) {
    const auto list = parse_file_list(kList);
    ASSERT_TRUE(list);
    EXPECT_EQ(list->repository, "ada/new");
    EXPECT_EQ(list->commit, kSha1);
    ASSERT_EQ(list->files.size(), 2U);
    EXPECT_EQ(list->files.at("config.json").hash, "b");
    EXPECT_EQ(list->files.at("model.safetensors").hash, kSha256);
    EXPECT_EQ(list->files.at("model.safetensors").size, 99U);
    for (const char* text : {"", "[]", "{}", "null", R"({"id": "a/b"})", R"({"siblings": []})",
                             R"({"id": "a/b", "siblings": {}})", R"({"id": 7, "siblings": []})"})
        EXPECT_FALSE(parse_file_list(text)) << text;
}

// A transport as in a page.
class InBrowser : public Scripted {
  public:
    using Scripted::Scripted;
    [[nodiscard]] bool is_in_browser() const override { return true; }
};

TEST(Client, in_a_browser_the_list_says_what_headers_say) {
    InBrowser server({{200, {}, kList}});
    Client client(server, kHub, "");
    const auto [response, address] = client.head("ada/vit", "a/b", "model.safetensors");
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.header("x-repo-commit"), kSha1);
    EXPECT_EQ(response.header("x-linked-etag"), kSha256);
    EXPECT_EQ(response.header("x-linked-size"), "99");
    EXPECT_EQ(address.rest, "/ada/new/resolve/a%2Fb/model.safetensors");
    EXPECT_TRUE(is_missing_file(client.head("ada/vit", "a/b", "other").response));
    ASSERT_EQ(server.asked.size(), 1U);
    EXPECT_EQ(server.asked[0].address.rest, "/api/models/ada/vit/revision/a%2Fb?blobs=true");
    EXPECT_FALSE(server.asked[0].head);
    EXPECT_EQ(client.head("ada/vit", "main", "config.json").response.header("x-linked-size"), "9");
    EXPECT_EQ(server.asked.size(), 2U);

    InBrowser refuses({{401, {}, ""}});
    EXPECT_EQ(Client(refuses, kHub, "").head("ada/vit", "main", "x").response.status, 401);
    InBrowser sends_odd_text({{200, {}, "<html>"}});
    EXPECT_THROW((void)Client(sends_odd_text, kHub, "").head("ada/vit", "main", "x"), HubError);
}

TEST(Protocol, in_a_browser_no_advice_needs_a_token) {
    const Subject subject{{"ada/vit", ""}, "", kHub, false, true};
    for (const Response& response :
         {Response{401, {{"x-error-code", "GatedRepo"}}}, Response{401, {}}, Response{403, {}},
          Response{404, {}}, Response{429, {}}, Response{503, {}}, Response{418, {}}}) {
        const std::string said = meaning_of(response, subject);
        EXPECT_EQ(said.find("HF_"), std::string::npos) << said;
        EXPECT_EQ(said.find("token"), std::string::npos) << said;
    }
}

TEST(Client, small_answers_are_bounded) {
    Scripted server({{200, {}, std::string(100, 'x')}});
    Client client(server, kHub, "");
    EXPECT_EQ(client.text(kHub, 100), std::string(100, 'x'));
    EXPECT_FALSE(client.text(kHub, 99));
}

TEST(Client, stops) {
    Scripted server({{200, {}, "x"}});
    Client client(server, kHub, "", [] { return true; });
    EXPECT_THROW((void)client.text(kHub, 9), Stopped);
}

TEST(Protocol, sentences_say_what_to_do_and_no_token) {
    Subject subject{{"ada/vit", ""}, "", kHub, false};
    const auto said = [&](int status, const std::string& code) {
        return meaning_of({status, {{"x-error-code", code}}}, subject);
    };
    EXPECT_NE(said(401, "GatedRepo").find("https://hub.example/ada/vit"), std::string::npos);
    EXPECT_NE(said(404, "RevisionNotFound").find("main"), std::string::npos);
    EXPECT_NE(said(429, "").find("a few minutes"), std::string::npos);
    EXPECT_EQ(said(401, ""), said(404, "RepoNotFound"));
    subject.has_token = true;
    EXPECT_NE(said(403, "").find("token"), std::string::npos);
    EXPECT_TRUE(is_missing_file({404, {{"x-error-code", "EntryNotFound"}}}));
    EXPECT_TRUE(is_missing_file({404, {}}));
    EXPECT_FALSE(is_missing_file({404, {{"x-error-code", "RepoNotFound"}}}));
    EXPECT_FALSE(is_missing_file({200, {}}));
}

TEST(Rate, is_that_of_the_last_seconds) {
    using std::chrono::milliseconds;
    Rate rate;
    Rate::Clock::time_point now{};
    const auto add = [&](std::uint64_t arrived, milliseconds later, FileProgress::Phase phase) {
        rate.add({"a", arrived, 100'000, phase}, now += later);
    };
    add(500, milliseconds(0), FileProgress::Phase::checking);
    add(50'000, milliseconds(0), FileProgress::Phase::fetching);
    EXPECT_EQ(rate.bytes_per_second(), 0);
    for (int i = 1; i <= 100; ++i)
        add(50'000 + 100 * i, milliseconds(100), FileProgress::Phase::fetching);
    EXPECT_NEAR(rate.bytes_per_second(), 1000, 1);
    for (int i = 1; i <= 100; ++i)
        add(60'000 + 200 * i, milliseconds(100), FileProgress::Phase::fetching);
    EXPECT_NEAR(rate.bytes_per_second(), 2000, 2);
    EXPECT_EQ(progress_in_words({{"a", 5, 10}, 43'000'000, 88'000'000}, 5e6),
              "a: 43 MB of 88 MB, 5.0 MB/s, 9 s left");
}

TEST(Curated, python_is_two_lines) {
    for (const CuratedModel& model : curated_models()) {
        const std::string lines = python_to_get(model.name);
        EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
        EXPECT_TRUE(is_hub_repository(model.name)) << model.name;
    }
}

}  // namespace
}  // namespace headlight::hub
