"""Matrix products as loops over workgroups, in many forms, for stages.py: element types, tiles,
matrix instructions, batches, transposed operands, what is done before and after."""
import dataclasses

import npy

PRELUDE = """#wg = #iree_codegen.workgroup_scope
#left = affine_map<()[s0, s1] -> (s0 - s1, 0)>
"""


@dataclasses.dataclass
class Product:
    """C[b, m, n] = sum over k of A[b, m, k] * B[b, k, n]. Tiles are (m, n, k); `fragment` is the instruction's."""
    name: str
    target: str
    lanes: int
    threads: int
    tile: tuple
    subgroup: tuple
    kind: str = ""
    fragment: tuple = (0, 0, 0)
    element: str = "f16"
    result: str = "f32"
    batch: int = 0        # extent of the batch tile, 0: no batches
    transposed: str = ""  # operands that are stored (k, m) and (n, k)
    generic: bool = False
    promoted: tuple = (0, 1)
    epilogue: str = ""    # "bias": max(c + bias[n] * row[m], 0)
    prologue: bool = False  # A is squared and scaled by row
    static: tuple = ()    # extents (batch, m, n, k) of a kernel that knows them, or some of them
    sizes: tuple = ()     # points: (batch, m, n, k)
    stages: tuple = ("tiled", "wrap-in-executor", "form-matmul-phases", "promote-to-shared-memory", "distribute-subgroups", "telescope", "distribute-lanes", "resolve-lanes",
                     "vectorize", "concretize")

    def arguments(self, sizes):
        """What follows the tensors."""
        return []

    def result_argument(self):
        return 4 if self.epilogue or self.prologue else 2

    def shape(self, operand, sizes):
        batch, m, n, k = sizes
        shape = {"a": (m, k), "b": (k, n), "c": (m, n)}[operand]
        if operand in self.transposed:
            shape = shape[::-1]
        return (batch, *shape) if self.batch else shape

    def grid(self, sizes):
        batch, m, n, _ = sizes
        return -(-n // self.tile[1]), -(-m // self.tile[0]), -(-batch // self.batch) if self.batch else 1

    def written(self, stage, sizes):
        """Bytes written to the result, to panels where there are any, and matrix instructions, where lanes are."""
        batch, m, n, k = sizes
        x, y, z = self.grid(sizes)
        steps = x * y * z * -(-k // self.tile[2])
        width, (tm, tn, tk) = npy.size_of(self.element), self.tile
        panels = stage not in ("tiled", "wrap-in-executor", "form-matmul-phases") and len(self.promoted)
        areas = (tm * tk, tk * tn)
        area = sum(areas[i] for i in self.promoted) * max(1, self.batch) * width
        lanes = stage in ("distribute-lanes", "resolve-lanes", "vectorize", "concretize")
        mmas = max(1, self.batch)
        for tile, extent in zip(self.tile, self.fragment):
            mmas *= tile // extent if extent else 0
        return {"global bytes written": npy.size_of(self.result) * batch * m * n, "shared bytes written": area * steps if panels else 0,
                "mma": mmas * steps * lanes}

    def compute(self, sizes, a, b, bias, rows):
        batch, m, n, k = sizes
        get_a = (lambda z, i, p: a[(z * k + p) * m + i]) if "a" in self.transposed else (lambda z, i, p: a[(z * m + i) * k + p])
        get_b = (lambda z, p, j: b[(z * n + j) * k + p]) if "b" in self.transposed else (lambda z, p, j: b[(z * k + p) * n + j])
        for z in range(batch):
            columns = [[get_b(z, p, j) for p in range(k)] for j in range(n)]
            for i in range(m):
                row = [get_a(z, i, p) for p in range(k)]
                if self.prologue:
                    row = [x * x + rows[i] for x in row]
                for j, column in enumerate(columns):
                    c = sum(x * y for x, y in zip(row, column))
                    yield max(c + bias[j] * rows[i], 0) if self.epilogue else c

    #===-- The kernel ---------------------------------------------------------===

    def config(self):
        tiles = lambda values: ", ".join(map(str, values))
        batch = (self.batch,) if self.batch else ()
        kind = f", mma_kind = #iree_gpu.mma_layout<{self.kind}>" if self.kind else ""
        return (f"#iree_gpu.lowering_config<{{workgroup = [{tiles((*batch, *self.tile[:2], 0))}], "
                f"reduction = [{tiles((*(0,) * len(batch), 0, 0, self.tile[2]))}], "
                f"subgroup = [{tiles((*batch, *self.subgroup, 0))}], promote_operands = [{tiles(self.promoted)}]{kind}}}>")

    def maps(self):
        z = ("b",) if self.batch else ()
        loops = ", ".join((*z, "m", "n", "k"))
        dims = {"a": ("m", "k"), "b": ("k", "n"), "c": ("m", "n")}
        return [f"affine_map<({loops}) -> ({', '.join((*z, *(dims[o][::-1] if o in self.transposed else dims[o])))})>" for o in "abc"]

    def contraction(self, a, b, types, acc, acc_type):
        ins = f"ins({a}, {b} : {types[0]}, {types[1]}) outs({acc} : {acc_type}) -> {acc_type}"
        config = f"lowering_config = {self.config()}"
        maps = ", ".join(self.maps())
        if not self.generic:
            name = "linalg.batch_matmul" if self.batch else "linalg.matmul"
            indexing = f" indexing_maps = [{maps}]" if self.transposed else ""
            return f"{name}{indexing} {{{config}}} {ins}"
        kinds = ", ".join(['"parallel"'] * (len(self.maps()[0].split("->")[0].split(",")) - 1) + ['"reduction"'])
        e, r = self.element, self.result
        widen = f"%x1 = arith.extf %x : {e} to {r}  %y1 = arith.extf %y : {e} to {r}" if e != r else ""
        x, y = ("%x1", "%y1") if e != r else ("%x", "%y")
        return (f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}], {config}}} "
                f"ins({a}, {b} : {types[0]}, {types[1]}) outs({acc} : {acc_type}) {{\n"
                f"    ^bb0(%x: {e}, %y: {e}, %z: {r}):\n      {widen}\n      %p = arith.mulf {x}, {y} : {r}\n"
                f"      %s = arith.addf %z, %p : {r}\n      linalg.yield %s : {r}\n    }} -> {acc_type}")

    def order(self, operand):
        """Which loop each dimension of an operand is."""
        names = {"a": "mk", "b": "kn", "c": "mn"}[operand]
        return "b" * bool(self.batch) + (names[::-1] if operand in self.transposed else names)

    def type(self, operand):
        """The shape and element type of an argument, as in a type."""
        extents = dict(zip("bmnk", self.static)) if self.static else dict.fromkeys("bmnk", "?")
        loops = {"d": "n", "e": "m"}.get(operand) or self.order(operand)
        return "x".join([*(str(extents[loop]) for loop in loops), self.element if operand in "ab" else self.result])

    def slice(self, operand):
        offset, size = {"m": "%om", "n": "%on", "k": "0", "b": "%ob"}, {"m": "%sm", "n": "%sn", "k": "%nk", "b": "%sb"}
        order = self.order(operand)
        return f"[{', '.join(offset[d] for d in order)}] [{', '.join(size[d] for d in order)}] [{', '.join('1' for _ in order)}]"

    def tile_type(self, operand):
        return "tensor<" + "?x" * len(self.order(operand)) + (self.element if operand in "ab" else self.result) + ">"

    def extents(self):
        """Extents of the loops, and how many tiles there are."""
        lines, tiles = [], {"m": self.tile[0], "n": self.tile[1], "b": self.batch}
        loops = "bmnk" if self.batch else "mnk"
        for loop in loops:
            operand = next(o for o in "abc" if loop in self.order(o))
            lines += [f"%n{loop} = tensor.dim %{operand.upper()}, %c{self.order(operand).index(loop)} : tensor<{self.type(operand)}>"]
        for loop in loops[:-1]:
            lines += [f"%nt{loop} = affine.apply affine_map<()[s0] -> (s0 ceildiv {tiles[loop]})>()[%n{loop}]"]
        return lines

    def prologue_ops(self):
        e, r, tile = self.element, self.result, self.tile_type("a")
        return [f"%ae = tensor.empty(%sm, %nk) : {tile}",
                "%ap = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], "
                f"iterator_types = [\"parallel\", \"parallel\"]}} ins(%at, %et : {tile}, tensor<?x{r}>) outs(%ae : {tile}) {{",
                f"^bb0(%x: {e}, %y: {r}, %w: {e}):", f"  %v = arith.mulf %x, %x : {e}", f"  %y1 = arith.truncf %y : {r} to {e}",
                f"  %u = arith.addf %v, %y1 : {e}", f"  linalg.yield %u : {e}", f"}} -> {tile}"]

    def epilogue_ops(self):
        r, tile = self.result, self.tile_type("c")
        return [f"%re = tensor.empty(%sm, %sn) : {tile}",
                "%rt = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, "
                "affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", \"parallel\"]} "
                f"ins(%mt, %dt, %et : {tile}, tensor<?x{r}>, tensor<?x{r}>) outs(%re : {tile}) {{",
                f"^bb0(%x: {r}, %y: {r}, %w: {r}, %q: {r}):", f"  %v = arith.mulf %y, %w : {r}", f"  %u = arith.addf %x, %v : {r}",
                f"  %t = arith.maximumf %u, %zero : {r}", f"  linalg.yield %t : {r}", f"}} -> {tile}"]

    def body(self):
        """What a workgroup does with its tile."""
        tiles = {"m": self.tile[0], "n": self.tile[1], "b": self.batch}
        lines, c = [], self.tile_type("c")
        for loop in "bmn" if self.batch else "mn":
            lines += [f"%o{loop} = arith.muli %i{loop}, %c{tiles[loop]} : index", f"%l{loop} = affine.max #left()[%n{loop}, %o{loop}]",
                      f"%s{loop} = arith.minsi %l{loop}, %c{tiles[loop]} : index"]
        for o in "ab":
            lines += [f"%{o}t = pcf.read_slice %{o}{self.slice(o)} : !pcf.sref<{self.type(o)}, #wg> to {self.tile_type(o)}"]
        if self.epilogue or self.prologue:
            lines += [f"%dt = pcf.read_slice %d[%on] [%sn] [1] : !pcf.sref<{self.type('d')}, #wg> to tensor<?x{self.result}>",
                      f"%et = pcf.read_slice %e[%om] [%sm] [1] : !pcf.sref<{self.type('e')}, #wg> to tensor<?x{self.result}>"]
        if self.prologue:
            lines += self.prologue_ops()
        sizes = {"m": "%sm", "n": "%sn", "b": "%sb"}
        operands = self.contraction("%ap" if self.prologue else "%at", "%bt", (self.tile_type("a"), self.tile_type("b")), "%ft", c)
        lines += [f"%e0 = tensor.empty({', '.join(sizes[d] for d in self.order('c'))}) : {c}",
                  f"%ft = linalg.fill ins(%zero : {self.result}) outs(%e0 : {c}) -> {c}", f"%mt = {operands}"]
        if self.epilogue:
            lines += self.epilogue_ops()
        return [*lines, f"pcf.write_slice {'%rt' if self.epilogue else '%mt'} into %c{self.slice('c')} : {c} into !pcf.sref<{self.type('c')}, sync(#wg)>",
                "pcf.return"]

    def source(self):
        constants = sorted({0, 1, 2, self.tile[0], self.tile[1], max(1, self.batch)})
        lines = [f"%c{c} = arith.constant {c} : index" for c in constants] + [f"%zero = arith.constant 0.0 : {self.result}"] + self.extents()
        inputs = "abde" if self.epilogue or self.prologue else "ab"
        refs = ", ".join(f"%{o} <- %{o.upper()} : tensor<{self.type(o)}>" for o in inputs)
        types = ", ".join([*(f"!pcf.sref<{self.type(o)}, #wg>" for o in inputs), f"!pcf.sref<{self.type('c')}, sync(#wg)>"])
        counts, ids = ("%ntn, %ntm, %ntb", "%in: index, %im: index, %ib: index") if self.batch else ("%ntn, %ntm", "%in: index, %im: index")
        launch = f"#iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [{self.threads}, 1, 1] subgroup_size = {self.lanes}>"
        arguments = ", ".join(f"%{o.upper()}: tensor<{self.type(o)}>" for o in inputs + "c")
        result, indent = f"tensor<{self.type('c')}>", lambda text, by: "".join(" " * by + line + "\n" for line in text)
        return (f"{PRELUDE}func.func @tiled({arguments}) -> {result} attributes {{translation_info = {launch}}} {{\n{indent(lines, 2)}"
                f"  %r = pcf.loop scope(#wg) count({counts})\n    execute({refs}, %c = %C)[{ids}]\n    : ({types}) -> ({result}) {{\n"
                f"{indent(self.body(), 4)}  }}\n  return %r : {result}\n}}\n")


NV = dict(target="sm_80", lanes=32)
AMD = dict(target="gfx942", lanes=64)
K16, K8 = (16, 8, 16), (16, 8, 8)
PRODUCTS = [
    # Rows and columns of C and the order of A's registers: whole numbers, and nothing is symmetrical.
    Product("mma_sync", **NV, threads=64, tile=(64, 32, 32), subgroup=(32, 32), kind="NV_MMA_SYNC_F32_16x8x16_F16", fragment=K16,
            sizes=((1, 64, 32, 32), (1, 65, 33, 33), (1, 63, 31, 31), (1, 1, 1, 1))),
    Product("mma_sync_k8", **NV, threads=64, tile=(32, 16, 24), subgroup=(16, 16), kind="NV_MMA_SYNC_F32_16x8x8_F16", fragment=K8,
            sizes=((1, 33, 17, 25),)),
    Product("mma_sync_f16", **NV, threads=32, tile=(16, 8, 16), subgroup=(16, 8), kind="NV_MMA_SYNC_F16_16x8x16_F16", fragment=K16,
            result="f16", sizes=((1, 17, 9, 17),)),
    Product("mma_sync_bf16", **NV, threads=128, tile=(64, 32, 16), subgroup=(32, 16), kind="NV_MMA_SYNC_F32_16x8x16_BF16", fragment=K16,
            element="bf16", sizes=((1, 40, 30, 20),)),
    Product("mma_sync_k8_bf16", **NV, threads=32, tile=(32, 16, 16), subgroup=(32, 16), kind="NV_MMA_SYNC_F32_16x8x8_BF16", fragment=K8,
            element="bf16", transposed="a", generic=True, sizes=((1, 33, 15, 9),)),
    Product("mma_sync_k8_f16", **NV, threads=32, tile=(16, 16, 8), subgroup=(16, 16), kind="NV_MMA_SYNC_F16_16x8x8_F16", fragment=K8,
            result="f16", sizes=((1, 15, 17, 9),)),
    Product("mma_sync_b_transposed", **NV, threads=64, tile=(32, 32, 32), subgroup=(16, 32), kind="NV_MMA_SYNC_F32_16x8x16_F16", fragment=K16,
            transposed="b", sizes=((1, 33, 31, 40),)),
    Product("mma_sync_both_transposed", **NV, threads=64, tile=(32, 32, 32), subgroup=(16, 32), kind="NV_MMA_SYNC_F32_16x8x16_F16", fragment=K16,
            transposed="ab", generic=True, sizes=((1, 33, 31, 40),)),
    Product("mma_sync_batches", **NV, threads=64, tile=(32, 16, 16), subgroup=(16, 16), kind="NV_MMA_SYNC_F32_16x8x16_F16", fragment=K16,
            batch=1, sizes=((3, 33, 17, 20),)),
    Product("mma_sync_batch_tiles", **NV, threads=64, tile=(32, 16, 16), subgroup=(16, 16), kind="NV_MMA_SYNC_F32_16x8x16_F16", fragment=K16,
            batch=2, generic=True, sizes=((3, 33, 17, 20),)),
    Product("mma_sync_not_promoted", **NV, threads=64, tile=(32, 16, 32), subgroup=(16, 16), kind="NV_MMA_SYNC_F32_16x8x16_F16", fragment=K16,
            promoted=(), sizes=((1, 33, 17, 40),)),
    Product("mma_sync_bias", **NV, threads=64, tile=(32, 32, 16), subgroup=(32, 16), kind="NV_MMA_SYNC_F32_16x8x16_F16", fragment=K16,
            epilogue="bias", sizes=((1, 33, 31, 17),)),
    Product("mma_sync_scaled", **NV, threads=64, tile=(32, 16, 32), subgroup=(16, 16), kind="NV_MMA_SYNC_F32_16x8x16_F16", fragment=K16,
            prologue=True, epilogue="bias", sizes=((1, 33, 17, 40),)),
    Product("mma_sync_scaled_not_promoted", **NV, threads=64, tile=(32, 16, 16), subgroup=(16, 16), kind="NV_MMA_SYNC_F32_16x8x16_F16", fragment=K16,
            prologue=True, promoted=(1,), sizes=((1, 33, 17, 20),)),
    Product("mma_sync_static", **NV, threads=64, tile=(32, 32, 32), subgroup=(32, 16), kind="NV_MMA_SYNC_F32_16x8x16_F16", fragment=K16,
            static=(1, 64, 96, 64), sizes=((1, 64, 96, 64),)),
    Product("mma_sync_dynamic_rows", **NV, threads=64, tile=(32, 32, 32), subgroup=(32, 16), kind="NV_MMA_SYNC_F32_16x8x16_F16", fragment=K16,
            static=(1, "?", 96, 64), sizes=((1, 37, 96, 64),)),
    Product("mfma_32", **AMD, threads=128, tile=(64, 32, 16), subgroup=(32, 32), kind="MFMA_F32_32x32x8_F16", fragment=(32, 32, 8),
            sizes=((1, 65, 33, 17), (1, 64, 32, 16))),
    Product("mfma_32_bf16", **AMD, threads=64, tile=(32, 32, 32), subgroup=(32, 32), kind="MFMA_F32_32x32x8_BF16", fragment=(32, 32, 8),
            element="bf16", sizes=((1, 33, 31, 33),)),
    Product("mfma_32_bias", **AMD, threads=128, tile=(64, 64, 16), subgroup=(32, 64), kind="MFMA_F32_32x32x8_F16", fragment=(32, 32, 8),
            epilogue="bias", sizes=((1, 61, 67, 17),)),
    Product("mfma_16_bf16", **AMD, threads=128, tile=(32, 32, 32), subgroup=(16, 32), kind="MFMA_F32_16x16x16_BF16", fragment=(16, 16, 16),
            element="bf16", transposed="b", sizes=((1, 33, 31, 35),)),
    Product("mfma_16_scaled", **AMD, threads=64, tile=(32, 16, 32), subgroup=(32, 16), kind="MFMA_F32_16x16x16_F16", fragment=(16, 16, 16),
            prologue=True, epilogue="bias", promoted=(0,), sizes=((1, 33, 17, 40),)),
    # Without an instruction: lanes compute boxes, element by element.
    Product("by_element", **NV, threads=64, tile=(32, 32, 16), subgroup=(16, 32), sizes=((1, 33, 31, 17),)),
    Product("by_element_bias", **NV, threads=64, tile=(32, 32, 16), subgroup=(16, 32), epilogue="bias", sizes=((1, 33, 31, 17),)),
    Product("by_element_64", **AMD, threads=256, tile=(64, 64, 16), subgroup=(32, 32), sizes=((1, 65, 63, 17),)),
]
