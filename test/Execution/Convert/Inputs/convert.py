"""The stage `convert` on the SIMT machine: examples of both pipelines, on targets of
both vendors, with and without specialization. Of each

  * `lower` and `convert` compute what the source says, within the bound of its
    sums, and the same bits,
  * they count the same shuffles, barriers, matrix instructions,
    requests, sectors and bank conflicts (the code is the same, one level down),
  * the IR of `convert`, given back, computes what the kernel does, bit for bit,

and faults that are planted in that IR, by a change of its text, are found: by
their kind, and not as anything else (VX-44, VX-116: no barrier too few).

    python3 convert.py OUT_DIR [--distaff PATH]
"""
import argparse
import filecmp
import pathlib
import re
import sys

sys.path += [str(pathlib.Path(__file__).resolve().parents[number] / folder) for number, folder in ((3, "ForkServer"), (2, "Inputs"))]
import depth
import fork_server

parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--distaff", default="distaff")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)
EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples"
RAGGED = ["--shape", "arg0=33x17", "--shape", "arg1=17x20"]
EQUAL = ("shuffles", "barriers", "mma", "global requests", "global sectors", "global bytes read", "global bytes written",
         "shared requests", "bank conflicts", "shared bytes read", "shared bytes written")
failures = []


def check(holds, name, what):
    if not holds:
        failures.append(f"{name}: {what}")


def distaff(*arguments):
    done = fork_server.run([options.distaff, *map(str, arguments)], 120)
    return done


def counters(text):
    return {match[1].strip(): int(match[2]) for match in re.finditer(r"^([a-z ]+?) +(\d+)$", text, re.M)}


class Kernel:
    def __init__(self, example, target, flags=(), shapes=()):
        self.source, self.target = EXAMPLES / f"{example}.mlir", target
        self.flags, self.shapes = list(flags), list(shapes)
        self.name = " ".join([example, target, *(flag for flag in flags if not flag.startswith("--"))])
        self.path = options.out / (self.name.replace(" ", "-") + ".mlir")

    def run(self, source, *more):
        return distaff("run", source, "--target", self.target, *self.shapes, *more)

    def converted(self):
        done = distaff("compile", self.source, "--target", self.target, *self.flags, "--stop-after=convert")
        check(done.returncode == 0, self.name, f"is not converted: {done.stderr[:600]}")
        return done.stdout

    def check_agreement(self, output):
        """Against `lower`; `output` is the name of what it writes."""
        written = [options.out / f"{self.path.stem}-{stage}.npy" for stage in ("lower", "convert", "again")]
        seen = []
        for stage, file in zip(("lower", "convert"), written):
            done = self.run(self.source, *self.flags, f"--stop-after={stage}", "--check", "--counters", "--output", f"{output}={file}")
            check(done.returncode == 0, self.name, f"{stage}: exit {done.returncode}: {done.stderr[:600]}")
            check(re.search(rf"^{stage} .* ok$", done.stdout, re.M), self.name, f"{stage} is not compared with the source: {done.stdout[:600]}")
            seen.append(counters(done.stdout))
        for key in EQUAL:
            check(key in seen[0] and seen[0].get(key) == seen[1].get(key), self.name,
                  f"{key}: {seen[0].get(key)} after lower, {seen[1].get(key)} after convert")
        self.path.write_text(self.converted())
        done = self.run(self.path, "--counters", "--output", f"{output}={written[2]}")
        check(done.returncode == 0, self.name, f"given back: exit {done.returncode}: {done.stderr[:600]}")
        check(counters(done.stdout) == seen[1], self.name, "given back, it counts otherwise")
        if not any(failure.startswith(self.name) for failure in failures):
            check(filecmp.cmp(written[0], written[1], shallow=False), self.name, "what is written after convert is not what is after lower")
            check(filecmp.cmp(written[1], written[2], shallow=False), self.name, "given back, it computes otherwise")

    def check_fault(self, kind, pattern, replacement, count=0):
        """The IR with a change ends with a fault of that kind."""
        text = self.converted()
        changed, places = re.subn(pattern, replacement, text, count=count)
        name = f"{self.name}, {pattern!r} as {replacement!r}"
        check(places > 0, name, "is nowhere")
        path = options.out / f"fault-{len(list(options.out.glob('fault-*')))}.mlir"
        path.write_text(changed)
        done = self.run(path)
        first = done.stderr.splitlines()[0] if done.stderr else "no message"
        check(done.returncode == 1 and f" {kind}: " in first, name, f"exit {done.returncode}, {first}; needed `{kind}`")


PIPELINE = ["--pipeline", "run-cluster"]
SPECIAL = {name: [*PIPELINE, "--specialize", name] for name in ("producer-consumer", "ping-pong")}
for target in ("sm_80", "sm_90a"):
    Kernel("contract_mma_sync", target).check_agreement("arg3")
pipelines = [(target, flags) for target in ("sm_80", "gfx942", "gfx1201") for flags in ([], PIPELINE, *SPECIAL.values())]
for target, flags in depth.some(pipelines, 7):
    Kernel("row_sum", target).check_agreement("res0")
    Kernel("matmul_dynamic", target, flags, RAGGED).check_agreement("res0")
Kernel("reduce_8x64", "gfx942").check_agreement("arg1")
Kernel("flash_attention", "gfx942").check_agreement("arg3")

# Of a sum over several subgroups: without the barrier, or with half of one.
row_sum = Kernel("row_sum", "sm_80")
row_sum.check_fault("race", r"nvvm\.barrier0?\b.*", "")
row_sum.check_fault("out of bounds", r"4096 : ", "8192 : ")
row_sum.check_fault("misaligned", r"alignment = 16 : i64\} : !llvm\.ptr<1> -> vector<4xf32>", "alignment = 32 : i64} : !llvm.ptr<1> -> vector<4xf32>")
Kernel("row_sum", "gfx942", ["--config", "workgroup_size=256"]).check_fault("race", r"rocdl\.barrier\b", "rocdl.s.barrier")
Kernel("row_sum", "gfx1201").check_fault("race", r"rocdl\.barrier\b|rocdl\.s\.barrier.*|llvm\.fence.*", "")
producers = Kernel("matmul_dynamic", "sm_80", SPECIAL["producer-consumer"], ["--shape", "arg0=64x64", "--shape", "arg1=64x64"])
producers.check_fault("race", r"nvvm\.cp\.async\.wait\.group \d+", "nvvm.cp.async.wait.group 9")
ping_pong = Kernel("matmul_dynamic", "gfx1201", SPECIAL["ping-pong"], RAGGED)
ping_pong.check_fault("race", r'llvm\.fence syncscope\("workgroup"\) acquire', "")
ping_pong.check_fault("race", r'llvm\.fence syncscope\("workgroup"\) release', "")
ping_pong.check_fault("misuse", r"rocdl\.s\.barrier\.signal id = -1", "", count=1)

for failure in failures:
    print(f"FAIL {failure}")
print(f"{len(failures)} failures")
sys.exit(bool(failures))
