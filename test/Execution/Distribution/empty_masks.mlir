// A vector.mask around nothing is what it yields (VX-60); where a passthru is given,
// a choice.
// RUN: distaff run %s --target sm_80 --check --every-stage --device ptx
func.func @nothing(%m: memref<6xi1>, %a: memref<6xi32>, %b: memref<6xi32>, %o: memref<6xi32>, %p: memref<6xi32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %f = arith.constant false
  %mask = vector.transfer_read %m[%c0], %f {in_bounds = [true]} : memref<6xi1>, vector<6xi1>
  %x = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<6xi32>, vector<6xi32>
  %y = vector.transfer_read %b[%c0], %z {in_bounds = [true]} : memref<6xi32>, vector<6xi32>
  %same = vector.mask %mask { vector.yield %x : vector<6xi32> } : vector<6xi1> -> vector<6xi32>
  %either = vector.mask %mask, %y { vector.yield %x : vector<6xi32> } : vector<6xi1> -> vector<6xi32>
  vector.transfer_write %same, %o[%c0] {in_bounds = [true]} : vector<6xi32>, memref<6xi32>
  vector.transfer_write %either, %p[%c0] {in_bounds = [true]} : vector<6xi32>, memref<6xi32>
  return
}
