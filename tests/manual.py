#!/usr/bin/env python3
"""README.md and the manual against the program: links and anchors lead somewhere; commands, options, fields and
labels that they name exist; and the commands that they show do their work.

    python3 tests/manual.py build/release/headlight
"""

import json
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
MANUAL = SOURCE / "assets" / "manual"
PAGES = [SOURCE / "README.md", *sorted(MANUAL.glob("*.md"))]
PROGRAM = Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 and not sys.argv[-1].startswith("-") else None
# Commands that are run as shown. The others need a display, or files that do not exist.
RUN = {"info", "trace", "compare", "torch", "maps", "measure", "curves", "lens", "norms", "figure", "positions", "scenes", "heads", "lesson", "man",
       "completion"}
FILE = re.compile(r"[\w./-]+\.(?:safetensors|npy|npz|png|jpg|md|txt|json|py|svg)$")


@cache
def help_of(*commands):
    done = subprocess.run([PROGRAM, *commands, "--help"], capture_output=True, text=True, check=True)
    return done.stdout


@cache
def subcommands(*commands):
    listed = help_of(*commands).split("\nSubcommands:\n")
    return re.findall(r"^  ([a-z]+)\b", listed[1].split("\n\n")[0], re.MULTILINE) if len(listed) > 1 else []


@cache
def options(*commands):
    return set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", help_of(*commands)))


@cache
def all_options():
    every = options()
    for command in subcommands():
        every = every | options(command)
        for inner in subcommands(command):
            every = every | options(command, inner)
    return every


@cache
def script_words():
    """Names of commands of scripts, and of fields."""
    commands, fields = help_of("shot").split("\nFields, for set, reset and toggle:\n")
    return set(re.findall(r"^  ([a-z][a-z-]*)", commands, re.MULTILINE)), set(re.findall(r"^  ([a-z]\w*)", fields, re.MULTILINE))


@cache
def source_text():
    """All text that a name may come from: the program, its assets, and `dev`."""
    files = [SOURCE / "dev", SOURCE / "CMakeLists.txt", SOURCE / "CMakePresets.json", SOURCE / "tests" / "words.py"]
    for folder, endings in (("app", ".cpp .h"), ("engine", ".cpp .h"), ("assets/models", ".py .json"),
                            ("assets/scripts", ".txt"), ("assets/lessons", ".md"), ("cmake", ".cmake .h")):
        files += [path for path in sorted((SOURCE / folder).rglob("*")) if path.suffix in endings.split()]
    text = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files)
    return re.sub(r'"\s*\n\s*"', "", text)  # strings that go on in the next line


def anchor(heading):
    """As code hosts make it."""
    words = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower())
    return words.strip().replace(" ", "-")


@cache
def anchors(path):
    found, fenced = set(), False
    for line in path.read_text(encoding="utf-8").splitlines():
        fenced ^= line.startswith("```")
        if not fenced and (heading := re.match(r"#+ (.*)", line)):
            found.add(anchor(heading.group(1)))
    return found


def blocks(path):
    """(language, text) of each fenced block."""
    return re.findall(r"^```(\w*)\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def prose(path):
    return re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def spans(path):
    return re.findall(r"`([^`]+)`", re.sub(r"\s*\n\s*", " ", prose(path)))


def command_lines(path):
    """The program's arguments, of each of its lines in fenced blocks; and those of ./dev."""
    for language, text in blocks(path):
        for line in text.replace("\\\n", " ").splitlines() if not language else ():
            line = re.sub(r"^xvfb-run -a ", "", line)
            if re.match(r"(?:build/release/)?headlight\b|\./dev\b", line):
                yield shlex.split(line)


class Manual(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for path in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
                if re.match(r"https?:", target):
                    continue
                with self.subTest(page=path.name, link=target):
                    file, _, place = target.partition("#")
                    there = (path.parent / file).resolve() if file else path
                    self.assertTrue(there.exists())
                    if place:
                        self.assertIn(place, anchors(there))

    def test_every_page_is_in_the_contents(self):
        contents = (MANUAL / "README.md").read_text()
        for path in PAGES[1:]:
            if path.name != "README.md":
                self.assertIn(f"({path.name})", contents)

    def test_the_readme_is_a_page(self):
        text = (SOURCE / "README.md").read_bytes()
        self.assertLessEqual(len(text.splitlines()), 150)
        self.assertLessEqual(len(text), 9 * 1024)

    def check_command(self, words):
        if words[0] == "./dev":
            self.assertRegex((SOURCE / "dev").read_text(), rf"(?m)^\./dev {words[1]}\b")
            return
        inner = [words[1]] if len(words) > 1 and words[1] in subcommands() else []
        if inner and len(words) > 2 and words[2] in subcommands(*inner):
            inner.append(words[2])
        if not inner and len(words) > 1 and re.fullmatch(r"[a-z][a-z-]*", words[1]):
            self.fail(f"no command {words[1]}")
        for word in words[1:]:
            if re.match(r"--?[a-z]", word):
                self.assertIn(word.split("=")[0], options(*inner))

    def test_shown_commands_exist(self):
        for path in PAGES:
            for words in command_lines(path):
                with self.subTest(page=path.name, line=" ".join(words)):
                    self.check_command(words)

    def test_shown_scripts_are_made_of_commands_and_fields(self):
        commands, fields = script_words()
        for path in PAGES:
            for language, text in blocks(path):
                for line in text.splitlines() if language == "headlight" else ():
                    with self.subTest(page=path.name, line=line):
                        self.check_script_line(line, commands, fields)

    def check_script_line(self, line, commands, fields):
        words = line.split()
        if words and not line.startswith("#"):
            self.assertIn(words[0], commands)
            if words[0] in ("set", "reset", "toggle") and words[1:] and words[1] not in ("FIELD", "all"):
                self.assertIn(words[1], fields)

    def test_what_stands_in_code_exists(self):
        commands, fields = script_words()
        text = source_text()
        for path in PAGES:
            for span in spans(path):
                with self.subTest(page=path.name, span=span):
                    first = span.split()[0]
                    if first in ("headlight", "./dev", "build/release/headlight") and " " in span:
                        words = shlex.split(re.sub(r"[…]|COMMAND", "", span))
                        self.check_command(words)
                    elif first in ("set", "reset", "toggle"):
                        self.check_script_line(span, commands, fields)
                    elif first.startswith("--"):
                        for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", span):
                            self.assertIn(option, all_options())
                    elif re.fullmatch(r"[a-z0-9]+(?:[_-][a-z0-9]+)+|[a-z_]+(?:\.[a-z_]+)+", span) and not FILE.match(span):
                        self.assertTrue(span in text, "nothing in the sources is called so")
                    elif first in commands and " " in span:
                        self.check_script_line(span, commands, fields)

    def test_labels_in_bold_are_labels_of_the_program(self):
        text = source_text().lower()
        for path in PAGES[1:]:
            if path.name == "glossary.md":
                continue
            for label in re.findall(r"(?<!\*)\*\*([^*]+)\*\*", re.sub(r"\s*\n\s*", " ", prose(path))):
                # A sentence, or its introduction, is no label.
                if label.endswith((".", ":")) or label.lower() in ("hover", "click", "escape") or "`" in label:
                    continue
                with self.subTest(page=path.name, label=label):
                    self.assertTrue(label.lower() in text, "no label of the program")

    def test_settings_are_fields_or_keys(self):
        """Every key in the tables of settings.md is known to the program."""
        text = source_text()
        for line in (MANUAL / "settings.md").read_text().splitlines():
            for key in re.findall(r"`(\w+)`", line.split("|")[1]) if line.startswith("| `") else ():
                with self.subTest(key=key):
                    self.assertTrue(f'"{key}"' in text, "no key that the program knows")

    def test_shown_commands_do_their_work(self):
        for path in PAGES:
            with tempfile.TemporaryDirectory() as folder:
                Path(folder, "assets").symlink_to(SOURCE / "assets")
                for words in command_lines(path):
                    inner = words[1] if len(words) > 1 else ""
                    if inner not in RUN or not self.has_all(folder, words):
                        continue
                    with self.subTest(page=path.name, line=" ".join(words)):
                        end = next((i for i, word in enumerate(words) if word in ("|", ">")), len(words))
                        done = subprocess.run([PROGRAM, *words[1:end]], cwd=folder, capture_output=True, text=True)
                        self.assertEqual(done.returncode, 0, done.stderr)

    def has_all(self, folder, words):
        """Whether its input files exist."""
        written = {words[i + 1] for i, word in enumerate(words[:-1]) if word in ("--out", "--output", "-o", "--truth", "new")}
        return all(Path(folder, word).exists() for word in words[2:] if FILE.match(word) and word not in written)


if __name__ == "__main__":
    unittest.main(verbosity=1)
