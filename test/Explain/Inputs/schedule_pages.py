"""Every schedule of the samples as text, data and a page, held against each other.

    python3 schedule_pages.py OUT_DIR [--distaff PATH]

The functions of test/Dialect/PCF/samples-*.mlir whose dialects are known, each in
a file of its own. A page is parsed: its tags are balanced, its ids are unique, it
takes nothing from elsewhere, is below 200 KB, and has every label of the data in
it, in one text or wrapped into several. One line per function, `ok` or `FAIL`.
"""
import argparse
import html.parser
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ForkServer"))
import fork_server

ROOT = pathlib.Path(__file__).resolve().parents[3]
VOID = {"meta", "rect", "path", "br"}
# Pieces of kernels, which nobody could run.
EXCERPTS = {"bufferized", "mma_sync"}
parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--distaff", default="distaff")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)


class Page(html.parser.HTMLParser):
    """Texts and ids of a page, and what is wrong with its tags."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.texts, self.wrong = [], [], [], []
        self.feed(text)
        self.close()
        self.wrong += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.look(tag, attributes)

    def handle_startendtag(self, tag, attributes):
        self.look(tag, attributes)

    def look(self, tag, attributes):
        names = dict(attributes)
        self.ids += [names["id"]] if "id" in names else []
        if tag in ("script", "link", "img", "iframe", "object") or {"src", "href", "xlink:href"} & set(names):
            self.wrong.append(f"<{tag}> may take something from elsewhere")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            if "@import" in data or "url(" in data:
                self.wrong.append("styles from elsewhere")
        elif data.strip():
            self.texts.append(data.strip())


def labels(program):
    """What a schedule shows of a program."""
    waiting = list(program["steps"])
    split = {group["parent"] for group in program["groups"]}
    yield from (group["name"] for number, group in enumerate(program["groups"]) if group["cluster"] and number not in split)
    yield from (memory["name"] for memory in program["memories"])
    while waiting:
        step = waiting.pop()
        if step["kind"] == "phase":
            yield f"{step['number']} {step['label']}"
            yield from (access["place"] for access in step["reads"] + step["writes"])
        elif step["kind"] == "barrier":
            yield ", ".join(program["memories"][memory]["name"] for memory in step["orders"])
        else:
            yield step["title"]
            waiting += step["steps"]


def without_blanks(text):
    return re.sub(r"\s+", "", text)


def explain(path, form, *more):
    return fork_server.run([options.distaff, "explain", path, "--target", "sm_80", "--format", form, *more])


def faults(path):
    """What is wrong with the explanations of a file, which has one function."""
    data = explain(path, "json")
    if data.returncode:
        return [f"json: {data.stderr.splitlines()[0]}"]
    programs = json.loads(data.stdout)["programs"]
    made = options.out / "page.html"
    made.unlink(missing_ok=True)
    written = explain(path, "html", "-o", made)
    if written.returncode:
        return [f"html: {written.stderr.splitlines()[0]}"]
    text = explain(path, "text").stdout
    page = Page(made.read_text())
    found = page.wrong + [f"id {name} twice" for name in set(page.ids) if page.ids.count(name) > 1]
    found += [f"{made.stat().st_size} B"] * (made.stat().st_size > 200_000)
    drawn = {"page": without_blanks("".join(page.texts)), "text": re.sub(r"[│║┆]", "", without_blanks(text))}
    for program in programs:
        for label in labels(program):
            found += [f"the {kind} lacks '{label}'" for kind, shown in drawn.items() if without_blanks(label) not in shown]
    return found


def functions():
    for sample in sorted((ROOT / "test/Dialect/PCF").glob("samples-*.mlir")):
        text = sample.read_text()
        aliases = "".join(line + "\n" for line in text.splitlines() if re.match(r"[#!]\w+ *=", line))
        for match in re.finditer(r"func\.func @(\w+).*?\n}\n", text, re.S):
            if "pcf." in match[0] and '"test.' not in match[0] and match[1] not in EXCERPTS:
                path = options.out / f"{sample.stem[8:]}-{match[1]}.mlir"
                # Without a pipeline a kernel is explained by what it says.
                path.write_text((aliases + match[0]).replace("pipeline = RunClusterDistribute ", ""))
                yield path


def main():
    failed, explained = 0, 0
    for path in functions():
        wrong = faults(path)
        failed += bool(wrong)
        explained += 1
        print("FAIL" if wrong else "ok", path.name, "; ".join(wrong))
    print(f"{explained} explained, {failed} failures")
    return failed > 0


sys.exit(main())
