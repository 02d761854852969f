#include "cli/shell.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.h"
#include "cli/errors.h"
#include "kernels/in_quotes.h"

namespace headlight::cli {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands(
        [](const CLI::App* command) { return !command->get_name().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
    return app.get_options([](const CLI::Option* option) { return !option->get_positional(); });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
    return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

// "--out", "-o", "--output".
std::vector<std::string> option_names(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    return names;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// The choices in "TEXT:{hues,rows}"; empty if any text is allowed.
std::vector<std::string> choices_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::size_t open = type.find('{'), close = type.find('}');
    std::vector<std::string> choices;
    if (open == type.npos || close == type.npos) return choices;
    std::string_view rest = std::string_view(type).substr(open + 1, close - open - 1);
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        choices.emplace_back(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return choices;
}

// A command, or a subcommand: "lesson", "lesson new".
struct Path {
    std::string words;
    const CLI::App* command;
};

std::vector<Path> all_commands(const CLI::App& app) {
    std::vector<Path> paths;
    for (const CLI::App* command : commands_of(app)) {
        paths.push_back({command->get_name(), command});
        for (const CLI::App* inner : commands_of(*command))
            paths.push_back({command->get_name() + " " + inner->get_name(), inner});
    }
    return paths;
}

// ---- roff

std::string roff(std::string_view text) {
    std::string page;
    bool starts = true;  // at the start of a line, where "." and "'" begin a request
    for (const char c : text) {
        if (starts && (c == '.' || c == '\'')) page += "\\&";
        if (c == '\\')
            page += "\\e";
        else if (c == '-')
            page += "\\-";
        else
            page += c;
        starts = c == '\n';
    }
    return page;
}

std::string option_in_roff(const CLI::Option& option) {
    const bool named = !option.get_positional();
    std::string head =
        named ? fmt::format("{}", fmt::join(option_names(option), ", ")) : option.get_name();
    if (const auto choices = choices_of(option); !choices.empty())
        head += fmt::format(" {}", fmt::join(choices, "|"));
    else if (named && takes_value(option))
        head += " " + option.get_type_name();
    std::string words = option.get_description();
    if (!option.get_default_str().empty()) words += fmt::format(" [{}]", option.get_default_str());
    return fmt::format(".TP\n.B {}\n{}\n", roff(head), roff(words));
}

std::string options_in_roff(const CLI::App& app) {
    std::string page;
    for (const CLI::Option* option : positionals_of(app)) page += option_in_roff(*option);
    for (const CLI::Option* option : options_of(app)) page += option_in_roff(*option);
    return page;
}

// The text after the options in --help, line by line.
std::string footer_in_roff(const CLI::App& app) {
    std::string text = app.get_footer();
    text.erase(0, text.find_first_not_of('\n'));
    while (text.ends_with('\n')) text.pop_back();
    return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", roff(text));
}

// ---- shells

std::vector<std::string> names_of_commands(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
    return names;
}

std::vector<std::string> names_of_options(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : options_of(app))
        for (const std::string& name : option_names(*option)) names.push_back(name);
    return names;
}

// The possible next words for each command path.
std::string words_case(const std::string& path, const CLI::App& app) {
    std::vector<std::string> words = names_of_commands(app);
    for (const CLI::Option* option : positionals_of(app))
        for (const std::string& choice : choices_of(*option)) words.push_back(choice);
    return fmt::format("        {}) words=\"{}\" options=\"{}\" ;;\n",
                       path.empty() ? "''" : "'" + path + "'", fmt::join(words, " "),
                       fmt::join(names_of_options(app), " "));
}

std::string choice_cases(const std::string& path, const CLI::App& app) {
    std::string cases;
    for (const CLI::Option* option : options_of(app)) {
        const auto choices = choices_of(*option);
        for (const std::string& name :
             choices.empty() ? std::vector<std::string>() : option_names(*option))
            cases += fmt::format(
                "        '{} {}') COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n", path,
                name, fmt::join(choices, " "));
    }
    return cases;
}

std::string bash(const CLI::App& app) {
    std::string words = words_case("", app), choices = choice_cases("", app);
    for (const Path& path : all_commands(app)) {
        words += words_case(path.words, *path.command);
        choices += choice_cases(path.words, *path.command);
    }
    return fmt::format(
        R"sh(# Completes the arguments of headlight. Made by `headlight completion bash`.
_headlight() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} path='' i words options
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case " {} " in
            *" ${{path:+$path }}${{COMP_WORDS[i]}},"*) path=${{path:+$path }}${{COMP_WORDS[i]}} ;;
        esac
    done
    case "$path ${{COMP_WORDS[COMP_CWORD-1]}}" in
{}    esac
    case $path in
{}    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    else
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        local IFS=$'\n'
        COMPREPLY+=($(compgen -f -- "$word"))
    fi
}}
complete -o filenames -F _headlight headlight
)sh",
        [&] {
            std::string paths;
            for (const Path& path : all_commands(app)) paths += " " + path.words + ",";
            return paths;
        }(),
        choices, words);
}

// A word in shell quotes; drops characters that would end the quote.
std::string quoted(std::string text) {
    std::erase(text, '\'');
    std::erase(text, '\n');
    return "'" + text + "'";
}

std::string fish_option(const std::string& condition, const CLI::Option& option) {
    std::string line = fmt::format("complete -c headlight -n \"{}\"", condition);
    for (const std::string& name : option.get_lnames()) line += " -l " + name;
    for (const std::string& name : option.get_snames()) line += " -s " + name;
    const auto choices = choices_of(option);
    if (takes_value(option)) line += " -r";
    if (!choices.empty()) line += fmt::format(" -f -a '{}'", fmt::join(choices, " "));
    return line + " -d " + quoted(option.get_description()) + "\n";
}

std::string fish(const CLI::App& app) {
    std::string text =
        "# Completes the arguments of headlight. Made by `headlight completion fish`.\n";
    for (const CLI::App* command : commands_of(app))
        text += fmt::format("complete -c headlight -n __fish_use_subcommand -a {} -d {}\n",
                            command->get_name(), quoted(command->get_description()));
    for (const CLI::Option* option : options_of(app))
        text += fish_option("__fish_use_subcommand", *option);
    for (const CLI::App* command : commands_of(app)) {
        const std::string seen = "__fish_seen_subcommand_from " + command->get_name();
        for (const CLI::App* inner : commands_of(*command))
            text += fmt::format("complete -c headlight -n \"{}\" -a {} -d {}\n", seen,
                                inner->get_name(), quoted(inner->get_description()));
        for (const CLI::Option* option : options_of(*command)) text += fish_option(seen, *option);
    }
    return text;
}

std::string man_page(const CLI::App& app) {
    std::string page = ".TH HEADLIGHT 1\n.SH NAME\nheadlight \\- " + roff(app.get_description()) +
                       "\n.SH SYNOPSIS\n.B headlight\n[\\fIIMAGE\\fR...] "
                       "[\\fIOPTIONS\\fR]\n.br\n.B headlight\n\\fICOMMAND\\fR "
                       "[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\nWithout a command, headlight opens its "
                       "window. The commands run the same engine without a window.\n.SH OPTIONS\n" +
                       options_in_roff(app) + ".SH COMMANDS\n";
    for (const auto& [words, command] : all_commands(app))
        page += fmt::format(".SS headlight {}\n{}.\n{}{}", roff(words),
                            roff(command->get_description()), options_in_roff(*command),
                            footer_in_roff(*command));
    return page +
           ".SH EXIT STATUS\n0: success. 1: the command failed. 2: wrong usage.\n.SH "
           "FILES\n.TP\n.I $XDG_STATE_HOME/headlight/session.json\nYour settings, restored at the "
           "next start. Usually in ~/.local/state.\n.SH SEE ALSO\nThe manual: press F1 in the "
           "window.\n";
}

// For bash, zsh or fish.
std::string completion(const CLI::App& app, const std::string& shell) {
    if (shell == "fish") return fish(app);
    // zsh reads what bash does.
    return shell == "bash"
               ? bash(app)
               : "#compdef headlight\nautoload -U +X bashcompinit && bashcompinit\n" + bash(app);
}

// What --help of the command prints; without words, of the program.
std::string help_of(const CLI::App& app, const std::vector<std::string>& words) {
    std::string before = app.get_name();
    // App::help() would describe the command that was parsed, which is "help".
    if (words.empty())
        return app.get_formatter()->make_help(&app, before, CLI::AppFormatMode::Normal);
    const CLI::App* command = &app;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) before += " " + command->get_name();
        const std::vector<const CLI::App*> inner = commands_of(*command);
        const auto named =
            std::ranges::find(inner, words[i], [](const CLI::App* one) { return one->get_name(); });
        if (named == inner.end())
            throw UsageError(
                fmt::format("help: expected a command (headlight help lists them), "
                            "found {}.",
                            in_quotes(fmt::format("{}", fmt::join(words, " ")))));
        command = *named;
    }
    return command->help(before);
}

void add_help(CLI::App& app) {
    const auto words = std::make_shared<std::vector<std::string>>();
    CLI::App* command =
        app.add_subcommand("help", "Print the options of a command, or list the commands");
    command->add_option("COMMAND", *words, "the command, such as maps, or lesson new. Default: all")
        ->type_name(fmt::format("TEXT:{{{}}}", fmt::join(names_of_commands(app), ",")));
    command->callback([&app, words] { guarded([&] { std::cout << help_of(app, *words); }); });
}

}  // namespace

void add_shell_commands(CLI::App& app) {
    app.add_subcommand("man", "Print the manual page: headlight man | man -l -")->callback([&app] {
        guarded([&] { std::cout << man_page(app); });
    });
    const auto shell = std::make_shared<std::string>();
    CLI::App* command =
        app.add_subcommand("completion", "Print a script that completes commands in your shell");
    command->add_option("SHELL", *shell, "your shell")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    command->callback([&app, shell] { guarded([&] { std::cout << completion(app, *shell); }); });
    add_help(app);
}

}  // namespace headlight::cli
