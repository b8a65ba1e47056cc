"""Groups of a scope with several worker ids (PCF-115): boxes of workgroups in a grid, split
along each dimension and split again, with payload that each member carries from one phase
to the next; as groups on the SIMT machine and, after resolution, as workers.

    python3 grid_clusters.py OUT_DIR [--distaff PATH] [--distaff-opt PATH]
"""
import itertools
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import fork_server
import npy
from pipeline_passes import after_each, read_flags

options = read_flags()

# Points i along x, j and the last row along y, none along z. Arguments are row-major, x slowest.
BOUNDS = [(("0", "d0"), ("d0", "s0")), (("0", "d1"), ("d1", "s1 - 1"), ("s1 - 1", "s1")), (("0", "s2"),)]
CLUSTERS = list(itertools.product(*BOUNDS))
# The cluster that is split again, at m along z and in halves along x; its payload stays with its members.
SPLIT_AGAIN = 3
INNER = [(("d0", "(s0 + d0) floordiv 2"), ("(s0 + d0) floordiv 2", "s0")), (("0", "d1"),), (("0", "d2"), ("d2", "s2"))]


def type_of(box, name, payload=""):
    ranges = " x ".join(f"({low} -> {high})" for low, high in box)
    return f"!pcf.cluster<#wg, {ranges}, {payload}{name}>"


def values(box):
    """How many range values a cluster takes, as text."""
    text = str(box)
    count = 3 if "d2" in text else 2 if "d1" in text else 1 if "d0" in text else 0
    return ", ".join(["%i", "%j", "%m"][:count])


def member(handle, box, name, low, number):
    """A phase that gives each member its ids, and one that writes them where it is in the grid."""
    plain, private = type_of(box, name), type_of(box, name, "private: {index, vector<1x1x1xi32>}, ")
    lows = "\n".join(f"        %l{d} = affine.apply affine_map<(d0, d1, d2)[s0, s1, s2] -> ({expr})>(%i, %j, %m)[%nx, %ny, %nz]" for d, expr in enumerate(low))
    return f"""
      %p{name} = pcf.shared_executor.run_thread({handle})[{values(box)}] () [%x: index, %y: index, %z: index] {{
        %code = affine.apply affine_map<(d0, d1, d2) -> ({number} * 1000 + d0 + 10 * d1 + 100 * d2)>(%x, %y, %z)
        %v = arith.index_cast %code : index to i32
        %e = vector.broadcast %v : i32 to vector<1x1x1xi32>
        pcf.cluster_yield %x, %e : index, vector<1x1x1xi32>
      }} : ({plain}) -> {private}
      pcf.shared_executor.run_thread(%p{name})[{values(box)}] (%mine: index, %e: vector<1x1x1xi32>) [%x: index, %y: index, %z: index] {{
{lows}
        %gx = arith.addi %l0, %mine : index
        %gy = arith.addi %l1, %y : index
        %gz = arith.addi %l2, %z : index
        %bx = gpu.block_id x
        %by = gpu.block_id y
        %bz = gpu.block_id z
        %same_x = arith.cmpi eq, %bx, %gx : index
        %same_y = arith.cmpi eq, %by, %gy : index
        %same_z = arith.cmpi eq, %bz, %gz : index
        %same_xy = arith.andi %same_x, %same_y : i1
        %same = arith.andi %same_xy, %same_z : i1
        %else = arith.constant dense<-1> : vector<1x1x1xi32>
        %w = arith.select %same, %e, %else : vector<1x1x1xi32>
        pcf.write_slice %w into %o[%gz, %gy, %gx] [1, 1, 1] [1, 1, 1] : vector<1x1x1xi32> into !O
        pcf.cluster_yield
      }} : ({private})"""


def kernel(nx, ny, nz):
    names = [f"c{number}" for number in range(len(CLUSTERS))]
    inner = list(itertools.product(*INNER))
    inner_names = [f"n{number}" for number in range(len(inner))]
    phases = "".join(member(f"%{name}", box, name, [low for low, _ in box], number)
                     for number, (name, box) in enumerate(zip(names, CLUSTERS)) if number != SPLIT_AGAIN)
    inner_phases = "".join(member(f"%{name}", box, name, [low for low, _ in box], 10 + number)
                           for number, (name, box) in enumerate(zip(inner_names, inner)))
    arguments = ", ".join(f"%{name}: {type_of(box, name)}" for name, box in zip(names, CLUSTERS))
    inner_arguments = ", ".join(f"%{name}: {type_of(box, name)}" for name, box in zip(inner_names, inner))
    around = CLUSTERS[SPLIT_AGAIN]
    return f"""#wg = #iree_codegen.workgroup_scope
#launch = #iree_codegen.translation_info<pipeline = VectorDistribute workgroup_size = [32, 1, 1] subgroup_size = 32>
!O = !pcf.sref<{nz}x{ny}x{nx}xi32, sync(#wg)>
func.func @kernel__grid() -> (index, index, index) attributes {{host}} {{
  %nx = arith.constant {nx} : index
  %ny = arith.constant {ny} : index
  %nz = arith.constant {nz} : index
  return %nx, %ny, %nz : index, index, index
}}
func.func @kernel(%i: index, %j: index, %m: index, %init: tensor<{nz}x{ny}x{nx}xi32>) -> tensor<{nz}x{ny}x{nx}xi32> attributes {{translation_info = #launch}} {{
  %nx = arith.constant {nx} : index
  %ny = arith.constant {ny} : index
  %nz = arith.constant {nz} : index
  %r = pcf.shared_executor scope(#wg) execute(%o = %init)[%tg: !pcf.threadgroup<#wg>] : (!O) -> (tensor<{nz}x{ny}x{nx}xi32>) {{
    pcf.shared_executor.tile_group %tg split [[%i], [%j, s1 - 1], []] ({arguments}) {{{phases}
      pcf.shared_executor.tile_group %{names[SPLIT_AGAIN]}[{values(around)}] split [[(s0 + d0) floordiv 2], [], [%m]] ({inner_arguments}) {{{inner_phases}
        pcf.return
      }} : {type_of(around, names[SPLIT_AGAIN])}
      pcf.return
    }} : !pcf.threadgroup<#wg>
    pcf.return
  }}
  return %r : tensor<{nz}x{ny}x{nx}xi32>
}}
"""


def expect(nx, ny, nz, i, j, m):
    """Which cluster a worker is in and its ids there, from its place in the grid alone."""
    expected = []
    for z, y, x in itertools.product(range(nz), range(ny), range(nx)):
        column, row = int(x >= i), (y >= j) + (y >= ny - 1)
        number, low = 3 * column + row, [i * column, [0, j, ny - 1][row], 0]
        if number == SPLIT_AGAIN:
            half, layer = (i + nx) // 2, int(z >= m)
            number, low = 10 + 2 * int(x >= half) + layer, [half if x >= half else i, 0, m * layer]
        expected.append(1000 * number + x - low[0] + 10 * (y - low[1]) + 100 * (z - low[2]))
    return expected


def run(path, *numbers):
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    done = fork_server.run([options.distaff, "run", path, "--target", "sm_80", "--output", f"res0={result}",
                            *(flag for position, number in enumerate(numbers) for flag in ("--input", f"arg{position}={number}"))])
    return (npy.read(result, "i32"), "") if done.returncode == 0 else (None, done.stderr.strip().splitlines()[0])


failures = 0
for nx, ny, nz in ((5, 4, 2), (1, 1, 1), (3, 2, 1)):
    path = options.out / f"grid{nx}{ny}{nz}.mlir"
    path.write_text(kernel(nx, ny, nz))
    for stage, path in after_each(options, [("groups", []), ("workers", ["--pcf-resolve-clusters"])], path, prefix=f"grid{nx}{ny}{nz}-"):
        for i, j, m in ((0, 0, 0), (nx, ny - 1, nz), (nx // 2, (ny - 1) // 2, nz // 2)):
            found, said = run(path, i, j, m)
            isRight = found == expect(nx, ny, nz, i, j, m)
            failures += not isRight
            print("ok" if isRight else "FAIL", stage, (nx, ny, nz), "split at", (i, j, m), said)
    _, said = run(options.out / f"grid{nx}{ny}{nz}.mlir", nx + 1, 0, 0)
    failures += "the split points decrease" not in said
    print("ok" if "the split points decrease" in said else "FAIL", "a point beyond the grid", said)
print(failures, "failures")
sys.exit(failures > 0)
