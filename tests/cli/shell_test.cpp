#include "cli/shell.h"

#include <cstdlib>
#include <fstream>

#include "cli_fixture.h"

// Compares the man page and shell completions with the registry.
namespace headlight {
namespace {

// bash's completions for the last of these words.
std::vector<std::string> offered(const fs::path& folder, const std::vector<std::string>& words) {
    std::ofstream(folder / "completion.sh") << headlight({"completion", "bash"}).out;
    std::ofstream script(folder / "ask.sh");
    script << "cd " << folder.string() << "\n. ./completion.sh\nCOMP_WORDS=(headlight";
    for (const std::string& word : words) script << " '" << word << "'";
    script << ")\nCOMP_CWORD=" << words.size()
           << "\n_headlight\nprintf '%s\\n' \"${COMPREPLY[@]}\" >offered\n";
    script.close();
    EXPECT_EQ(std::system(("bash " + (folder / "ask.sh").string()).c_str()), 0);
    std::ifstream file(folder / "offered");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
    return std::ranges::find(words, word) != words.end();
}

class Completion : public ::testing::Test {
  protected:
    ScratchFolder folder_;
};

TEST_F(Completion, of_commands_and_options_follows_the_registry) {
    CLI::App app("headlight", "headlight");
    cli::add_commands(app);
    const auto all = offered(folder_.path(), {""});
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        EXPECT_TRUE(has(all, command->get_name())) << command->get_name();
        const auto options = offered(folder_.path(), {command->get_name(), "-"});
        for (const CLI::Option* option : command->get_options())
            for (const std::string& name : option->get_lnames())
                EXPECT_TRUE(has(options, "--" + name)) << command->get_name() << ' ' << name;
    }
    EXPECT_EQ(offered(folder_.path(), {"tr"}), std::vector<std::string>{"trace"});
    EXPECT_EQ(offered(folder_.path(), {"completion", "f"}), std::vector<std::string>{"fish"});
    EXPECT_TRUE(offered(folder_.path(), {"positions", "--nothing"}).at(0).empty());
}

TEST_F(Completion, of_values_are_files) {
    std::ofstream(folder_.path() / "model.safetensors") << "x";
    EXPECT_EQ(offered(folder_.path(), {"trace", "--model", "mod"}),
              std::vector<std::string>{"model.safetensors"});
}

TEST(ManPage, names_every_command_and_option) {
    CLI::App app("headlight", "headlight");
    cli::add_commands(app);
    const std::string page = headlight({"man"}).out;
    EXPECT_TRUE(page.starts_with(".TH HEADLIGHT 1\n"));
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        const std::size_t at = page.find(".SS headlight " + command->get_name() + "\n");
        ASSERT_NE(at, std::string::npos) << command->get_name();
        const std::string part = page.substr(at, page.find("\n.SS", at + 1) - at);
        for (const CLI::Option* option : command->get_options())
            for (std::string name : option->get_lnames()) {
                for (std::size_t i = 0; (i = name.find('-', i)) != name.npos; i += 2)
                    name.replace(i, 1, "\\-");
                EXPECT_NE(part.find("\\-\\-" + name), std::string::npos) << name;
            }
    }
}

TEST(Help, is_what_the_option_prints) {
    for (const char* command : {"maps", "trace", "completion", "help"}) {
        const Outcome asked = headlight({"help", command});
        EXPECT_EQ(asked.status, 0) << asked.error;
        EXPECT_EQ(asked.out, headlight({command, "--help"}).out);
        EXPECT_NE(asked.out.find(std::string("headlight ") + command), std::string::npos);
    }
    EXPECT_EQ(headlight({"help"}).out, headlight({"--help"}).out);
    expect_failure(headlight({"help", "nonsense"}), 2, "help: expected a command");
    expect_failure(headlight({"help", "maps", "nonsense"}), 2, "found \"maps nonsense\"");
}

TEST(Outputs, have_the_same_three_names_in_every_command) {
    CLI::App app("headlight", "headlight");
    cli::add_commands(app);
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (const CLI::Option* out = command->get_option_no_throw("--out"); out != nullptr) {
            EXPECT_TRUE(out->check_lname("output")) << command->get_name();
            EXPECT_TRUE(out->check_sname("o")) << command->get_name();
        }
}

TEST_F(Cli, an_output_can_be_named_as_other_programs_do) {
    for (const char* option : {"-o", "--output", "--out"}) {
        const std::string path = (folder_ / "table.npy").string();
        fs::remove(path);
        EXPECT_EQ(headlight({"positions", "--kind", "sinusoidal", "--rows", "2", "--cols", "3",
                             "--dim", "4", option, path})
                      .status,
                  0);
        EXPECT_TRUE(fs::exists(path)) << option;
    }
}

}  // namespace
}  // namespace headlight
