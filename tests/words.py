#!/usr/bin/env python3
"""Lists what is not plain English: phrases, words that the glossary replaces, British spellings and sentences of
more than 28 words, each with file and line.

    python3 tests/words.py            everything: *.md, what `dev` prints, and strings of the program
    python3 tests/words.py FILE…      these files, or all in these folders

The exit status is 1 where something is found. What stands in code (`…` and fenced blocks) is not looked at.
"""

import re
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
MOST_WORDS = 28

# What is found, and what to write instead.
PHRASES = [(re.compile(found, re.IGNORECASE), instead) for found, instead in (
    (r"\bso (?:many|much) (?:of|per|pixels|windows|rows|maps|units)\b", "say the number, or “this many”"),
    (r"\bstands? (?:beside|below|above|behind|under|between|there|on the|in the|at the|for itself)\b", "is"),
    (r"\banew\b", "again"),
    (r"\bshall\b", "should, or will"),
    (r"\b(?:nobody|somebody)\b", "name the person, or “you”"),
    (r"(?:^|[.,;:(] |\b(?:as|what|when|where|which|how|that|than|if|whether|because|before|after|until|and|or) )one "
     r"(?:can|may|must|could|should|would|has|looks|comes|came|knows|sees|wants|points|speaks|goes|got|answers|asks|had|"
     r"does|did|reads|begins|thinks|tries|clicks|drags|moves)\b", "you"),
    (r"\bone(?:'|’)s own\b|\bof one(?:'|’)s\b", "your"),
    (r"\bwho(?:ever|m)\b", "name the thing"),
    (r"\b(?:is|are) to be (?:seen|found|said|had|read)\b", "say who does it"),
    (r"\b(?:thereof|whereof|wherein|therein|hereby|hence|whence|thence)\b", "use a plain word"),
    (r"\b(?:held|holds?|holding) [^.]{0,40}\bagainst\b", "compare … with"),
    (r"\bin (?:the|its|their) (?:place|stead) of\b", "instead of"),
    (r"\bgoes before\b", "takes precedence over"),
    (r"\bcomes? along\b", "comes with Headlight"),
    (r"\blets? go(?: of)?\b|\bletting go\b", "release"),
    (r"\b(?:but|save) for what\b", "except for"),
    (r"\bbeside (?:that|these|this)\b", "also"),
    (r"\bnothing need\b", "no … needed"),
    (r"\bnot to be (?:read|seen|had)\b", "masked, hidden, or missing"),
    (r"\bthat stands? beside\b", "documented in"),
    (r"\b(?:what|which) (?:it|the model) makes of\b", "say what is computed"),
    (r"\bof no (?:patch|model|head|layer|token)\b", "put the subject first"),
    (r"\btill\b", "until"),
)]

# Words that the glossary replaces.
TERMS = [(re.compile(found, re.IGNORECASE), instead) for found, instead in (
    (r"\breads? from\b|\b(?:is|are|be) read by\b|\bread by all\b|\bread alike\b", "attends to, is attended by"),
    (r"\bmixtures?\b", "weighted sum, weighted average"),
    (r"\bheaps?\b", "unordered set"),
    (r"(?<!standard )\bdeviations?\b", "standard deviation"),
    (r"(?<!residual )(?<!token )\bstream\b(?!s? of)", "residual stream"),
    (r"\btables? of places\b", "position embedding"),
    (r"\bgives? way\b", "saturates"),
    (r"\bas shares\b|\bshares of\b", "attention weights"),
    (r"\bbut for (?:what rounding|a factor)\b", "up to rounding error, up to a constant factor"),
)]

# American spelling. Names of fields and options that are spelled otherwise are code.
SPELLING = [(re.compile(found, re.IGNORECASE), instead) for found, instead in (
    (r"\bcolour", "color"),
    (r"\bneighbour", "neighbor"),
    (r"\bcentre", "center"),
    (r"\bgrey", "gray"),
    (r"\blicence", "license"),
    (r"(?<!\")\b(?:normal|recogn|initial|optim|summar|visual|general)is(?:e|ed|es|ing|ation)\b", "-ize"),
    (r"\bbehaviour", "behavior"),
    (r"\blabelled\b", "labeled"),
)]

WORD = re.compile(r"[\w'’\-]*[A-Za-z][\w'’\-]*")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"”)*]*\s+(?=[A-Z“\"(*`])")


class Piece:
    """A run of prose, and where its letters come from."""

    def __init__(self):
        self.text, self.lines = "", []

    def add(self, text, line):
        self.text += text
        self.lines += [line] * len(text)

    def line(self, at):
        return self.lines[min(at, len(self.lines) - 1)]


def findings(piece):
    """(line, what, excerpt) of a piece of prose."""
    for rules, what in ((PHRASES, "say"), (TERMS, "the glossary says"), (SPELLING, "spell")):
        for found, instead in rules:
            for hit in found.finditer(piece.text):
                yield piece.line(hit.start()), f"{what} “{instead}”", hit.group()
    start = 0
    for end in [m.start() for m in SENTENCE_END.finditer(piece.text)] + [len(piece.text)]:
        words = [word for word in WORD.findall(piece.text[start:end]) if "_" not in word]
        if len(words) > MOST_WORDS:
            yield piece.line(start), f"a sentence of {len(words)} words", " ".join(words[:8]) + " …"
        start = end


def without_code(line):
    """Code and what is set apart, such as the name of a button, become a word each, and links their words."""
    if re.match(r"(?:until|with): ", line):  # of a lesson's task
        return ""
    line = re.sub(r"(`+)(.+?)\1", "Code", line)
    line = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", line)
    line = re.sub(r"<[^<>\s]+:[^<>\s]+>|\$[^$\s][^$]*\$|\{(?:value|percent) [^}]*\}", "Code", line)
    line = re.sub(r"(\*+)([^*\s][^*]*)\1", "Name", line)
    return re.sub(r"<!--.*?-->", "", line)


def pieces_of_markdown(text):
    """Paragraphs, items and cells of tables."""
    piece, fenced = Piece(), None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fenced or mark:
            if mark and fenced is None:
                fenced = mark.group(1)
            elif mark and line.strip() == fenced:
                fenced = None
            yield piece
            piece = Piece()
            continue
        shown = without_code(line)
        begins = re.match(r"\s*(?:[-*+>?!] |\d+\. |#+ |- \[x\] )", shown)
        if not shown.strip() or begins or shown.lstrip().startswith("|") or line.startswith("    "):
            yield piece
            piece = Piece()
        if line.startswith("    ") and not begins:
            continue
        if shown.lstrip().startswith("|"):
            for cell in shown.strip().strip("|").split("|"):
                piece.add(cell.strip(), number)
                yield piece
                piece = Piece()
        elif shown.strip():
            piece.add(shown.strip() + " ", number)
    yield piece


def literals(text):
    """(line, value) of the strings of C++; those that follow each other are one."""
    token = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)+\'|#include[^\n]*|\s+|.', re.DOTALL)
    line, value, begun = 1, "", 0
    for found in token.finditer(text):
        all_of_it = found.group()
        string = found.group(2) if all_of_it.startswith('R"') else found.group(3)
        if string is not None:
            begun = begun or line
            value += string.replace("\\n", "\n").replace('\\"', '"')
        elif not (all_of_it.isspace() or all_of_it.startswith(("//", "/*"))):
            if value:
                yield begun, value
            value, begun = "", 0
        line += all_of_it.count("\n")
    if value:
        yield begun, value


def pieces_of_program(text):
    for line, value in literals(text):
        if " " not in value.strip() or "#version" in value or "lambda " in value or len(WORD.findall(value)) < 3:
            continue
        for part in re.split(r"\n", value):
            piece = Piece()
            piece.add(re.sub(r"\{[^{}]*\}|'\{.*?\}'", "Code", part), line)
            yield piece


def pieces_of_shell(text):
    """What a script prints: its here-documents."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if inside and line == "END":
            inside = False
        elif inside:
            piece = Piece()
            piece.add(line.strip() or " ", number)
            yield piece
        elif line.rstrip().endswith("<<'END'"):
            inside = True


def pieces_of(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".md":
        return pieces_of_markdown(text)
    return pieces_of_shell(text) if path.suffix == "" else pieces_of_program(text)


def markdown_in(folder):
    return sorted(path for path in folder.rglob("*.md") if "build" not in path.relative_to(folder).parts)


def everything():
    yield from markdown_in(SOURCE)
    yield SOURCE / "dev"
    for folder in ("app", "engine"):
        yield from sorted(path for path in (SOURCE / folder).rglob("*") if path.suffix in (".cpp", ".h"))


def asked(names):
    for name in names:
        path = Path(name).resolve()
        yield from markdown_in(path) if path.is_dir() else [path]


def main(names):
    count = 0
    for path in asked(names) if names else everything():
        shown = path.relative_to(SOURCE) if path.is_relative_to(SOURCE) else path
        for piece in pieces_of(path):
            for line, what, excerpt in findings(piece) if piece.text.strip() else ():
                print(f"{shown}:{line}: {what}: {excerpt}")
                count += 1
    print(f"{count} found" if count else "nothing found")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
