#!/usr/bin/env python3
"""Compiles and runs random triples of kernel, shape and target.

usage: sweep.py OUT.jsonl [--count N] [--large N] [--seed N] [--jobs N] [--distaff FILE]
                [--report PAGE.md]

A triple is compiled to PTX or GCN (timed), assembled (ptxas -v; registers and
spills), run on the SIMT machine as lowered for its target, and compared with
NumPy in float64 within the bound of reference.py. Large ones are compiled and
assembled only. OUT.jsonl gets a line per triple; what is in it already is not
run again, so an interrupted sweep goes on where it stopped. --report writes the
histograms. Needs NumPy (python3 -m pip install numpy).

Exit status 1 when a triple was wrong, crashed, took 5 s to compile or spilled.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import kernels

ROOT = Path(__file__).resolve().parents[3]
MOST_SECONDS = 5
LIMIT = 120  # of any process, after which it counts as endless


def execute(command):
    """Exit status, CPU seconds and what was printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
        code, text = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        code, text = "endless", f"no end within {LIMIT} s"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return code, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, text


def messages(text, kind):
    """The diagnostics of one kind, without place, numbers and names."""
    found = re.findall(rf"{kind}: (.*)", text)
    return [re.sub(r"'\d+ x |\d[\d,x.]*", "N", re.sub(r"(vector|tensor|memref)<[^ ]*>|⟨.*?⟩", r"\1", line)) for line in found]


def assemble(path, target):
    """Registers and spilled bytes per lane of a compiled kernel."""
    if target.startswith("gfx"):
        text = path.read_text()
        fields = dict(re.findall(r"\.(vgpr_count|vgpr_spill_count|private_segment_fixed_size): +(\d+)", text))
        return {"registers": int(fields["vgpr_count"]), "spilled": 4 * int(fields["vgpr_spill_count"]),
                "stack": int(fields["private_segment_fixed_size"])}
    code, seconds, text = execute(["ptxas", f"-arch={target}", "-v", str(path), "-o", os.devnull])
    if code != 0:
        return {"assembler": text.strip()[:300]}
    return {"registers": int(re.search(r"Used (\d+) registers", text)[1]),
            "spilled": int(re.search(r"(\d+) bytes spill stores", text)[1]),
            "stack": int(re.search(r"(\d+) bytes stack", text)[1]), "assembling": round(seconds, 3)}


def failure(code, text):
    """What a failed run of distaff counts as."""
    if code == 1 and (found := messages(text, "error")):
        return {"outcome": "refused", "message": found[0]}
    return {"outcome": "crashed" if code != "endless" else "endless", "message": f"exit {code}: {text.strip()[-300:]}"}


def run_values(path, kernel, target, distaff, seed):
    import numpy as np
    import reference
    arrays = reference.inputs(kernel, seed)
    command = [distaff, "run", str(path), "--target", target, "--threads", "1"]
    for number, array in enumerate(arrays):
        np.save(path.with_suffix(f".{number}.npy"), array)
        command += ["--input", f"arg{number}={path.with_suffix(f'.{number}.npy')}"]
    outputs = [path.with_suffix(f".out{number}.npy") for number in range(len(kernel.results))]
    for number, output in enumerate(outputs):
        command += ["--output", f"res{number}={output}"]
    code, seconds, text = execute(command)
    if code != 0:
        return {**failure(code, text), "running": round(seconds, 3)}
    wrong = reference.compare(kernel, arrays, [np.load(output) for output in outputs])
    return {"outcome": "wrong" if wrong else "right", "message": wrong or "", "running": round(seconds, 3)}


def run_triple(index, large, seed, distaff):
    name, target, extents = kernels.triple(lambda i: random.Random(f"{seed}:{large}:{i}"), index, large)
    kernel = kernels.build(name, extents)
    record = {"index": index, "large": large, "kernel": name, "target": target, "extents": extents}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.mlir"
        path.write_text(kernel.text())
        code = path.with_suffix(".s")
        start = time.perf_counter()
        status, seconds, text = execute([distaff, "compile", str(path), "--target", target, "--emit",
                                         "gcn" if target.startswith("gfx") else "ptx", "-o", str(code)])
        record["elapsed"] = round(time.perf_counter() - start, 3)
        record["compiling"] = round(seconds, 3)
        record["warnings"] = messages(text, "warning")
        if status != 0:
            return {**record, **failure(status, text)}
        if found := re.search(r"(?:\.reqntid |\.max_flat_workgroup_size: +)(\d+)", code.read_text()):
            record["lanes"] = int(found[1])
        record |= assemble(code, target)
        if "assembler" in record:
            return {**record, "outcome": "not assembled", "message": record.pop("assembler")}
        status, _, text = execute([distaff, "explain", str(path), "--target", target])
        if found := re.search(r"registers/lane <= (\d+)", text):
            record["estimate"] = int(found[1])
        return {**record, **({"outcome": "compiled", "message": ""} if large else run_values(path, kernel, target, distaff, index))}


# The report -----------------------------------------------------------------


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join(["---"] * len(head)) + " |"]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def histogram(title, records, key, edges):
    counts = collections.Counter()
    for record in records:
        if key in record:
            counts[sum(record[key] > edge for edge in edges)] += 1
    names = [f"up to {edge}" for edge in edges] + ["more"]
    return table([title, "triples"], [(names[i], counts[i]) for i in range(len(names)) if counts[i]])


def estimates(records):
    """What `explain` says that vectors take, against what ptxas took."""
    edges = [8, 16, 32, 64, 96, 128, 192, 256, 512]
    groups = collections.defaultdict(list)
    for record in records:
        if "estimate" in record and "assembling" in record:
            groups[sum(record["estimate"] > edge for edge in edges)].append(record)
    names = [f"up to {edge}" for edge in edges] + ["more"]
    rows = []
    for group in sorted(groups):
        mine = groups[group]
        registers = [record["registers"] for record in mine]
        rows.append((names[group], len(mine), min(registers), int(statistics.median(registers)), max(registers),
                     sum(record["spilled"] > 0 for record in mine)))
    return table(["live registers of vectors", "triples", "ptxas: least", "median", "most", "spilled"], rows)


def is_bad(record):
    return (record["outcome"] not in ("right", "compiled", "refused") or record["compiling"] > MOST_SECONDS
            or record.get("spilled", 0) > 0)


def describe(record):
    return f"{record['kernel']} {'x'.join(map(str, record['extents'].values()))} {record['target']}"


def report(records):
    outcomes = ["right", "compiled", "refused", "wrong", "crashed", "endless", "not assembled"]
    lines = []
    rows = []
    for name in kernels.KERNELS:
        mine = [record for record in records if record["kernel"] == name]
        counts = collections.Counter(record["outcome"] for record in mine)
        spilled = sum(record.get("spilled", 0) > 0 for record in mine)
        slow = sum(record["compiling"] > MOST_SECONDS for record in mine)
        rows.append([name, *(counts[outcome] for outcome in outcomes), spilled, slow, sum(bool(r["warnings"]) for r in mine)])
    rows.append(["**all**", *(sum(row[i] for row in rows) for i in range(1, len(rows[0])))])
    lines += table(["kernel", *outcomes, "spill", "over 5 s", "warned"], rows)
    lines += histogram("CPU seconds to compile", records, "compiling", [0.1, 0.2, 0.5, 1, 2, 5])
    lines += histogram("seconds of ptxas", records, "assembling", [0.1, 0.2, 0.5, 1, 2, 5])
    lines += histogram("registers per lane", records, "registers", [16, 32, 64, 96, 128, 168, 255, 512])
    lines += histogram("spilled bytes per lane", records, "spilled", [0, 64, 256, 1024, 4096])
    lines += estimates(records)
    for outcome, title in (("refused", "refusals"), ("crashed", "crashes")):
        groups = collections.defaultdict(list)
        for record in records:
            if record["outcome"] == outcome:
                groups[record["message"]].append(record)
        if groups:
            lines += table([title, "triples", "for example"], [(message.replace("|", "\\|").replace("\n", " "), len(group), describe(group[0]))
                                                               for message, group in sorted(groups.items(), key=lambda g: -len(g[1]))])
    groups = collections.Counter(message for record in records for message in record["warnings"])
    if groups:
        lines += table(["warnings", "times"], [(message.replace("|", "\\|"), count) for message, count in groups.most_common()])
    bad = [record for record in records if is_bad(record)]
    if bad:
        lines += table(["wrong, crashed, slow or spilled", "outcome", "CPU seconds", "registers", "spilled bytes", "message"],
                       [(describe(r), r["outcome"], r["compiling"], r.get("registers", ""), r.get("spilled", ""),
                         r["message"].replace("|", "\\|").replace("\n", " ")[:200]) for r in bad])
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--large", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--distaff", default=str(ROOT / "build" / "bin" / "distaff"))
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    try:
        import numpy  # noqa: F401
    except ImportError:
        sys.exit("error: the sweep compares with NumPy, which is missing: python3 -m pip install numpy")
    for tool in (options.distaff, "ptxas"):
        if not shutil.which(tool):
            sys.exit(f"error: no `{tool}` on the path")
    records = []
    if options.out.exists():
        records = [json.loads(line) for line in options.out.read_text().splitlines()]
    done = {(record["index"], record["large"]) for record in records}
    jobs = [(index, large) for large, count in ((False, options.count), (True, options.large)) for index in range(count)
            if (index, large) not in done]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool, options.out.open("a") as out:
        for future in concurrent.futures.as_completed([pool.submit(run_triple, *job, options.seed, options.distaff) for job in jobs]):
            records.append(future.result())
            out.write(json.dumps(records[-1]) + "\n")
            out.flush()
    records.sort(key=lambda record: (record["large"], record["index"]))
    lines = report(records)
    if options.report:
        options.report.write_text("\n".join(lines))
    else:
        print("\n".join(lines))
    return any(map(is_bad, records))


if __name__ == "__main__":
    sys.exit(main())
