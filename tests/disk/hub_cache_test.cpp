#include "disk/hub_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "tests/scratch_folder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

// Sets exactly these environment variables during one test.
using Variables = std::map<std::string, std::string>;
class Environment {
  public:
    explicit Environment(const Variables& given) {
        for (const char* name :
             {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "TORCH_HOME",
              "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HOME"}) {
            if (const char* value = std::getenv(name)) before_[name] = value;
            names_.emplace_back(name);
            unsetenv(name);
        }
        for (const auto& [name, value] : given) setenv(name.c_str(), value.c_str(), 1);
    }
    ~Environment() {
        for (const std::string& name : names_)
            if (const auto value = before_.find(name); value != before_.end())
                setenv(name.c_str(), value->second.c_str(), 1);
            else
                unsetenv(name.c_str());
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

  private:
    std::vector<std::string> names_;
    Variables before_;
};

fs::path cache_of(const Variables& given) {
    const Environment environment(given);
    return hub_cache_folder();
}

TEST(HubCache, follows_the_variables_in_their_order) {
    Variables set{{"HOME", "/home/ada"}};
    EXPECT_EQ(cache_of({}), "");
    EXPECT_EQ(cache_of(set), "/home/ada/.cache/huggingface/hub");
    set["XDG_CACHE_HOME"] = "/x";
    EXPECT_EQ(cache_of(set), "/x/huggingface/hub");
    set["HF_HOME"] = "~/hf";
    EXPECT_EQ(cache_of(set), "/home/ada/hf/hub");
    set["HUGGINGFACE_HUB_CACHE"] = "/old";
    EXPECT_EQ(cache_of(set), "/old");
    set["HF_HUB_CACHE"] = "/new";
    EXPECT_EQ(cache_of(set), "/new");
    set["HF_HUB_CACHE"] = "";
    EXPECT_EQ(cache_of(set), "/old");
}

TEST(HubCache, knows_when_nothing_may_be_fetched) {
    for (const char* yes : {"1", "ON", "YES", "TRUE", "true", "on"}) {
        const Environment environment(Variables{{"TRANSFORMERS_OFFLINE", yes}});
        EXPECT_TRUE(is_hub_offline()) << yes;
    }
    const Environment environment(Variables{{"HF_HUB_OFFLINE", "0"}});
    EXPECT_FALSE(is_hub_offline());
}

TEST(HubCache, checks_names) {
    for (const char* name :
         {"timm/vit_small_patch16_224.dino", "a/b", "facebook/dinov2-small", "_x/y_", "0/1.2"}) {
        EXPECT_TRUE(is_hub_repository(name)) << name;
        EXPECT_EQ(hub_repository_of(hub_folder_name(name)), name);
    }
    const std::string long_name(97, 'a');
    for (const std::string& name :
         {std::string(), std::string("a"), std::string("a/"), std::string("/b"),
          std::string("a/b/c"), std::string("a/.."), std::string("../b"), std::string("a/b c"),
          std::string("a/-b"), std::string("a/b."), std::string("a--c/b"), std::string("a/b.git"),
          std::string("a/b\0c", 5), std::string("a/\xC3\xA4"), "a/" + long_name, std::string("~/b"),
          std::string("./b")})
        EXPECT_FALSE(is_hub_repository(name)) << name;

    EXPECT_EQ(hub_folder_name("timm/vit"), "models--timm--vit");
    EXPECT_EQ(hub_repository_of("models--gpt2"), "gpt2");
    for (const char* folder : {"models--", "models--..--..", "models--a--b--c", "models--a--",
                               "datasets--a--b", "models--a/b--c", "models--.--b"})
        EXPECT_EQ(hub_repository_of(folder), std::nullopt) << folder;

    for (const char* revision : {"main", "v1.0", "refs/pr/1", "a_b-c"})
        EXPECT_TRUE(is_hub_revision(revision)) << revision;
    for (const char* revision :
         {"", "../main", "/etc", "a/../b", "a//b", "-x", "a b", "a\\b", "a@b"})
        EXPECT_FALSE(is_hub_revision(revision)) << revision;

    const std::string commit(40, 'a');
    EXPECT_TRUE(is_hub_commit(commit));
    EXPECT_FALSE(is_hub_commit(commit + "a"));
    EXPECT_FALSE(is_hub_commit(std::string(40, 'g')));
    EXPECT_TRUE(is_hub_etag(std::string(64, '0')));
    EXPECT_FALSE(is_hub_etag(std::string(63, '0')));

    for (const char* path : {"model.safetensors", "a/b/config.json", "..a/b..", ".hidden"})
        EXPECT_TRUE(is_hub_path(path)) << path;
    for (const std::string& path :
         {std::string("/etc/passwd"), std::string("a/../../b"), std::string(".."),
          std::string("a/"), std::string("a\nb"), std::string("c:\\x"), std::string(257, 'a')})
        EXPECT_FALSE(is_hub_path(path)) << path;

    EXPECT_EQ(parse_hub_name("a/b@v1"), (HubName{"a/b", "v1"}));
    EXPECT_EQ(parse_hub_name("a/b"), (HubName{"a/b", ""}));
    EXPECT_EQ(parse_hub_name("a/b@"), std::nullopt);
    EXPECT_EQ(parse_hub_name("a/b@../c"), std::nullopt);
}

const std::string kOld(40, '1'), kNew(40, '2');

// A cache with repositories, as created by huggingface_hub.
class Cache {
  public:
    // As a link or, without links, a file; an empty text makes a dangling link.
    fs::path add(const std::string& name, const std::string& commit, const std::string& file,
                 const std::string& text, bool links = true) const {
        const fs::path repository = scratch_ / "hub" / hub_folder_name(name);
        const fs::path place = hub_snapshot(repository, commit) / file;
        fs::create_directories(place.parent_path());
        fs::create_directories(repository / "blobs");
        const std::string etag = std::string(63, 'e') + commit.front();
        const fs::path blob = hub_blob(repository, etag);
        if (!text.empty()) std::ofstream(links ? blob : place) << text;
        if (links) fs::create_symlink(fs::path("../../blobs") / etag, place);
        return place;
    }
    void ref(const std::string& name, const std::string& revision, const std::string& text) const {
        const fs::path ref = hub_ref(scratch_ / "hub" / hub_folder_name(name), revision);
        fs::create_directories(ref.parent_path());
        std::ofstream(ref) << text;
    }
    void age(const std::string& name, const std::string& commit, int hours) const {
        fs::last_write_time(hub_snapshot(scratch_ / "hub" / hub_folder_name(name), commit),
                            fs::file_time_type::clock::now() - std::chrono::hours(hours));
    }
    [[nodiscard]] const fs::path& path() const { return scratch_.path(); }
    [[nodiscard]] fs::path hub() const { return scratch_ / "hub"; }

  private:
    ScratchFolder scratch_;
    Environment environment_{Variables{{"HF_HUB_CACHE", (scratch_ / "hub").string()},
                                       {"TORCH_HOME", (scratch_ / "torch").string()},
                                       {"HOME", scratch_.path().string()}}};
};

std::string trouble_with(const std::string& name) {
    try {
        return "found " + find_model(name);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

TEST(HubCache, finds_a_model_by_its_name_and_keeps_the_path_of_the_link) {
    const Cache cache;
    const fs::path old = cache.add("a/b", kOld, "model.safetensors", "old");
    const fs::path fresh = cache.add("a/b", kNew, "model.safetensors", "new");
    cache.age("a/b", kNew, 1);
    EXPECT_EQ(find_model("a/b"), old);  // the newest folder
    cache.ref("a/b", "main", kNew + "\n");
    EXPECT_EQ(find_model("a/b"), fresh);
    EXPECT_EQ(find_model((cache.hub() / "models--a--b").string()), fresh);
    EXPECT_EQ(find_model((cache.hub() / "models--a--b").string() + "/"), fresh);
    cache.ref("a/b", "refs/pr/1", kOld);
    EXPECT_EQ(find_model("a/b@refs/pr/1"), old);
    EXPECT_EQ(find_model("a/b@" + kOld), old);
    EXPECT_EQ(find_model((cache.hub() / "models--a--b").string() + "@" + kOld), old);
    EXPECT_NE(trouble_with("a/b@v9").find("revision v9"), std::string::npos);
    EXPECT_NE(trouble_with("a/c").find("Hub's cache"), std::string::npos);
    // The ref main contains no valid commit, or a missing one.
    for (const std::string& text : {std::string("../../../etc"), std::string(),
                                    std::string(100, 'a'), std::string(40, '3')}) {
        cache.ref("a/b", "main", text);
        EXPECT_EQ(find_model("a/b"), old) << text;
    }
}

TEST(HubCache, takes_the_checkpoint_of_a_snapshot) {
    const Cache cache;
    const fs::path shards = cache.add("a/shards", kOld, "model.safetensors.index.json", "{}");
    cache.add("a/shards", kOld, "model-00001-of-00001.safetensors", "x");
    EXPECT_EQ(find_model("a/shards"), shards);
    const fs::path copied = cache.add("a/copied", kOld, "model.safetensors", "x", false);
    cache.add("a/copied", kOld, "config.json", "{}", false);
    EXPECT_EQ(find_model("a/copied"), copied);
    const fs::path deeper = cache.add("a/deeper", kOld, "vision/model.safetensors", "x", false);
    EXPECT_EQ(find_model("a/deeper"), deeper);
    cache.add("a/broken", kOld, "model.safetensors", "");
    EXPECT_NE(trouble_with("a/broken").find("found no model"), std::string::npos);
    cache.add("a/two", kOld, "one.safetensors", "x", false);
    cache.add("a/two", kOld, "two.safetensors", "x", false);
    EXPECT_NE(trouble_with("a/two").find("Open one of them"), std::string::npos);
}

TEST(HubCache, leaves_paths_alone) {
    const Cache cache;
    const fs::path file = cache.add("a/b", kOld, "model.safetensors", "x");
    for (const std::string& path :
         {file.string(), std::string("no/such.safetensors"), std::string("/no/such"),
          std::string("plain"), std::string("a/b/c"), std::string("./a/b")})
        EXPECT_EQ(find_model(path), path);
    EXPECT_EQ(find_model(file.parent_path().string()), file);
    const fs::path odd = cache.add("a/b.bin", kOld, "model.safetensors", "x");
    EXPECT_EQ(find_model("a/b.bin"), odd);  // a name that ends as a file's
    for (const std::string& name :
         {std::string("a/b"), std::string("a/b@v9"), std::string("a/b.bin"),
          (cache.hub() / "models--a--b").string()})
        EXPECT_TRUE(names_cached_model(name)) << name;
    for (const std::string& name : {std::string("a/c"), file.string(), std::string("plain")})
        EXPECT_FALSE(names_cached_model(name)) << name;
}

TEST(HubCache, lists_what_programs_have_left) {
    const Cache cache;
    const fs::path first = cache.add("a/b", kOld, "model.safetensors", "x");
    const fs::path second = cache.add("gpt2", kOld, "model.safetensors", "x");
    cache.add("a/broken", kOld, "model.safetensors", "");
    cache.add("a/words", kOld, "tokenizer.json", "{}");
    fs::create_directories(cache.hub() / "models--..--..");
    fs::create_directories(cache.hub() / "datasets--a--b");
    fs::create_directories(cache.hub() / ".locks");
    std::ofstream(cache.hub() / "models--a--file") << "x";
    const fs::path torch = cache.path() / "torch/hub/checkpoints";
    fs::create_directories(torch);
    std::ofstream(torch / "vit_b_16-c867db91.pth") << "x";
    std::ofstream(torch / "notes.txt") << "x";
    const std::vector<LocalModel> models = local_models();
    ASSERT_EQ(models.size(), 5);
    const auto expect = [&](std::size_t at, const std::string& name, const fs::path& file) {
        EXPECT_EQ(models[at].name, name);
        EXPECT_EQ(models[at].file, file);
        EXPECT_EQ(models[at].problem.empty(), !file.empty()) << models[at].problem;
    };
    expect(0, "a/b", first);
    expect(1, "a/broken", "");
    expect(2, "a/words", "");
    expect(3, "gpt2", second);
    expect(4, "vit_b_16-c867db91", torch / "vit_b_16-c867db91.pth");
    EXPECT_THROW((void)local_models([] { return true; }), Stopped);
}

TEST(HubCache, has_parts_of_models_apart_from_the_whole_ones) {
    const Cache cache;
    const fs::path parts = cache.path() / ".cache/headlight/hub";
    EXPECT_EQ(part_cache_folder(), parts);
    const HubName name{"a/clip", ""};
    const fs::path snapshot = hub_snapshot(part_repository_folder(name), kOld);
    EXPECT_EQ(snapshot, parts / "models--a--clip/snapshots" / kOld);
    EXPECT_FALSE(names_cached_model("a/clip"));
    fs::create_directories(snapshot);
    std::ofstream(snapshot / "clip-vision.safetensors") << "x";
    fs::create_directories(hub_ref(part_repository_folder(name), "main").parent_path());
    std::ofstream(hub_ref(part_repository_folder(name), "main")) << kOld;
    const std::vector<std::string> names{"a/clip", "a/clip@main", "a/clip@" + kOld,
                                         (parts / "models--a--clip").string()};
    for (const std::string& asked : names) {
        EXPECT_EQ(find_model(asked), snapshot / "clip-vision.safetensors") << asked;
        EXPECT_TRUE(names_cached_model(asked)) << asked;
    }
    EXPECT_NE(trouble_with("a/clip@v9").find("a/clip@v9"), std::string::npos);
    ASSERT_EQ(local_models().size(), 1);
    EXPECT_EQ(local_models()[0].name, "a/clip, vision tower");
    // The whole file is preferred; a snapshot without a model is ignored.
    cache.add("a/clip", kOld, "config.json", "{}");
    EXPECT_EQ(find_model("a/clip"), snapshot / "clip-vision.safetensors");
    const fs::path whole = cache.add("a/clip", kOld, "model.safetensors", "x");
    EXPECT_EQ(find_model("a/clip"), whole);
}

TEST(HubCache, knows_the_repository_of_a_path) {
    const Cache cache;
    for (const fs::path& folder : {cache.hub(), cache.path() / ".cache/headlight/hub"}) {
        const fs::path repository = folder / "models--a--b";
        EXPECT_EQ(hub_repository_with(repository), "a/b");
        EXPECT_EQ(hub_repository_with(hub_snapshot(repository, kOld) / "x/model.safetensors"),
                  "a/b");
        EXPECT_FALSE(hub_repository_with(folder));
        EXPECT_FALSE(hub_repository_with(folder / "models--a--..--c"));
        EXPECT_FALSE(hub_repository_with(folder / "../models--a--b/model.safetensors"));
    }
    EXPECT_FALSE(hub_repository_with("/elsewhere/models--a--b/model.safetensors"));
    EXPECT_FALSE(hub_repository_with(""));
}

TEST(HubCache, prefers_the_newer_of_a_whole_file_and_a_part) {
    const Cache cache;
    const HubName name{"a/clip", ""};
    const fs::path repository = part_repository_folder(name);
    const fs::path whole = cache.add("a/clip", kOld, "model.safetensors", "x"),
                   part = hub_snapshot(repository, kNew) / "clip-vision.safetensors";
    fs::create_directories(part.parent_path());
    std::ofstream(part) << "x";
    const fs::path part_ref = hub_ref(repository, "main");
    fs::create_directories(part_ref.parent_path());
    std::ofstream(part_ref) << kNew;
    cache.ref("a/clip", "main", kOld);
    const auto written = [&](int hours_ago) {
        fs::last_write_time(part_ref,
                            fs::file_time_type::clock::now() - std::chrono::hours(hours_ago));
    };
    written(5);
    EXPECT_EQ(find_model("a/clip"), whole);
    written(-5);
    EXPECT_EQ(find_model("a/clip"), part);
    EXPECT_EQ(find_model("a/clip@" + kOld), whole);
    EXPECT_EQ(find_model("a/clip@" + kNew), part);
}

TEST(HubCache, is_empty_where_there_is_none) {
    const Environment environment(Variables{});
    EXPECT_TRUE(local_models().empty());
    EXPECT_NE(trouble_with("a/b").find("a/b"), std::string::npos);
}

}  // namespace
}  // namespace headlight
