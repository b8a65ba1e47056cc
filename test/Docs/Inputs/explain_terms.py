#!/usr/bin/env python3
"""Every term that `distaff explain` prints is in docs/Glossary.md.

usage: explain_terms.py [--glossary PAGE.md] [--list] [--every] [--only NAME]

Explains every kernel of examples/ for a GPU of each vendor and for the CPU, and CLUSTERED
on sm_80 by run-cluster (with --every all of them), and takes the string literals of
lib/Explain that are printed as text. A term is a word or a symbol of these texts, but for

    names     of values, functions and ops: of the kernel, or `dialect.op`
    KINDS     names of ops and of combining kinds of MLIR, without their dialect
    PLAIN     words of plain English, which mean here what they mean elsewhere

A term is in the glossary if the first column of its table of terms has it, in
singular or plural, or in the form that FORMS names. --list prints the terms. Exit
status 1 if one is missing, or if there are none.
"""
import argparse
import concurrent.futures
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
GPUS = ("sm_80", "gfx942")
# One level of instructions, so that the report is the same on every CPU; attention of vectors is seconds of code there.
CPU, CPU_KERNELS = "host:avx2", ("matmul", "reduce", "row_sum", "softmax", "transformer", "from_linalg")
CLUSTERED = ("matmul", "softmax", "from_linalg")
PIPELINES = tuple(("--pipeline", "run-cluster", *flags)
                  for flags in ((), ("--specialize", "producer-consumer"), ("--specialize", "ping-pong")))
# Keys of JSON have a table of their own, docs/Explain.md; remarks are not a part of the report.
NOT_TEXT = ("Json.cpp", "PhasesJson.cpp", "Remarks.cpp")

PLAIN = set("""
    a about above against aligned all allocated allocates an and another anyway are arg as at available be before beside between
    bit bits both branch but by byte bytes can code core cores costs counts data declared depends dim dims dimension do does drops
    each early element else emitted estimated explain fewer fewest figures first fit fits follows for from has have hold holds id
    if in innermost instead into is it its kernel known large launches least leave left less line lines marked matrices mod more
    minor most multiple must no none not note nothing number of on once one only op ops or other others out outside over part
    passed passes per piece plain possible predicted read refused remaining result results same side sides since size sizes slices
    some source stands suffices than that the them then there these they this those through time times to too two type types
    under use used value values wait waits wanted was what where which whole with within word words would yes
    """.split())
KINDS = set("add contract div divf exp exp2 extf max maximumf maxnumf min minimumf minnumf mul mulf subf truncf ceildiv memref strided tensor vector".split())
# Words that the glossary has in another form.
FORMS = {"copied": "copy", "distributed": "distribution", "fuse": "fusion", "order": "orders", "promoted": "promotion", "spills": "spilling"}
SYMBOL = re.compile(r"\b(?:[WwN](?==)|T[0-3]s?\b(?!\[)|Q[0-9]\b|[SBOTE](?=\[))")
WORD = re.compile(r"(?<![\w.@%])[A-Za-z][A-Za-z]+(?:-[A-Za-z]+)*(?![\w.(\[])")
OP = re.compile(r"\b[a-z_][a-z_0-9]*\.[a-z_][\w.]*")
INSTRUCTION = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def names_of(source):
    """Names that a kernel gives to its values and functions, and of its ops without their dialects."""
    named = {name for name in re.findall(r"[%@]([A-Za-z_]\w*)", source)}
    return named | {part for op in OP.findall(source) for part in op.split(".")}


def terms_of(text, names=frozenset()):
    """The words and symbols of a text that are terms."""
    ops = {part for op in OP.findall(text) for part in op.split(".")}
    found = set(SYMBOL.findall(text))
    bare = INSTRUCTION.sub(" ", OP.sub(" ", re.sub(r"[%@][\w#.]+", " ", text)))
    for word in WORD.findall(bare):
        if word.lower() in PLAIN or word in KINDS or word in names or word in ops:
            continue
        found.add(word.lower())
    return found


def explain(kernel, target, flags):
    command = ["distaff", "explain", str(kernel), "--target", target, *flags]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout


def printed_terms(every, only):
    """(term, where) of all reports."""
    kernels = sorted([*ROOT.glob("examples/*.mlir"), *ROOT.glob("examples/specialization/*.mlir")])
    kernels = [kernel for kernel in kernels if only in kernel.stem]
    runs = [(kernel, target, ()) for kernel in kernels for target in GPUS]
    runs += [(kernel, CPU, ()) for kernel in kernels if kernel.stem.startswith(CPU_KERNELS)]
    runs += [(kernel, GPUS[0], flags) for kernel in kernels if every or kernel.stem.startswith(CLUSTERED) for flags in PIPELINES]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for (kernel, target, flags), text in zip(runs, pool.map(lambda one: explain(*one), runs)):
            names = names_of(kernel.read_text())
            for line in text.splitlines():
                # What a tool says of itself is a message, and no part of the report.
                report = re.sub(r"(no figures of an assembler|there is no code): .*", r"\1", line)
                for term in terms_of(report, names):
                    yield term, f"explain {kernel.relative_to(ROOT)} --target {' '.join([target, *flags])}: {line.strip()[:90]}"


def literal_terms():
    """(term, where) of what lib/Explain prints as text."""
    for path in sorted((ROOT / "lib/Explain").glob("*.cpp")):
        if path.name in NOT_TEXT:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code = line.split("//")[0]
            if code.startswith("#include") or "assert" in code or "unreachable" in code or "&&" in code:
                continue
            for literal in LITERAL.findall(code):
                text = re.sub(r"\\n|\{\d+\}", " ", literal)
                for term in terms_of(text):
                    yield term, f"{path.relative_to(ROOT)}:{number}: {literal.strip()}"


def glossary_words(page):
    """What the first column of the table of terms has, word by word."""
    section = page.partition("\n## Terms\n")[2].partition("\n## ")[0]
    words = set()
    for line in section.splitlines():
        cells = line.split("|")
        if len(cells) > 2:
            words |= set(re.findall(r"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z]+)*", cells[1]))
    return words | {word.lower() for word in words if len(word) > 2}


def is_known(term, words):
    forms = {term, FORMS.get(term, term)}
    for form in tuple(forms):
        if form.endswith("ies"):
            forms.add(form[:-3] + "y")
        for ending in ("s", "es"):
            if len(form) > 3 and form.endswith(ending):
                forms.add(form[:-len(ending)])
        forms |= {form + "s", form.split("-")[0]}
    return bool(forms & words)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--glossary", type=Path, default=ROOT / "docs/Glossary.md")
    parser.add_argument("--every", action="store_true", help="every kernel by every pipeline")
    parser.add_argument("--only", default="", metavar="NAME", help="kernels of files with this in their name")
    parser.add_argument("--list", action="store_true", help="print the terms")
    options = parser.parse_args()
    where = {}
    for source in (printed_terms(options.every, options.only), literal_terms()):
        for term, place in source:
            where.setdefault(term, place)
    words = glossary_words(options.glossary.read_text())
    missing = sorted(term for term in where if not is_known(term, words))
    if options.list:
        print(*sorted(where), sep="\n")
    for term in missing:
        print(f"'{term}' has no row in {options.glossary.name}: {where[term]}")
    print(f"{len(where)} terms, {len(missing)} missing")
    return 1 if missing or not where else 0


sys.exit(main())
