// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file > %t.before
// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-fuse-producers -split-input-file | diff %t.before -

// PCF-46: what does not match is left as it is. One condition per function.

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @no_read(%a: tensor<16xf32>, %f: f32, %v: tensor<16xf32>) -> tensor<16xf32> {
  %e = linalg.fill ins(%f : f32) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  %r = pcf.generic scope(#seq) execute(%p = %e)[%id: index, %n: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %p[0] [16] [1] : tensor<16xf32> into !sref
    pcf.return
  }
  return %r : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, #seq>

func.func @not_synchronized(%a: tensor<16xf32>, %f: f32) -> tensor<16xf32> {
  %e = linalg.fill ins(%f : f32) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  %r = pcf.generic scope(#seq) execute(%p = %e)[%id: index, %n: index] : (!sref) -> (tensor<16xf32>) {
    %x = pcf.read_slice %p[%id] [4] [1] : !sref to tensor<4xf32>
    pcf.write_slice %x into %p[%id] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  return %r : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_strided_read(%a: tensor<16xf32>, %f: f32) -> tensor<16xf32> {
  %e = linalg.fill ins(%f : f32) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  %r = pcf.generic scope(#seq) execute(%p = %e)[%id: index, %n: index] : (!sref) -> (tensor<16xf32>) {
    %x = pcf.read_slice %p[%id] [4] [2] : !sref to tensor<4xf32>
    pcf.write_slice %x into %p[%id] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  return %r : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @another_user(%a: tensor<16xf32>, %f: f32) -> tensor<16xf32> {
  %e = linalg.fill ins(%f : f32) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  %r = pcf.generic scope(#seq) execute(%p = %e)[%id: index, %n: index] : (!sref) -> (tensor<16xf32>) {
    %x = pcf.read_slice %p[%id] [4] [1] : !sref to tensor<4xf32>
    "test.use"(%p) : (!sref) -> ()
    pcf.write_slice %x into %p[%id] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  return %r : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_write_comes_first(%a: tensor<16xf32>, %f: f32, %v: tensor<4xf32>) -> tensor<16xf32> {
  %e = linalg.fill ins(%f : f32) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  %r = pcf.generic scope(#seq) execute(%p = %e)[%id: index, %n: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %p[1] [4] [1] : tensor<4xf32> into !sref
    %x = pcf.read_slice %p[4] [4] [1] : !sref to tensor<4xf32>
    "test.use"(%x) : (tensor<4xf32>) -> ()
    pcf.return
  }
  return %r : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

// The write of one iteration comes before the read of the next.
func.func @a_write_comes_first_in_a_loop(%a: tensor<16xf32>, %f: f32, %v: tensor<4xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = linalg.fill ins(%f : f32) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  %r = pcf.generic scope(#seq) execute(%p = %e)[%id: index, %n: index] : (!sref) -> (tensor<16xf32>) {
    scf.for %i = %c0 to %n step %c1 {
      %x = pcf.read_slice %p[%i] [4] [1] : !sref to tensor<4xf32>
      pcf.write_slice %x into %p[%i] [4] [1] : tensor<4xf32> into !sref
    }
    pcf.return
  }
  return %r : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_write_comes_first_in_another_block(%a: tensor<16xf32>, %f: f32, %v: tensor<4xf32>, %c: i1) -> tensor<16xf32> {
  %e = linalg.fill ins(%f : f32) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  %r = pcf.generic scope(#seq) execute(%p = %e)[%id: index, %n: index] : (!sref) -> (tensor<16xf32>) {
    cf.br ^bb1
  ^bb1:
    %x = pcf.read_slice %p[%id] [4] [1] : !sref to tensor<4xf32>
    pcf.write_slice %x into %p[%id] [4] [1] : tensor<4xf32> into !sref
    cf.cond_br %c, ^bb1, ^bb2
  ^bb2:
    pcf.return
  }
  return %r : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @two_results(%a: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> {
  %e:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%a, %b : tensor<16xf32>, tensor<16xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %y, %x : f32, f32
  } -> (tensor<16xf32>, tensor<16xf32>)
  %r = pcf.generic scope(#seq) execute(%p = %e#0)[%id: index, %n: index] : (!sref) -> (tensor<16xf32>) {
    %x = pcf.read_slice %p[%id] [4] [1] : !sref to tensor<4xf32>
    pcf.write_slice %x into %p[%id] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  return %r : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @not_tilable(%a: tensor<16xf32>) -> tensor<16xf32> {
  %e = "test.make"(%a) : (tensor<16xf32>) -> tensor<16xf32>
  %r = pcf.generic scope(#seq) execute(%p = %e)[%id: index, %n: index] : (!sref) -> (tensor<16xf32>) {
    %x = pcf.read_slice %p[%id] [4] [1] : !sref to tensor<4xf32>
    pcf.write_slice %x into %p[%id] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  return %r : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

// The write is shorter than the read that it lies in.
func.func @a_small_write_comes_first(%a: tensor<16xf32>, %f: f32, %v: tensor<1xf32>) -> tensor<16xf32> {
  %e = linalg.fill ins(%f : f32) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  %r = pcf.generic scope(#seq) execute(%p = %e)[%id: index, %n: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %p[6] [1] [1] : tensor<1xf32> into !sref
    %x = pcf.read_slice %p[0] [8] [1] : !sref to tensor<8xf32>
    "test.use"(%x) : (tensor<8xf32>) -> ()
    pcf.return
  }
  return %r : tensor<16xf32>
}

// -----

// PCF-116: no read; a view; a phase would capture the producer's operand; a buffer.
#seq = #pcf.sequential
#sg = #iree_gpu.subgroup_scope
!in = !pcf.sref<16xf32, #seq>

func.func @readonly_without_reads(%a: tensor<16xf32>) {
  %e = linalg.exp ins(%a : tensor<16xf32>) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  pcf.generic scope(#seq) execute(%x <- %e : tensor<16xf32>)[%id: index, %n: index] : (!in) {
    "test.use"(%x) : (!in) -> ()
    pcf.return
  }
  return
}

func.func @readonly_through_a_view(%a: tensor<16xf32>) {
  %e = linalg.exp ins(%a : tensor<16xf32>) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  pcf.generic scope(#seq) execute(%x <- %e : tensor<16xf32>)[%id: index, %n: index] : (!in) {
    %w = pcf.subview %x[4] [8] [1] : !in to !pcf.sref<8xf32, #seq>
    %t = pcf.read_slice %w[%id] [4] [1] : !pcf.sref<8xf32, #seq> to tensor<4xf32>
    "test.use"(%t) : (tensor<4xf32>) -> ()
    pcf.return
  }
  return
}

func.func @readonly_in_a_phase(%a: tensor<16xf32>) {
  %e = linalg.exp ins(%a : tensor<16xf32>) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  pcf.generic scope(#seq) execute(%x <- %e : tensor<16xf32>)[%id: index, %n: index] : (!in) {
    pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %t = pcf.read_slice %x[%id] [4] [1] : !in to tensor<4xf32>
        "test.use"(%t) : (tensor<4xf32>) -> ()
        pcf.cluster_yield
      } : (!pcf.threadgroup<#sg>)
      pcf.return
    }
    pcf.return
  }
  return
}

func.func @readonly_memory(%a: memref<16xf32>) {
  pcf.generic scope(#seq) execute(%x <- %a : memref<16xf32>)[%id: index, %n: index] : (!in) {
    %t = pcf.read_slice %x[%id] [4] [1] : !in to tensor<4xf32>
    "test.use"(%t) : (tensor<4xf32>) -> ()
    pcf.return
  }
  return
}
