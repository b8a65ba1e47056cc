"""The functions of split_bodies.mlir, run by the SIMT machine as they are and split
in two, three and four, along both dimensions, as groups and resolved: the results
are bit-equal.

    python3 split_bodies.py OUT_DIR [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
from pipeline_passes import read_flags

# How much of a tile is there, of functions that are told; 12 is all, and 4 and 6 are whole parts.
EXTENTS = [0, 1, 4, 5, 6, 7, 11, 12]
WAYS = {"two": "", "three": "=names=a,b,c", "four": "=names=a,b,c,d", "uneven": "=split=5", "columns": "=names=a,b dim=1"}
# Those that have no such dimension, or were cut along it anyway.
REFUSED = {("row_sums", "columns"), ("slices", "columns")}
RESOLVED = ["--pcf-distribute", "--pcf-resolve-clusters", "--pcf-verify-barriers"]
options = read_flags()


def run(path, arguments, seed):
    """The results for all extents, or what is wrong."""
    results = []
    for extent in EXTENTS if "ragged" in path.name else [1]:
        found, said = run_once(path, arguments, extent, seed)
        if said:
            return None, f"extent {extent}: {said}"
        results.append(found)
    return results, ""


def run_once(path, arguments, extent, seed):
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    inputs = [part for i in range(arguments) for part in ("--input", f"arg{i}=whole:{i + seed}:-9:9")]
    done = fork_server.run([options.distaff, "run", path, "--target", "sm_80", *inputs, "--input", f"arg2={extent}", "--schedule", str(seed), "--output", f"res0={result}"])
    if done.returncode and "arg2" in done.stderr:
        done = fork_server.run([options.distaff, "run", path, "--target", "sm_80", *inputs, "--schedule", str(seed), "--output", f"res0={result}"])
    return (None, done.stderr.strip().splitlines()[0]) if done.returncode else (result.read_bytes(), "")


def main():
    failures, turn = 0, depth.Turns(3)
    text = (pathlib.Path(__file__).parent / "split_bodies.mlir").read_text()
    head = text[:text.index("\n// Elementwise")]
    for function in re.findall(r"func\.func @.*?\n}\n", text, re.S):
        name = re.search(r"@(\w+)", function).group(1)
        arguments = len(re.findall(r"%\w+:", function[:function.index(")")])) - ("%k: index" in function[:200])
        path = options.out / f"{name}.mlir"
        path.write_text(head + "\n" + function)
        expected, said = run(path, arguments, 1)
        if expected is None:
            sys.exit(f"FAIL {name}: {said}")
        is_distributed = not fork_server.run([options.distaff_opt, path, "--pcf-distribute", "-o", options.out / "distributed.mlir"]).returncode
        for way, flags in turn.of(WAYS.items()):
            split, resolved = options.out / f"{name}-{way}.mlir", options.out / f"{name}-{way}-resolved.mlir"
            done = fork_server.run([options.distaff_opt, path, "--pcf-split-threadgroup" + flags, "-o", split])
            if done.returncode:
                said = done.stderr.splitlines()[0].split("error: ")[-1]
                wanted = (name, way) in REFUSED
                failures += not wanted
                print("refused" if wanted else "FAIL", name, way, said)
                continue
            said = ""
            found, fault = run(split, arguments, 1)
            said += "" if found == expected else f" split: {fault or 'other numbers'}"
            done = fork_server.run([options.distaff_opt, split, *(RESOLVED if is_distributed else []), "-o", resolved])
            if done.returncode:
                said += " " + done.stderr.splitlines()[0]
            else:
                found, fault = run(resolved, arguments, 1)
                said += "" if found == expected else f" resolved: {fault or 'other numbers'}"
            failures += bool(said)
            print("FAIL" if said else "ok", name, way, said)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
