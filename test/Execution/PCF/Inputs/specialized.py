"""The ways in which examples/specialization say one product, run by the SIMT machine:
as they are written, as passes make them of each other, and those with phases after
distribution and after resolution too. On whole numbers each is what is computed here; on others,
whose sums round, all have equal bits. What was written into the result before
must not matter. At last, bugs of which each kernel is to be found guilty.

    python3 specialized.py OUT_DIR [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
import references
from pipeline_passes import read_flags

M, N, PANEL = 256, 128, 32
EXAMPLES = ROOT / "examples" / "specialization"
# The ways that are written.
WAYS = ["from_linalg", "panels", "together", "producer_consumer", "by_hand", "halves", "ping_pong"]
# Those that passes make: of which, and by what. A pass that makes more gets a line here, and is compared with all others.
MADE = {
    "buffered": ("panels", ["--pcf-multi-buffer"]),
    "separated": ("panels", ["--pcf-specialize-producers=producers=arg3"]),
    "produced": ("buffered", ["--pcf-specialize-producers=producers=arg3"]),
    "split": ("together", ["--pcf-split-threadgroup"]),
    "sheared": ("split", ["--pcf-skew-cluster"]),
    "sheared_halves": ("halves", ["--pcf-skew-cluster"]),
}
WITHOUT_PHASES = {"from_linalg", "by_hand"}
STEPS = [("distribute", ["--pcf-distribute"]), ("resolve", ["--pcf-resolve-clusters"])]
# Per target: the launch, and (panels, split, seed of the machine's schedule): one panel, fewer than slots, more, and
# splits that rows do not fit.
TARGETS = {
    "sm_80": ([], [(1, 4, None), (2, 1, 7), (3, 7, None), (5, 3, 2)]),
    "gfx942": ([("workgroup_size = [256, 1, 1]", "workgroup_size = [512, 1, 1]")], [(3, 5, None)]),
}
# What is to be found: of a way, a mark, the text behind it, what is put for it, and what is said then.
SPOILT = [
    ("by_hand", "%y = linalg", "        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB\n", "", "race"),
    ("by_hand", "scf.if %produces", "%nxt = arith.remui %k1, %c2", "%nxt = arith.remui %k, %c2", "race"),
    ("by_hand", "scf.if %produces", "%abegin = arith.muli %id, %arows", "%abegin = arith.muli %c1, %arows", "race"),
    ("by_hand", "} else {", "pcf.write_slice %acc", "pcf.barrier(#sg)\n      pcf.write_slice %acc", "deadlock"),
    ("producer_consumer", "initialize", "into %la[%nxt, 0, 0]", "into %la[%cur, 0, 0]", "race"),
    ("producer_consumer", "initialize", "%ko = arith.muli %k1, %c32", "%ko = arith.muli %k, %c32", "another product"),
    ("ping_pong", "%e2 =", "into %la[%cur, 0, 0] [1, 128, 32]", "into %la[%nxt, 0, 0] [1, 128, 32]", "another product"),
    ("ping_pong", "%e2 =", "into %lb[%cur, 0, 0] [1, 16, 128]", "into %lb[%cur, 16, 0] [1, 16, 128]", "another product"),
]
options = read_flags()


def written(way, target="sm_80"):
    text = (EXAMPLES / f"{way}.mlir").read_text()
    for old, new in TARGETS[target][0]:
        assert old in text
        text = text.replace(old, new)
    return text


def optimize(path, passes, made, target):
    """What passes make of a way, whose subgroups are the target's."""
    done = fork_server.run([options.distaff_opt, path, f"--distaff-complete-launch=target={target}", *passes, "-o", made])
    if done.returncode:
        sys.exit(f"{made.name}: {done.stderr}")
    return made


def stages(target):
    """(name, file) of what every way is, and becomes."""
    files = {}
    for way in WAYS:
        files[way] = options.out / f"{way}.mlir"
        files[way].write_text(written(way, target))
    for way, (source, passes) in MADE.items():
        files[way] = optimize(files[source], passes, options.out / f"{way}.mlir", target)
    for way, path in files.items():
        yield f"{way} {'made' if way in MADE else 'written'}", path
        for name, passes in STEPS if way not in WITHOUT_PHASES else []:
            path = optimize(path, passes, options.out / f"{way}-{name}.mlir", target)
            yield f"{way} {name}", path


def run(path, arguments, target="sm_80", seed=None):
    """(bytes of the result, what was said instead)."""
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    command = [options.distaff, "run", path, "--target", target, "--output", f"res0={result}"]
    for i, argument in enumerate(arguments):
        command += ["--input", f"arg{i}={argument}"]
    done = fork_server.run(command + (["--schedule", str(seed)] if seed else []))
    if done.returncode:
        return None, done.stderr.strip().splitlines()[0]
    return result.read_bytes()[-4 * M * N:], ""


def arguments(rng, panels, split, draw):
    """The inputs of all ways, and the product of their numbers."""
    k = panels * PANEL
    a, b = ([draw(rng) for _ in range(count)] for count in (M * k, k * N))
    product = npy.to_bytes(references.matmul(a, b, M, N, k), "f32")
    poison = [rng.uniform(1, 9) for _ in range(M * N)]
    files = [npy.write(options.out / "a.npy", "f16", (1, M, k), a), npy.write(options.out / "b.npy", "f16", (1, k, N), b),
             npy.write(options.out / "c.npy", "f32", (1, M, N), poison)]
    return files + [split, panels], product


def compare(target, rng):
    """One line per run; how many are wrong."""
    files = [(f"{target} {name}", path) for name, path in stages(target)]
    wrong, turn = 0, depth.Turns(5)
    for panels, split, seed in TARGETS[target][1]:
        inputs, product = arguments(rng, panels, split, lambda rng: rng.randint(-4, 4))
        for name, path in turn.of(files):
            found, said = run(path, inputs, target, seed)
            said = said or ("" if found == product else "another product")
            wrong += bool(said)
            print("FAIL" if said else "ok", name, f"panels {panels} split {split}", said)
    inputs, _ = arguments(rng, 3, 2, lambda rng: rng.uniform(-1, 1))
    bits = {name: run(path, inputs, target)[0] for name, path in files}
    for name, found in bits.items():
        differs = found is None or found != bits[f"{target} from_linalg written"]
        wrong += differs
        print("FAIL" if differs else "ok", name, "rounds as from_linalg does")
    return wrong


def spoil(rng):
    """One line per bug; how many are not found."""
    wrong = 0
    inputs, product = arguments(rng, 3, 2, lambda rng: rng.randint(-4, 4))
    for way, mark, text, put, expected in depth.some(SPOILT, 3):
        kernel = written(way)
        at = kernel.index(mark)
        assert text in kernel[at:], (way, text)
        path = options.out / "spoilt.mlir"
        path.write_text(kernel[:at] + kernel[at:].replace(text, put, 1))
        found, said = run(path, inputs)
        said = said or ("nothing" if found == product else "another product")
        is_found = expected in said
        wrong += not is_found
        print("ok" if is_found else "FAIL", "spoilt", way, said[:160])
    return wrong


def main():
    rng = random.Random(23)
    wrong = sum(compare(target, rng) for target in TARGETS) + spoil(rng)
    print(wrong, "failures")
    sys.exit(wrong > 0)


main()
