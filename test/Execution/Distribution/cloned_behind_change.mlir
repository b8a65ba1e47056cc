// A cheap chain is copied for one user behind a change of layout that was put into it
// for another (VX-56): the copy is of the chain, not of the change.
// RUN: distaff run %s --target sm_80 --check --every-stage --device ptx --input arg0=2 --input arg1=0
// RUN: distaff run %s --target sm_80 --check --every-stage --input arg0=0 --input arg1=0

func.func @cloned(%trips: index, %at: index, %m: memref<4xi32>, %out: memref<60x1xi32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [96, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant -2 : i32
  %table = arith.constant dense<[[3, 2, -3, -3, 0], [-2, -3, -3, -1, -2], [-2, 1, -1, 3, 0], [-1, -3, -1, 2, 0], [-2, -2, 0, -1, 2], [-3, 3, 0, 0, -2], [-3, -2, -1, 0, -2], [2, -3, -1, -3, -3], [3, 2, -3, 3, 0], [2, -3, 0, 3, 0], [2, 1, -1, 2, 0], [-1, -1, -2, 2, 1]]> : vector<12x5xi32>
  %line = vector.shape_cast %table : vector<12x5xi32> to vector<60x1xi32>
  %same = vector.transpose %line, [0, 1] : vector<60x1xi32> to vector<60x1xi32>
  %digits = iree_vector_ext.to_layout %same to layout(#iree_vector_ext.digit_layout<[[lane(3, 1), lane(5, 3), sg(2, 1), reg(2, 1)], []]>) : vector<60x1xi32>
  %r:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %digits, %b = %same) -> (vector<60x1xi32>, vector<60x1xi32>) {
    %read = vector.transfer_read %m[%at], %pad {in_bounds = [true, true], permutation_map = affine_map<(d0) -> (0, d0)>} : memref<4xi32>, vector<60x1xi32>
    scf.yield %read, %read : vector<60x1xi32>, vector<60x1xi32>
  }
  vector.transfer_write %r#1, %out[%c0, %c0] {in_bounds = [true, true]} : vector<60x1xi32>, memref<60x1xi32>
  return
}
