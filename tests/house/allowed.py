# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is still allowed to break a rule of the house: allowed.txt, which can only become shorter.

    RULE FILE NAME...   calls: what the file may name; parameters: which of its functions may have more
    RULE FILE NUMBER    columns: how many of its lines may be longer; lines: how many lines it may have

An entry that is not needed any more is a violation too. 'tests/house/check --shrink' takes those away and lowers the
numbers; nothing adds entries but a hand."""
import os

NUMBERS = ("columns", "lines")


class Allowed:
    def __init__(self, text=""):
        self.entries = {}  # (rule, file) -> names, or one number
        self.needed = {}   # the same, of what was asked for
        for line in text.split("\n"):
            words = line.split("#")[0].split()
            if words:
                self.entries.setdefault((words[0], words[1]), []).extend(words[2:])

    def name(self, rule, path, name):
        """Whether a file may break a rule by this name."""
        if name not in self.entries.get((rule, path), ()):
            return False
        self.needed.setdefault((rule, path), set()).add(name)
        return True

    def number(self, rule, path, count):
        """Whether a file may break a rule this many times."""
        entry = self.entries.get((rule, path))
        if entry:
            self.needed[rule, path] = {str(min(count, int(entry[0])))}
        return bool(entry) and count <= int(entry[0])

    def superfluous(self, rules):
        """Complaints about entries that nothing needed, once all checks of these rules have run. A number that is too
        large is no reason to complain as long as the file needs one."""
        for (rule, path), words in self.entries.items():
            needed = self.needed.get((rule, path), set())
            left = [] if rule in NUMBERS and needed else [word for word in words if word not in needed]
            if rule in rules and left:
                yield f"tests/house/allowed.txt: {rule} {path} {' '.join(left)} is not needed any more: " \
                      "tests/house/check --shrink"

    def shrunk(self, text):
        """The table's text without what is not needed."""
        kept = []
        for line in text.split("\n"):
            words = line.split("#")[0].split()
            if words:
                needed = self.needed.get((words[0], words[1]), set())
                left = sorted(needed) if words[0] in NUMBERS else [word for word in words[2:] if word in needed]
                if not left:
                    continue
                if left != words[2:]:
                    line = " ".join([words[0], words[1], *left])
            kept.append(line)
        return "\n".join(kept)


def table_of(root):
    return os.path.join(root, "tests", "house", "allowed.txt")


def read_table(root):
    try:
        with open(table_of(root), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""
