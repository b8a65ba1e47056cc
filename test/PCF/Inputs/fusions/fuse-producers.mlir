// GONE: pcf.read_slice
#seq = #pcf.sequential
!sref = !pcf.sref<?x8xf32, sync(#seq)>

func.func @elementwise(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>, %d: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %p = linalg.sub ins(%a, %b : tensor<?x8xf32>, tensor<?x8xf32>) outs(%d : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = pcf.generic scope(#seq) execute(%o = %p)[%id: index, %n: index] : (!sref) -> (tensor<?x8xf32>) {
    %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%id)
    %t = pcf.read_slice %o[%at, 0] [4, 3] [1, 1] : !sref to tensor<4x3xf32>
    %u = pcf.read_slice %o[%at, 3] [4, 5] [1, 1] : !sref to tensor<4x5xf32>
    %x = linalg.square ins(%t : tensor<4x3xf32>) outs(%t : tensor<4x3xf32>) -> tensor<4x3xf32>
    %y = linalg.negf ins(%u : tensor<4x5xf32>) outs(%u : tensor<4x5xf32>) -> tensor<4x5xf32>
    pcf.write_slice %x into %o[%at, 0] [4, 3] [1, 1] : tensor<4x3xf32> into !sref
    pcf.write_slice %y into %o[%at, 3] [4, 5] [1, 1] : tensor<4x5xf32> into !sref
    pcf.return
  }
  return %r : tensor<?x8xf32>
}

// Zeros beyond the size of a vector.
func.func @vectors(%a: tensor<8x?xf32>, %d: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %p = linalg.transpose ins(%a : tensor<8x?xf32>) outs(%d : tensor<?x8xf32>) permutation = [1, 0]
  %r = pcf.generic scope(#seq) execute(%o = %p)[%id: index, %n: index] : (!sref) -> (tensor<?x8xf32>) {
    %c3 = arith.constant 3 : index
    %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%id)
    %t = pcf.read_slice %o[%at, 1] [%c3, 5] [1, 1] : !sref to vector<4x8xf32>
    pcf.write_slice %t into %o[%at, 0] [4, 8] [1, 1] : vector<4x8xf32> into !sref
    pcf.return
  }
  return %r : tensor<?x8xf32>
}

// The whole sum is computed again, its init included.
func.func @reductions(%a: tensor<?x6xf32>, %b: tensor<6x8xf32>, %d: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %p = linalg.matmul ins(%a, %b : tensor<?x6xf32>, tensor<6x8xf32>) outs(%d : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = pcf.generic scope(#seq) execute(%o = %p)[%id: index, %n: index] : (!sref) -> (tensor<?x8xf32>) {
    %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%id)
    %t = pcf.read_slice %o[%at, 0] [4, 8] [1, 1] : !sref to tensor<4x8xf32>
    %x = linalg.square ins(%t : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) -> tensor<4x8xf32>
    pcf.write_slice %x into %o[%at, 0] [4, 8] [1, 1] : tensor<4x8xf32> into !sref
    pcf.return
  }
  return %r, %p : tensor<?x8xf32>, tensor<?x8xf32>
}

// Through readonly refs: a sum and what it is added to, of which one has other users.
func.func @readonly(%a: tensor<?x6xf32>, %b: tensor<6x8xf32>, %c: tensor<?x8xf32>, %d: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %p = linalg.matmul ins(%a, %b : tensor<?x6xf32>, tensor<6x8xf32>) outs(%d : tensor<?x8xf32>) -> tensor<?x8xf32>
  %q = linalg.square ins(%c : tensor<?x8xf32>) outs(%d : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = pcf.generic scope(#seq) execute(%x <- %p : tensor<?x8xf32>, %o = %d, %y <- %q : tensor<?x8xf32>)[%id: index, %n: index]
    : (!pcf.sref<?x8xf32, #seq>, !sref, !pcf.sref<?x8xf32, #seq>) -> (tensor<?x8xf32>) {
    %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%id)
    %s = pcf.read_slice %x[%at, 0] [4, 8] [1, 1] : !pcf.sref<?x8xf32, #seq> to tensor<4x8xf32>
    pcf.write_slice %s into %o[%at, 0] [4, 8] [1, 1] : tensor<4x8xf32> into !sref
    %t = pcf.read_slice %y[%at, 0] [4, 8] [1, 1] : !pcf.sref<?x8xf32, #seq> to tensor<4x8xf32>
    %u = linalg.sub ins(%s, %t : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s : tensor<4x8xf32>) -> tensor<4x8xf32>
    pcf.write_slice %u into %o[%at, 0] [4, 8] [1, 1] : tensor<4x8xf32> into !sref
    pcf.return
  }
  return %r, %q : tensor<?x8xf32>, tensor<?x8xf32>
}
