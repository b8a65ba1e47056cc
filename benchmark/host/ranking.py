"""Whether the strategy that lower chooses for vectors on this CPU is the fastest one.

    python3 benchmark/host/ranking.py [--distaff PATH] [--only NAME] [--repeat N] [--compiler PATH]

Each case is a kernel on n-D vectors with one choice (docs/Pipeline.md, "Strategies"): it is
compiled as it is ranked, and once for each strategy, forced by its name. All are called in
turn on the same arrays, which fit the second-level cache, and the best round of each counts;
their results are compared. A choice is right if no other strategy is faster by more than
3 %, which is what two runs of one function differ by. Exits with 1 if fewer than nine in ten
are right.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
STRATEGIES = {"vectors": ("nested", "flattened"), "pieces": ("8", "16", "32"), "transfers": ("rows", "elements"), "remainders": ("parts", "masked"),
              "contractions": ("outer", "parallel", "dot", "elements"), "reductions": ("halves", "transposed", "elements")}
BYTES = {"f64": 8, "f32": 4, "i32": 4, "f16": 2, "i16": 2, "i8": 1}
BUDGET = 96 << 10  # of all arrays


def shaped(kind, shape, element):
    return f"{kind}<{''.join(f'{e}x' for e in shape)}{element}>"


class Case:
    """Tiles, one after the other: each array has as many as fit, and a step reads and writes one of each."""

    def __init__(self, subject, body, tiles):
        self.subject, self.body = subject, body
        # Rows of which the ends are a choice are nested.
        self.given = {"vectors": "nested"} if subject == "remainders" else {}
        self.tiles = tiles  # (shape, element) of each array, the last one written
        size = sum(BYTES[element] * count(shape) for shape, element in tiles)
        self.steps = max(4, BUDGET // size)

    def text(self, name, strategy):
        strategies = {**self.given, **({self.subject: strategy} if strategy else {})}
        listed = ", ".join(f'{subject} = "{way}"' for subject, way in strategies.items())
        attributes = f" attributes {{distaff.strategies = {{{listed}}}}}" if listed else ""
        arguments = ", ".join(f"%m{i}: {shaped('memref', (self.steps, *shape), element)}" for i, (shape, element) in enumerate(self.tiles))
        constants = "".join(f"  %pad_{e} = arith.constant {'0.0' if e[0] == 'f' else '0'} : {e}\n" for e in BYTES)
        return f"func.func @{name}({arguments}){attributes} {{\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %n = arith.constant {self.steps} : index\n{constants}" \
               f"  scf.for %i = %c0 to %n step %c1 {{\n{self.body}  }}\n  return\n}}\n"


def count(shape):
    product = 1
    for extent in shape:
        product *= extent
    return product


def read(name, array, shape, element, order=None):
    """A tile of which dim i is dim order[i] in memory."""
    return transfer(f"{name} = vector.transfer_read %m{array}", f", %pad_{element}", array, shape, element, order, writes=False)


def write(name, array, shape, element, order=None):
    return transfer(f"vector.transfer_write {name}, %m{array}", "", array, shape, element, order, writes=True)


def transfer(head, padding, array, shape, element, order, writes):
    rank = len(shape)
    order = order or tuple(range(rank))
    inner = tuple(shape[order.index(d)] for d in range(rank))
    dims = ", ".join(f"d{i}" for i in range(rank + 1))
    results = ", ".join(f"d{o + 1}" for o in order)
    steps = "STEPS"
    memory = shaped("memref", (steps, *inner), element)
    types = f"{shaped('vector', shape, element)}, {memory}" if writes else f"{memory}, {shaped('vector', shape, element)}"
    return f"    {head}[%i{', %c0' * rank}]{padding} {{in_bounds = [{', '.join(['true'] * rank)}], permutation_map = affine_map<({dims}) -> ({results})>}} : {types}\n"


def contraction(loops, element="f32", semiring=None, **extents):
    shapes = [tuple(extents[d] for d in each) for each in loops]
    order = sorted(set("".join(loops)), key=lambda d: (d not in loops[2], d))
    dims = ", ".join(order)
    maps = ", ".join(f"affine_map<({dims}) -> ({', '.join(each)})>" for each in loops)
    iterators = ", ".join('"parallel"' if d in loops[2] else '"reduction"' for d in order)
    body = "".join(read(f"%v{i}", i, shape, element) for i, shape in enumerate(shapes[:3]))
    types = f"{shaped('vector', shapes[0], element)}, {shaped('vector', shapes[1], element)} into {shaped('vector', shapes[2], element)}"
    head = f"distaff.contract <{semiring}>" if semiring else "vector.contract"
    body += f"    %r = {head} {{indexing_maps = [{maps}], iterator_types = [{iterators}]{'' if semiring else ', kind = #vector.kind<add>'}}} %v0, %v1, %v2 : {types}\n"
    body += write("%r", 3, shapes[2], element)
    return Case("contractions", body, [(shape, element) for shape in (*shapes, shapes[2])])


def reduction(shape, dims, kind="add", element="f32"):
    kept = tuple(e for d, e in enumerate(shape) if d not in dims)
    body = read("%v", 0, shape, element) + read("%a", 1, kept, element)
    body += f"    %r = vector.multi_reduction <{kind}>, %v, %a {list(dims)} : {shaped('vector', shape, element)} to {shaped('vector', kept, element)}\n"
    return Case("reductions", body + write("%r", 2, kept, element), [(shape, element), (kept, element), (kept, element)])


def move(shape, order, element="f32", subject="transfers", writes=False):
    memory = tuple(shape[order.index(d)] for d in range(len(shape)))
    body = read("%v", 0, shape, element, None if writes else order)
    op = "arith.addf" if element[0] == "f" else "arith.addi"
    body += f"    %r = {op} %v, %v : {shaped('vector', shape, element)}\n" + write("%r", 1, shape, element, order if writes else None)
    return Case(subject, body, [(shape if writes else memory, element), (memory if writes else shape, element)])


def elementwise(subject, shape, element, ops=3, reduce=False):
    kind = "f" if element[0] == "f" else "i"
    body = read("%v0", 0, shape, element) + read("%w", 1, shape, element)
    for i in range(ops):
        body += f"    %v{i + 1} = arith.{('mul', 'add', 'sub')[i % 3]}{kind} %v{i}, %w : {shaped('vector', shape, element)}\n"
    last, result = f"%v{ops}", shape
    if reduce:
        result = shape[:-1]
        body += read("%a", 2, result, element)
        body += f"    %r = vector.multi_reduction <add>, {last}, %a [{len(shape) - 1}] : {shaped('vector', shape, element)} to {shaped('vector', result, element)}\n"
        return Case(subject, body + write("%r", 3, result, element), [(shape, element), (shape, element), (result, element), (result, element)])
    return Case(subject, body + write(last, 2, result, element), [(shape, element), (shape, element), (result, element)])


CASES = {
    "matmul": contraction(("mk", "kn", "mn"), m=6, n=16, k=8),
    "matmul_short": contraction(("mk", "kn", "mn"), m=16, n=4, k=4),
    "matmul_nt": contraction(("mk", "nk", "mn"), m=4, n=4, k=64),
    "matmul_tn": contraction(("km", "kn", "mn"), m=4, n=16, k=8),
    "matvec": contraction(("mk", "k", "m"), m=8, k=32),
    "matvec_long": contraction(("mk", "k", "m"), m=2, k=128),
    "vecmat": contraction(("k", "kn", "n"), n=16, k=16),
    "one_column": contraction(("mk", "kn", "mn"), m=16, n=1, k=8),
    "min_plus": contraction(("mk", "kn", "mn"), semiring="minimumf, add", m=4, n=16, k=4),
    "sum_8x64": reduction((8, 64), [1]),
    "sum_16x16": reduction((16, 16), [1]),
    "sum_2x64": reduction((2, 64), [1]),
    "max_8x8": reduction((8, 8), [1], "maximumf"),
    "read_8x8": move((8, 8), (1, 0)),
    "read_16x4": move((16, 4), (1, 0)),
    "read_2x32": move((2, 32), (1, 0)),
    "write_8x16": move((8, 16), (1, 0), writes=True),
    "rows_of_7": move((16, 7), (0, 1), subject="remainders"),
    "rows_of_5": move((16, 5), (0, 1), subject="remainders"),
    "rows_of_3": elementwise("vectors", (64, 3), "f32"),
    "rows_of_12": elementwise("vectors", (8, 12), "f32"),
    "sums_of_5": elementwise("vectors", (16, 5), "f32", reduce=True),
    "bytes": elementwise("pieces", (4, 64), "i8"),
    "shorts": elementwise("pieces", (4, 64), "i16"),
}

MAIN = """
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
// INCLUDES
typedef int (*Work)(char **);
static double seconds(Work work, char **arrays) {
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) work(arrays);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / 20;
}
static void fill(char *bytes, long count, int element) { // 8, 4, 2: floats; -1, -2, -4: integers
  for (long j = 0; j < count; ++j) {
    int value = int((j * 2654435761u >> 20) % 7) - 3;
    if (element == 4) ((float *)bytes)[j] = value;
    if (element == 2) ((_Float16 *)bytes)[j] = value;
    if (element == -1) ((int8_t *)bytes)[j] = value;
    if (element == -2) ((int16_t *)bytes)[j] = value;
  }
}
static void run(const char *name, const Work *works, int count, const long *sizes, const int *elements, int arrays, int repeat) {
  char *data[8]; long last = sizes[arrays - 1] * abs(elements[arrays - 1]);
  for (int i = 0; i < arrays; ++i) {
    long bytes = (sizes[i] * abs(elements[i]) + 127) / 64 * 64;
    data[i] = (char *)aligned_alloc(64, bytes);
    fill(data[i], sizes[i], elements[i]);
  }
  char *first = (char *)malloc(last);
  double best[9];
  for (int w = 0; w < count; ++w) {
    memset(data[arrays - 1], 0x55, last);
    works[w](data);
    if (w == 0) memcpy(first, data[arrays - 1], last);
    else if (memcmp(first, data[arrays - 1], last)) { printf("%s: strategy %d has other values\\n", name, w); exit(2); }
    best[w] = 1e9;
  }
  for (int r = 0; r < repeat; ++r)
    for (int w = 0; w < count; ++w) { double s = seconds(works[w], data); if (s < best[w]) best[w] = s; }
  printf("%s", name);
  for (int w = 0; w < count; ++w) printf(" %.3f", best[w] * 1e6);
  printf("\\n");
  for (int i = 0; i < arrays; ++i) free(data[i]);
  free(first);
}
int main(int, char **argv) {
  int repeat = atoi(argv[1]);
// CALLS
}
"""


def ranking_of(explained, subject):
    """[(strategy, cost)] of the choice that costs most, the chosen one first."""
    choices = [c for c in explained["choices"] if c["subject"] == subject]
    if not choices:
        return []
    most = max(choices, key=lambda c: c["chosen"]["cost"])
    return [(each["what"], each["cost"]) for each in (most["chosen"], *most["losers"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--distaff", default="build/bin/distaff")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--only")
    parser.add_argument("--repeat", type=int, default=200)
    chosen = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    includes, calls, objects, cases = [], [], [], {}
    for name, case in CASES.items():
        if chosen.only and chosen.only != name:
            continue
        source = folder / f"{name}.mlir"
        source.write_text(case.text(name, None).replace("STEPS", str(case.steps)))
        explained = json.loads(subprocess.run([chosen.distaff, "explain", source, "--target", "host", "--format", "json"], check=True, capture_output=True, text=True).stdout)
        ranking = ranking_of(explained, case.subject)
        if len(ranking) < 2:
            sys.exit(f"{name} has no choice of {case.subject}")
        works = []
        for strategy in (None, *(strategy for strategy, _ in ranking)):
            label = f"{name}_{strategy or 'ranked'}"
            (folder / f"{label}.mlir").write_text(case.text(label, strategy).replace("STEPS", str(case.steps)))
            for kind, suffix in (("obj", "o"), ("header", "h")):
                subprocess.run([chosen.distaff, "compile", folder / f"{label}.mlir", "--target", "host", "--emit", kind, "-o", folder / f"{label}.{suffix}"], check=True)
            includes.append(f'#include "{label}.h"')
            objects.append(folder / f"{label}.o")
            works.append(label)
        cases[name] = ranking
        sizes = ", ".join(str(case.steps * count(shape)) for shape, _ in case.tiles)
        elements = ", ".join(str(BYTES[e] if e[0] == "f" else -BYTES[e]) for _, e in case.tiles)
        types = ["float *" if e == "f32" else f"int{8 * BYTES[e]}_t *" if e[0] == "i" else "void *" for _, e in case.tiles]
        arguments = ", ".join(f"({type})a[{i}]" for i, type in enumerate(types))
        lambdas = ", ".join(f"[](char **a) {{ return {label}({arguments}, nullptr); }}" for label in works)
        calls.append(f'  {{ Work works[] = {{{lambdas}}}; long sizes[] = {{{sizes}}}; int elements[] = {{{elements}}};\n'
                     f'    run("{name}", works, {len(works)}, sizes, elements, {len(case.tiles)}, repeat); }}')
    (folder / "main.cpp").write_text(MAIN.replace("// INCLUDES", "\n".join(includes)).replace("// CALLS", "\n".join(calls)))
    subprocess.run([chosen.compiler, "-O2", "-std=c++20", f"-I{folder}", "-o", folder / "main", folder / "main.cpp", *objects, "-lm"], check=True)
    done = subprocess.run([folder / "main", str(chosen.repeat)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    right = 0
    print("| case | choice | as ranked, us | by strategy: cost, us | right |\n|---|---|---|---|---|")
    for line in done.stdout.splitlines():
        name, *times = line.split()
        times = [float(t) for t in times]
        # Behind what is ranked is the first strategy by itself, which is the same code, but for
        # remainders: there loads and stores are ranked apart.
        rivals = times[1:] if CASES[name].subject == "remainders" else times[2:]
        good = times[0] <= 1.03 * min(rivals)
        right += good
        listed = "; ".join(f"{strategy} {cost}, {time:.2f}" for (strategy, cost), time in zip(cases[name], times[1:]))
        print(f"| {name} | {CASES[name].subject} | {times[0]:.2f} | {listed} | {'yes' if good else 'NO'} |")
    print(f"\n{right} of {len(cases)} right")
    shutil.rmtree(folder)
    sys.exit(0 if 10 * right >= 9 * len(cases) else 1)


main()
