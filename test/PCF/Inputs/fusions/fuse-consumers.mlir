// GONE: (?m)^    %.* = (linalg|tensor.(extract_slice|collapse_shape) %\d+)
#seq = #pcf.sequential
!sref = !pcf.sref<?x8xf32, sync(#seq)>

// Several writes, a result used twice and as an init, two consumers, a consumer
// of both, and one that reduces whole rows.
func.func @chains(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %d: tensor<?x8xf32>, %s: tensor<?xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %n: index] : (!sref) -> (tensor<?x8xf32>) {
    %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%id)
    %v = tensor.extract_slice %b[%at, 0] [4, 3] [1, 1] : tensor<?x8xf32> to tensor<4x3xf32>
    pcf.write_slice %v into %o[%at, 0] [4, 3] [1, 1] : tensor<4x3xf32> into !sref
    %w = "test.make"(%at) : (index) -> tensor<4x5xf32>
    pcf.write_slice %w into %o[%at, 3] [4, 5] [1, 1] : tensor<4x5xf32> into !sref
    pcf.return
  }
  %x = linalg.add ins(%p, %b : tensor<?x8xf32>, tensor<?x8xf32>) outs(%p : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = linalg.square ins(%p : tensor<?x8xf32>) outs(%d : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %x, %y : tensor<?x8xf32>, tensor<?x8xf32>
}

func.func @one_write(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %c: tensor<8x5xf32>, %d: tensor<?x5xf32>, %s: tensor<?xf32>, %t: tensor<8x?xf32>) -> (tensor<?xf32>, tensor<?x5xf32>, tensor<8x?xf32>, tensor<?x8xf32>) {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %n: index] : (!sref) -> (tensor<?x8xf32>) {
    %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%id)
    %v = "test.make"(%at) : (index) -> tensor<4x8xf32>
    pcf.write_slice %v into %o[%at, 0] [4, 8] [1, 1] : tensor<4x8xf32> into !sref
    pcf.return
  }
  %x = linalg.mul ins(%p, %b : tensor<?x8xf32>, tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = linalg.negf ins(%p : tensor<?x8xf32>) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
  %z = linalg.sub ins(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>) outs(%p : tensor<?x8xf32>) -> tensor<?x8xf32>
  %sum = linalg.reduce { arith.addf } ins(%z : tensor<?x8xf32>) outs(%s : tensor<?xf32>) dimensions = [1]
  %mm = linalg.matmul ins(%z, %c : tensor<?x8xf32>, tensor<8x5xf32>) outs(%d : tensor<?x5xf32>) -> tensor<?x5xf32>
  %tr = linalg.transpose ins(%y : tensor<?x8xf32>) outs(%t : tensor<8x?xf32>) permutation = [1, 0]
  return %sum, %mm, %tr, %z : tensor<?xf32>, tensor<?x5xf32>, tensor<8x?xf32>, tensor<?x8xf32>
}

// Writes that lie inside, across and beyond the extents that are left.
func.func @shrinks(%a: tensor<?x8xf32>) -> tensor<3x5xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %n: index] : (!sref) -> (tensor<?x8xf32>) {
    %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%id)
    %c2 = arith.constant 2 : index
    %v = "test.make"(%at) : (index) -> tensor<2x4xf32>
    %low = affine.apply affine_map<(d0) -> (d0 * 4 + 2)>(%id)
    pcf.write_slice %v into %o[%at, 0] [2, 4] [1, 1] : tensor<2x4xf32> into !sref
    pcf.write_slice %v into %o[%low, 0] [%c2, 4] [1, 1] : tensor<2x4xf32> into !sref
    %w = "test.make"(%low) : (index) -> tensor<4x3xf32>
    pcf.write_slice %w into %o[%at, 4] [4, 3] [1, 1] : tensor<4x3xf32> into !sref
    %u = "test.make"(%low) : (index) -> tensor<4x1xf32>
    pcf.write_slice %u into %o[%at, 7] [4, 1] [1, 1] : tensor<4x1xf32> into !sref
    pcf.return
  }
  %e = tensor.extract_slice %p[0, 0] [3, 5] [1, 1] : tensor<?x8xf32> to tensor<3x5xf32>
  return %e : tensor<3x5xf32>
}

// One run, and loops over the dimensions outside the run.
func.func @collapses(%a: tensor<?x3x8xf32>, %n: index) -> (tensor<?xf32>, tensor<?x8xf32>, tensor<?xf32>) {
  %p:3 = pcf.generic scope(#seq) execute(%o = %a, %q = %a, %u)[%id: index, %w: index] : (!pcf.sref<?x3x8xf32, sync(#seq)>, !pcf.sref<?x3x8xf32, sync(#seq)>, !pcf.sref<?x3x8xf32, sync(#seq)>) -> (tensor<?x3x8xf32>, tensor<?x3x8xf32>, tensor<?x3x8xf32>{%n}) {
    %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%id)
    %v = "test.make"(%at) : (index) -> tensor<4x3x8xf32>
    pcf.write_slice %v into %o[%at, 0, 0] [4, 3, 8] [1, 1, 1] : tensor<4x3x8xf32> into !pcf.sref<?x3x8xf32, sync(#seq)>
    %x = "test.make"(%at) : (index) -> tensor<4x2x8xf32>
    %y = "test.make"(%at) : (index) -> tensor<4x1x8xf32>
    pcf.write_slice %x into %q[%at, 1, 0] [4, 2, 8] [1, 1, 1] : tensor<4x2x8xf32> into !pcf.sref<?x3x8xf32, sync(#seq)>
    pcf.write_slice %y into %q[%at, 0, 0] [4, 1, 8] [1, 1, 1] : tensor<4x1x8xf32> into !pcf.sref<?x3x8xf32, sync(#seq)>
    %l = "test.make"(%at) : (index) -> tensor<4x3x2xf32>
    %r = "test.make"(%id) : (index) -> tensor<4x3x6xf32>
    pcf.write_slice %l into %u[%at, 0, 6] [4, 3, 2] [1, 1, 1] : tensor<4x3x2xf32> into !pcf.sref<?x3x8xf32, sync(#seq)>
    pcf.write_slice %r into %u[%at, 0, 0] [4, 3, 6] [1, 1, 1] : tensor<4x3x6xf32> into !pcf.sref<?x3x8xf32, sync(#seq)>
    pcf.return
  }
  %c = tensor.collapse_shape %p#0 [[0, 1, 2]] : tensor<?x3x8xf32> into tensor<?xf32>
  %d = tensor.collapse_shape %p#1 [[0, 1], [2]] : tensor<?x3x8xf32> into tensor<?x8xf32>
  %e = tensor.collapse_shape %p#2 [[0, 1, 2]] : tensor<?x3x8xf32> into tensor<?xf32>
  return %c, %d, %e : tensor<?xf32>, tensor<?x8xf32>, tensor<?xf32>
}
