// GONE: parallel_insert_slice
#seq = #pcf.sequential
!sref = !pcf.sref<?x48xf32, sync(#seq)>

// Strides of both slices, an insert of lower rank, bounds and steps.
func.func @strides_and_ranks(%a: tensor<?x48xf32>, %b: tensor<?x24xf32>, %c: tensor<?x24xf32>, %n: index) -> tensor<?x48xf32> {
  %c2 = arith.constant 2 : index
  %r = pcf.loop scope(#seq) count(%c2) execute(%o = %a)[%k: index] : (!sref) -> (tensor<?x48xf32>) {
    %w = scf.forall (%i, %j) = (0, 0) to (%n, 24) step (1, 8) shared_outs(%s = %b) -> (tensor<?x24xf32>) {
      %even = tensor.extract_slice %c[%i, %j] [1, 8] [1, 1] : tensor<?x24xf32> to tensor<8xf32>
      %sq = linalg.square ins(%even : tensor<8xf32>) outs(%even : tensor<8xf32>) -> tensor<8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %sq into %s[%i, %j] [1, 8] [1, 1] : tensor<8xf32> into tensor<?x24xf32>
      }
    }
    pcf.write_slice %w into %o[0, %k] [%n, 24] [1, 2] : tensor<?x24xf32> into !sref
    pcf.return
  }
  return %r : tensor<?x48xf32>
}

// The insert is strided too: element 4 * j + i of the row comes from (i, j).
func.func @a_strided_insert(%a: tensor<?x48xf32>, %b: tensor<?x24xf32>, %c: tensor<?x24xf32>, %n: index) -> tensor<?x48xf32> {
  %c2 = arith.constant 2 : index
  %r = pcf.loop scope(#seq) count(%c2) execute(%o = %a)[%k: index] : (!sref) -> (tensor<?x48xf32>) {
    %w = scf.forall (%i) in (4) shared_outs(%s = %b) -> (tensor<?x24xf32>) {
      %part = tensor.extract_slice %c[0, %i] [%n, 6] [1, 1] : tensor<?x24xf32> to tensor<?x6xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %part into %s[0, %i] [%n, 6] [1, 4] : tensor<?x6xf32> into tensor<?x24xf32>
      }
    }
    pcf.write_slice %w into %o[0, %k] [%n, 24] [1, 2] : tensor<?x24xf32> into !sref
    pcf.return
  }
  return %r : tensor<?x48xf32>
}
