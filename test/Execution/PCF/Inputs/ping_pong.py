"""The collective ping-pong kernel of the samples, specialized by the passes in all
ways that they offer, and run by the SIMT machine: as groups, distributed and
resolved, for loops of 0, 1, 2, 3 and 8 panels, under several schedules; some forms as
code of lanes, too, which read a slot that nobody filled one time too many. Every
result is bit-equal to what the kernel returns before, which for whole numbers is
the product. Without one of its barriers a form is a race or wrong.

    python3 ping_pong.py OUT_DIR [--seeds N] [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
import references
from pipeline_passes import TO_VECTORS, read_flags, returning, sample

SUBGROUPS = 4
LAUNCH = f"#iree_codegen.translation_info<workgroup_size = [{32 * SUBGROUPS}, 1, 1] subgroup_size = 32>"
STAGES = [("collective", []), ("distribute", ["--pcf-distribute"]), ("resolve", ["--pcf-resolve-clusters", "--pcf-verify-barriers"])]
SPLIT, SHEAR = "--pcf-split-threadgroup", "--pcf-skew-cluster"
FORMS = {
    "v1": [],
    "split": [SPLIT],
    "columns": [SPLIT + "=dim=2"],
    "uneven": [SPLIT + "=split=3"],
    "four": [SPLIT + "=names=a,b,c,d ns=all"],
    "sheared": [SPLIT, SHEAR],
    "odd": [SPLIT, SHEAR + "=cluster=pp.odd"],
    "second-of-four": [SPLIT + "=names=a,b,c,d ns=all", SHEAR + "=cluster=all.b"],
    "two-of-four": [SPLIT + "=names=a,b,c,d ns=all", SHEAR + "=cluster=all.b", SHEAR + "=cluster=all.d"],
    "in-turn": [SPLIT, SHEAR, SHEAR + "=cluster=pp.odd"],
    "peeled-v1": ["--pcf-peel"],
    "peeled": [SPLIT, SHEAR, "--pcf-peel"],
    "last": [SPLIT, SHEAR, "--pcf-peel=front=0"],
    "first": [SPLIT, SHEAR, "--pcf-peel=back=0"],
    "members-ahead": [SPLIT, "--pcf-distribute", SHEAR, "--pcf-peel"],
    "more": [SPLIT, SHEAR, "--pcf-peel=front=2 back=3"],
}
PANELS = [0, 1, 2, 3, 8]
options = read_flags(seeds=2)


class Kernel:
    """V1 of the samples, with its sizes divided by `shrink`."""

    def __init__(self, shrink):
        self.name = f"v1-by-{shrink}"
        self.m, self.n, self.panel = 256 // shrink, 128 // shrink, 32 // shrink if shrink < 8 else 8
        text = returning(sample("v1_collective", "samples-specialization.mlir"), 256, 128, "LAUNCH")
        sizes = {"256": self.m, "128": self.n, "32": self.panel}
        used = "".join(line + "\n" for line in text.splitlines() if not re.match(r"![PCEO]\w* ", line))
        number = re.compile(r"(?<![\w%])(256|128|32)\b|(?<=x)(256|128|32)(?=x)|(?<=<)(256|128|32)(?=x)")
        self.text = number.sub(lambda match: str(sizes[match.group(0)]), used).replace("LAUNCH", LAUNCH)

    def tensors(self, panels, rng):
        """Files of the arguments, and the product of the panels."""
        k = max(panels, 1) * self.panel
        a, b = ([rng.randint(-4, 4) for _ in range(count)] for count in (self.m * k, k * self.n))
        product = references.matmul(a, b, self.m, self.n, k) if panels else [0] * (self.m * self.n)
        poison = [rng.uniform(1, 9) for _ in range(self.m * self.n)]
        files = [npy.write(options.out / "a.npy", "f16", (1, self.m, k), a), npy.write(options.out / "b.npy", "f16", (1, k, self.n), b),
                 npy.write(options.out / "c.npy", "f32", (1, self.m, self.n), poison)]
        return files + [panels], product


def transform(source, passes, target):
    """Each pass by itself: several with one name take their own options."""
    for i, flag in enumerate(passes or ["--verify-each"]):
        done = fork_server.run([options.distaff_opt, source, flag, "-o", target])
        if done.returncode:
            return done.stderr
        source = target
    return ""


def run(path, arguments, seed):
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    command = [options.distaff, "run", path, "--target", "sm_80", "--output", f"res0={result}", "--schedule", str(seed)]
    for i, argument in enumerate(arguments):
        command += ["--input", f"arg{i}={argument}"]
    done = fork_server.run(command)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[0]
    return npy.read(result, "f32"), ""


def make_stages(kernel, form):
    previous = options.out / f"{kernel.name}.mlir"
    previous.write_text(kernel.text)
    files = []
    for name, passes in [("collective", FORMS[form])] + STAGES[1:]:
        if passes == ["--pcf-distribute"] and passes[0] in FORMS[form]:
            continue
        path = options.out / f"{kernel.name}-{form}-{name}.mlir"
        if said := transform(previous, passes, path):
            sys.exit(f"FAIL {form} {name}: {said}")
        previous = path
        files.append((name, path))
    return files


def check_lanes(kernel, forms, panel_counts):
    """Code of lanes reads the panel that is not there, and carries it to where nobody looks."""
    failures, rng = 0, random.Random(7)
    for form in forms:
        path = make_stages(kernel, form)[0][1]
        for name, passes in TO_VECTORS:
            lanes = options.out / f"{kernel.name}-{form}-{name}.mlir"
            done = fork_server.run([options.distaff_opt, path, *passes, "-o", lanes])
            if done.returncode:
                sys.exit(f"FAIL {form} {name}: {done.stderr}")
            path = lanes
        for panels in panel_counts:
            arguments, product = kernel.tensors(panels, rng)
            found, fault = run(path, arguments, 0)
            failures += found != product
            print("ok" if found == product else "FAIL", kernel.name, form, f"lanes panels {panels}", fault)
    return failures


def check_results(kernel, forms, panel_counts, seeds):
    failures, rng, turn = 0, random.Random(5), depth.Turns(5)  # each stage of each form at one number of panels
    files = {form: make_stages(kernel, form) for form in forms}
    for panels in panel_counts:
        arguments, product = kernel.tensors(panels, rng)
        for form in forms:
            said = ""
            for stage, path in turn.of(files[form]):
                for seed in range(seeds):
                    found, fault = run(path, arguments, seed)
                    if found != product:
                        said += f" {stage} with seed {seed}: {fault or 'another product'};"
            failures += bool(said)
            print("FAIL" if said else "ok", kernel.name, form, f"panels {panels}", said)
    return failures


def check_barriers(kernel, form, needed, together, panels):
    """Without a barrier that is needed, or without all of those of which one is, the form is a race, or wrong."""
    failures, rng = 0, random.Random(6)
    arguments, product = kernel.tensors(panels, rng)
    lines = make_stages(kernel, form)[0][1].read_text().splitlines(keepends=True)
    places = [i for i, line in enumerate(lines) if "pcf.barrier" in line]
    for number in [*range(len(places)), None]:
        gone = {places[i] for i in (together if number is None else [number])}
        path = options.out / f"{kernel.name}-{form}-without.mlir"
        path.write_text("".join(line for i, line in enumerate(lines) if i not in gone))
        found, fault = run(path, arguments, 1)
        wrong = found != product
        expected = number is None or number in needed
        failures += wrong != expected
        print("ok" if wrong == expected else "FAIL", form, f"without barriers {together if number is None else number} of {len(places)}:", (fault.split("op ")[-1] or "another product")[:60] if wrong else "right")
    return failures


def check_refusals(kernel):
    """What is wrong without a barrier is not split, or sheared, without it."""
    failures = 0
    for form, flag, number in (("v1", SPLIT, 0), ("split", SHEAR, 0), ("sheared", SHEAR + "=cluster=pp.odd", 2)):
        lines = make_stages(kernel, form)[0][1].read_text().splitlines(keepends=True)
        place = [i for i, line in enumerate(lines) if "pcf.barrier" in line][number]
        path = options.out / f"{kernel.name}-{form}-without.mlir"
        path.write_text("".join(lines[:place] + lines[place + 1:]))
        said = transform(path, [flag], options.out / "none.mlir")
        failures += not said
        print("refused" if said else "FAIL", form, f"without barrier {number}", said.splitlines()[0].split("error: ")[-1] if said else "")
    return failures


def main():
    small, large = Kernel(8), Kernel(1)
    failures = check_results(small, FORMS, PANELS, options.seeds)
    failures += check_results(large, ["split", "sheared", "peeled"], [2], 1)
    failures += check_lanes(small, ["v1", "sheared", "odd", "peeled"], PANELS[:4])
    # Moving and computing are ordered by either barrier of an iteration until one half is ahead.
    for form, needed, together in (("v1", [0], [1, 2]), ("split", [0], [1, 2]), ("sheared", [0, 2], [1, 2, 3]), ("odd", [0, 2], [1, 2, 3])):
        failures += check_barriers(small, form, needed, together, 4)
    failures += check_refusals(small)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
