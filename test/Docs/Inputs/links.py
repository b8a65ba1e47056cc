#!/usr/bin/env python3
"""Links of pages lead somewhere, every page is reachable, and listed ops are tested.

usage: links.py [--index PAGE.md]

- A link of README.md, docs/*.md and docs/rationale/*.md that is no web address is a
  file of the repository, and its part behind `#` a heading of that page.
- README.md links every page of docs, and the index every page of docs/rationale.
- An op that docs/SupportedOps.md names stands in some test.

Exit status 1 if one of these does not hold.
"""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LINK = re.compile(r"\]\(([^)\s]+)\)")
OP = re.compile(r"`((?:\w+\.)+\w+)`")
DIALECTS = ("linalg", "tensor", "vector", "memref", "scf", "cf", "gpu", "nvgpu", "amdgpu", "pcf", "ub", "llvm", "iree_vector_ext",
            "iree_linalg_ext", "iree_codegen")


def prose(page):
    """A page without its fenced blocks."""
    return re.sub(r"(?ms)^\s*```.*?^\s*```\s*$", "", page.read_text())


def slugs(page):
    """What GitHub calls the headings of a page."""
    for title in re.findall(r"(?m)^#+ (.*)$", prose(page)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "").lower()
        yield re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def broken_links(pages):
    for page in pages:
        for link in LINK.findall(prose(page)):
            if re.match(r"\w+:", link):
                continue
            path, _, heading = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                yield f"{page.relative_to(ROOT)}: {link} does not exist"
            elif heading and target.suffix == ".md" and heading not in slugs(target):
                yield f"{page.relative_to(ROOT)}: {link} is no heading of that page"


def unlinked(pages, index, folder):
    linked = {(folder / link.partition("#")[0]).resolve() for link in LINK.findall(index.read_text())}
    for page in pages:
        if page.resolve() not in linked:
            yield f"{index.name} has no link to {page.relative_to(ROOT)}"


def untested_ops():
    tests = "\n".join(path.read_text() for suffix in ("mlir", "test", "py") for path in ROOT.glob(f"test/**/*.{suffix}")
                      if "Docs" not in path.parts)
    for op in sorted(set(OP.findall((ROOT / "docs/SupportedOps.md").read_text()))):
        if op.split(".")[0] in DIALECTS and op not in tests:
            yield f"docs/SupportedOps.md: no test has {op}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--index", type=Path, default=ROOT / "docs/rationale/README.md")
    options = parser.parse_args()
    docs = sorted(ROOT.glob("docs/*.md"))
    rationale = sorted(page for page in ROOT.glob("docs/rationale/*.md") if page.name != "README.md")
    pages = [ROOT / "README.md", *docs, *rationale, ROOT / "docs/rationale/README.md"]
    # Made by tools, for other readers.
    reachable = [page for page in docs if page.name != "Mutations.md"]
    errors = [*broken_links(pages), *unlinked(reachable, ROOT / "README.md", ROOT),
              *unlinked(rationale, options.index, ROOT / "docs/rationale"), *untested_ops()]
    for error in errors:
        print(error)
    print(f"{len(pages)} pages, {len(errors)} finds")
    return len(errors) > 0


sys.exit(main())
