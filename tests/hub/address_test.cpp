#include "hub/address.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "hub/error.h"

namespace headlight::hub {
namespace {

TEST(Address, is_split) {
    const Address address = parse_address("HTTPS://Hub.Example:8443/a/b?c=d#e");
    EXPECT_EQ(address.scheme, "https");
    EXPECT_EQ(address.host, "hub.example");
    EXPECT_EQ(address.port, 8443);
    EXPECT_EQ(address.rest, "/a/b?c=d");
    EXPECT_EQ(address.text(), "https://hub.example:8443/a/b?c=d");
    EXPECT_EQ(parse_address("https://hub.example").text(), "https://hub.example:443/");
    EXPECT_EQ(parse_address("https://hub.example?x").rest, "/?x");
    EXPECT_EQ(parse_address("http://[::1]:80/").place(), "[::1]");
    EXPECT_EQ(parse_address("https://hub.example/a@b").host, "hub.example");
}

TEST(Address, refuses_what_is_none) {
    for (const char* text :
         {"", "hub.example", "ftp://hub.example", "file:///etc/passwd", "https://", "https:///x",
          "https://user@hub.example", "https://a:b@hub.example", "https://hub.example:0",
          "https://hub.example:65536", "https://hub.example:x", "https://hub.exa mple",
          "https://h\r\nX: 1", "https://h\\x", "https://[::1", "https://hub.example:80:90",
          "https://hüb.example"})
        EXPECT_THROW(parse_address(text), HubError) << text;
    EXPECT_THROW(parse_address("https://h/" + std::string(20'000, 'x')), HubError);
}

TEST(Address, knows_this_machine) {
    for (const char* text :
         {"http://127.0.0.1:1", "http://localhost", "http://[::1]/", "http://127.9.9.9"})
        EXPECT_TRUE(parse_address(text).is_loopback()) << text;
    for (const char* text : {"http://127.0.0.1.example", "http://localhost.example",
                             "http://0.0.0.0", "http://192.168.0.1", "http://127example"})
        EXPECT_FALSE(parse_address(text).is_loopback()) << text;
}

TEST(Address, servers_are_the_same_by_scheme_host_and_port) {
    const Address hub = parse_address("https://hub.example/x");
    EXPECT_TRUE(hub.is_same_server(parse_address("https://HUB.example:443/y")));
    for (const char* other : {"http://hub.example:443", "https://hub.example:444",
                              "https://cdn.hub.example", "https://hub.example.org"})
        EXPECT_FALSE(hub.is_same_server(parse_address(other))) << other;
}

TEST(Address, redirects_are_followed_as_browsers_do) {
    const Address from = parse_address("https://hub.example/a/b?c=d/e");
    EXPECT_EQ(redirected(from, "/x?y=1").text(), "https://hub.example:443/x?y=1");
    EXPECT_EQ(redirected(from, "x").text(), "https://hub.example:443/a/x");
    EXPECT_EQ(redirected(from, "x?u=https://other").text(),
              "https://hub.example:443/a/x?u=https://other");
    EXPECT_EQ(redirected(from, "//cdn.example/x").text(), "https://cdn.example:443/x");
    EXPECT_EQ(redirected(from, "https://cdn.example:1/x").text(), "https://cdn.example:1/x");
}

TEST(Address, no_redirect_leaves_encryption) {
    const Address hub = parse_address("https://hub.example/"),
                  here = parse_address("http://127.0.0.1:5/");
    for (const char* to : {"http://hub.example/", "http://127.0.0.1/", "file:///etc/passwd"})
        EXPECT_THROW(redirected(hub, to), HubError) << to;
    EXPECT_THROW(redirected(here, "http://example.org/"), HubError);
    EXPECT_EQ(redirected(here, "http://localhost:6/x").place(), "localhost:6");
    EXPECT_EQ(redirected(here, "https://cdn.example/x").place(), "cdn.example");
}

TEST(Address, the_hub_and_its_mirrors) {
    const auto config = [] { return file_address(endpoint(), "ada/vit", "main", "c.json").text(); };
    unsetenv("HF_ENDPOINT");
    EXPECT_EQ(config(), "https://huggingface.co:443/ada/vit/resolve/main/c.json");
    for (const char* mirror : {"https://hub.example/mirror", "https://hub.example/mirror//"}) {
        setenv("HF_ENDPOINT", mirror, 1);
        EXPECT_EQ(config(), "https://hub.example:443/mirror/ada/vit/resolve/main/c.json");
    }
    unsetenv("HF_ENDPOINT");
}

TEST(Address, paths_are_encoded) {
    const Address base = parse_address("https://hub.example/mirror");
    EXPECT_EQ(file_address(base, "ada/v.i-t_1", "refs/pr/1", "a b/ü?#%.json").rest,
              "/mirror/ada/v.i-t_1/resolve/refs%2Fpr%2F1/a%20b/%C3%BC%3F%23%25.json");
    EXPECT_EQ(api_address(base, "ada/vit", "/refs").rest, "/mirror/api/models/ada/vit/refs");
}

}  // namespace
}  // namespace headlight::hub
