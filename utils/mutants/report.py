"""What a run of mutants.py has found: a summary, an exit code and a page."""

OPERATORS = {
    "relation": "`<` and `<=`, `>` and `>=` stand for each other",
    "equality": "`==` and `!=` stand for each other",
    "negate-condition": "the condition of an `if` or `?:` is negated",
    "condition-false": "an early return, `continue` or `break` is never taken; nor is a branch whose condition declares a variable",
    "condition-true": "an early return, `continue` or `break` is always taken",
    "drop-left": "`a && b` and `a \\|\\| b` become `b`",
    "drop-right": "`a && b` and `a \\|\\| b` become `a`",
    "skip-loop": "the condition of a loop is false from the start; a loop over a range ends at its first element",
    "arithmetic": "`+` and `-`, `*` and `/`, `<<` and `>>`, `&` and `\\|` stand for each other, also with `=`; `%` becomes `/`",
    "step": "`++` and `--` stand for each other, but for the steps of `for` loops, without which they do not end",
    "constant-plus-one": "an integer literal is greater by 1",
    "constant-zero": "an integer literal is 0",
    "flip-bool": "`true` and `false` stand for each other",
    "drop-call": "a call whose value is not used is not made",
    "drop-assignment": "an assignment is not made",
    "swap-arguments": "two arguments side by side of one type are exchanged",
    "return-true": "a function returns `true`, whatever it has found",
    "return-false": "a function returns `false`, whatever it has found",
    "return-success": "a function returns `success()`, whatever it has found",
    "return-failure": "a function returns `failure()`, whatever it has found",
    "return-none": "a function returns `std::nullopt` or `nullptr`",
    "return-zero": "a function returns 0",
    "return-empty": "a function returns an empty container or text",
}
HEAD = """# Mutants

How good the tests are is measured by mutants (mutation testing): small changes of the program, one at a time, which a
test ought to notice. [distaff-mutants](../utils/mutants/distaff-mutants.cpp) generates them from the syntax tree of each
source; [mutants.py](../utils/mutants/mutants.py) draws a sample, plants it in a copy of the tree as mutant schemata, and
runs for each mutant the tests that reach it, until one fails: the mutant is *killed*. The *score* is the share of killed
ones among those that build and are not *equivalent*: a mutant is that when
[equivalent.toml](../utils/mutants/equivalent.toml) says why no test can tell it from the program.
"""


def short(text, most=90):
    text = " ".join(text.split())
    return text if len(text) <= most else text[:most - 1] + "…"


def quoted(text):
    """As code in a cell of a table."""
    return f"`{short(text)}`".replace("|", "\\|") if text else "nothing"


def change_of(mutant):
    return f"{mutant['key']} (line {mutant['line']}): {short(mutant['original'])} => {short(mutant['replacement']) or 'nothing'}"


def folder_of(mutant):
    parts = mutant["file"].split("/")
    parts = parts[2:] if parts[:2] == ["include", "distaff"] else parts[1:] if parts[0] == "lib" else parts
    return parts[0]


class Report:
    def __init__(self, state, reasons, shown_command):
        self.state, self.reasons, self.command = state, reasons, shown_command
        self.verdicts = {m["key"]: self.verdict(m["key"]) for m in state["mutants"]}

    def verdict(self, key):
        if key in self.state["dropped"]:
            return "does not build"
        found = self.state["verdicts"].get(key, {"verdict": "undecided"})["verdict"]
        return "equivalent" if found in ("survived", "not reached") and key in self.reasons else found

    def keys(self, *verdicts):
        return [key for key, verdict in self.verdicts.items() if verdict in verdicts]

    def needless(self):
        """Entries of equivalent.toml that are wrong: the mutant is killed, or is not there."""
        return [(key, "is killed by " + self.state["verdicts"][key]["by"]) for key in self.keys("killed") if key in self.reasons] + \
               [(key, "is no mutant") for key in self.state["stale"]]

    def exit_code(self):
        if self.needless() or self.keys("survived", "not reached"):
            return 1
        return 3 if self.keys("undecided") else 0

    @staticmethod
    def score(verdicts):
        killed = verdicts.count("killed")
        judged = killed + verdicts.count("survived") + verdicts.count("not reached")
        return f"{100 * killed / judged:.1f} %" if judged else "-"

    def summary(self):
        verdicts = list(self.verdicts.values())
        lines = [change_of(m) + f": {self.verdicts[m['key']]}" for m in self.state["mutants"]
                 if self.verdicts[m["key"]] in ("survived", "not reached")]
        lines += [f"equivalent.toml: {key} {why}" for key, why in self.needless()]
        counts = ", ".join(f"{verdicts.count(v)} {v}" for v in ("killed", "survived", "not reached", "equivalent", "does not build", "undecided"))
        return "\n".join([*lines, f"{len(verdicts)} mutants: {counts}; score {self.score(verdicts)}"])

    def table(self, head, group):
        """Rows of counts, of mutants by what `group` says of them."""
        kinds = ("killed", "survived", "not reached", "equivalent", "does not build", "undecided")
        groups = {}
        for mutant in self.state["mutants"]:
            groups.setdefault(group(mutant), []).append(self.verdicts[mutant["key"]])
        lines = [f"| {head} | drawn | {' | '.join(kinds)} | score |", "| --- |" + " --- |" * (len(kinds) + 2)]
        for name, verdicts in [*sorted(groups.items()), ("all", list(self.verdicts.values()))]:
            cells = [name, str(len(verdicts)), *(str(verdicts.count(kind)) for kind in kinds), self.score(verdicts)]
            lines.append(f"| {' | '.join(cells)} |")
        return [*lines, ""]

    def living(self):
        lines = ["| mutant | line | change | why it lives |", "| --- | --- | --- | --- |"]
        for mutant in self.state["mutants"]:
            key = mutant["key"]
            if self.verdicts[key] not in ("survived", "not reached", "equivalent"):
                continue
            found = self.state["verdicts"][key]
            why = self.reasons.get(key) or ("**no test reaches it**" if found["verdict"] == "not reached" else f"**{found['by']}**")
            lines.append(f"| `{key}` | {mutant['line']} | {quoted(mutant['original'])} becomes {quoted(mutant['replacement'])} | {why} |")
        return [*lines, ""] if len(lines) > 2 else ["None.", ""]

    def page(self):
        unused = sorted(test for test, result in self.state["tests"].items() if not result["passed"])
        tests = f", with the tests of {self.state['tests_commit']}," if "tests_commit" in self.state else ""
        lines = [HEAD, f"Run on {self.state['date']} at commit {self.state['commit']}{tests} by `{self.command}`: of {self.state['generated']} mutants "
                 f"{len(self.verdicts)} were drawn (seed {self.state['selection']['seed']}), {len(self.state['tests'])} tests ran.", "",
                 "## By folder", "", *self.table("folder", folder_of), "## By operator", "", *self.table("operator", lambda m: m["operator"]),
                 "## Operators", "", "| operator | change |", "| --- | --- |", *(f"| {name} | {text} |" for name, text in OPERATORS.items()), "",
                 "No mutants have macros, code that the compiler evaluates (`constexpr` tables above all), default arguments, default values",
                 "of members, and captures.", "", "## What lives", "", *self.living()]
        if unused:
            lines += ["## Tests that were not used", "", "They fail with nothing planted, or do not run on this machine: some look at the sources themselves, some need another CPU, and\ntests that are younger than the sources may be of defects mended since.", "",
                      *(f"- `{test}`" for test in unused), ""]
        return "\n".join(lines)
