// A tensor.cast that makes the extents of an argument with a layout known takes it from memory, in which it is; extents that
// the run knows are padded to those of the layout, and a result is the part that counts (VX-213).
// RUN: distaff run %s --target sm_80 --func known --check --every-stage --shape arg0=16x16
// RUN: distaff run %s --target gfx942 --func known --check --shape arg0=16x16
// RUN: distaff run %s --target sm_80 --func relaid --device ptx --check --shape arg0=16x16
// RUN: distaff run %s --target host --func known --device host --check --shape arg0=16x16
// RUN: distaff run %s --target sm_80 --func padded --check --every-stage --shape arg0=11x13
// RUN: distaff run %s --target sm_80 --func padded --device ptx --check --shape arg0=16x16
// RUN: distaff run %s --target gfx942 --func padded --check --shape arg0=1x1
// RUN: distaff run %s --target sm_80 --func padded --check --shape arg0=0x5
// RUN: distaff run %s --target host --func padded --device host --check --shape arg0=7x16
// RUN: distaff run %s --target sm_80 --func sums --check --every-stage --shape arg0=11x9
// RUN: not distaff compile %s --target sm_80 --func hidden 2>&1 | FileCheck %s --check-prefix=HIDDEN
// RUN: distaff run %s --target host --func hidden --check
// HIDDEN: error: 'tensor.cast' op makes extents dynamic that are known, and lanes hold vectors of static ones; leave it away, and return the static type
// RUN: distaff compile %s --target sm_80 --func padded --stop-after=vectorize | FileCheck %s
// CHECK: vector.transfer_write %{{.*}} : vector<16x16xf32>, tensor<?x?xf32>

#L = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [4, 1]>
#M = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [4, 1], subgroup_strides = [0, 1], thread_strides = [1, 4]>
func.func @known(%x: tensor<?x?xf32, #L>, %e: tensor<16x16xf32, #L>) -> tensor<16x16xf32, #L> {
  %c = tensor.cast %x : tensor<?x?xf32, #L> to tensor<16x16xf32, #L>
  %y = linalg.exp ins(%c : tensor<16x16xf32, #L>) outs(%e : tensor<16x16xf32, #L>) -> tensor<16x16xf32, #L>
  return %y : tensor<16x16xf32, #L>
}

// To another layout at once, and of one extent.
func.func @relaid(%x: tensor<?x16xf32, #L>, %e: tensor<16x16xf32, #M>) -> tensor<16x16xf32, #M> {
  %c = tensor.cast %x : tensor<?x16xf32, #L> to tensor<16x16xf32, #M>
  %y = linalg.negf ins(%c : tensor<16x16xf32, #M>) outs(%e : tensor<16x16xf32, #M>) -> tensor<16x16xf32, #M>
  return %y : tensor<16x16xf32, #M>
}

func.func @padded(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %rows = arith.subi %c16, %m : index
  %columns = arith.subi %c16, %n : index
  %p = tensor.pad %x low[0, 0] high[%rows, %columns] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x?xf32> to tensor<16x16xf32, #L>
  %e = tensor.empty() : tensor<16x16xf32, #L>
  %y = linalg.exp ins(%p : tensor<16x16xf32, #L>) outs(%e : tensor<16x16xf32, #L>) -> tensor<16x16xf32, #L>
  %r = tensor.extract_slice %y[0, 0] [%m, %n] [1, 1] : tensor<16x16xf32, #L> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// The zeros that follow the rows add nothing to their sums.
func.func @sums(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %rows = arith.subi %c16, %m : index
  %columns = arith.subi %c16, %n : index
  %p = tensor.pad %x low[0, 0] high[%rows, %columns] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x?xf32> to tensor<16x16xf32, #L>
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %s = linalg.reduce ins(%p : tensor<16x16xf32, #L>) outs(%f : tensor<16xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %t = arith.addf %a, %b : f32
      linalg.yield %t : f32
    }
  %r = tensor.extract_slice %s[0] [%m] [1] : tensor<16xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @hidden(%x: tensor<16x16xf32, #L>) -> tensor<?x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32, #L>
  %y = linalg.exp ins(%x : tensor<16x16xf32, #L>) outs(%e : tensor<16x16xf32, #L>) -> tensor<16x16xf32, #L>
  %c = tensor.cast %y : tensor<16x16xf32, #L> to tensor<?x16xf32>
  return %c : tensor<?x16xf32>
}
