// RUN: distaff explain %s --target sm_80 --func nested | FileCheck %s --check-prefix=NESTED
// RUN: distaff explain %s --target sm_80 --func by_two | FileCheck %s --check-prefix=TWO
// RUN: distaff explain %s --target sm_80 --func control_flow | FileCheck %s --check-prefix=FLOW
// RUN: distaff explain %s --target sm_80 --func of_workers | FileCheck %s --check-prefix=WORKERS
// RUN: distaff explain %s --target sm_80 --func numbers | FileCheck %s --check-prefix=NUMBERS
// RUN: distaff explain %s --target sm_80 --func elsewhere | FileCheck %s --check-prefix=ELSEWHERE
// RUN: distaff explain %s --target sm_80 --func two_programs --format json | %python -m json.tool > /dev/null
// RUN: distaff explain %s --target sm_80 --func of_workers --format json | FileCheck %s --check-prefix=JSON
// RUN: distaff explain %s --target sm_80 --func of_workers --format html | FileCheck %s --check-prefix=HTML

// What programs say of their workers, as they come: groups in groups (PCF-34),
// grids of two dimensions (PCF-33), barriers of some (PCF-63), control flow.

#sg = #iree_gpu.subgroup_scope
#two = #pcf.test_scope<2>
#launch = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 32>
!B = !pcf.sref<4x16xi32, #sg>
!D = !pcf.sref<?xi32, #sg>
!G = !pcf.threadgroup<#sg>
!P = !pcf.cluster<#sg, (0 -> d0), ws.prod>
!C = !pcf.cluster<#sg, (d0 -> s0), ws.cons>
!X = !pcf.cluster<#sg, (d0 -> d1), ws.in.even>
!Y = !pcf.cluster<#sg, (d1 -> s0), ws.in.odd>
!XV = !pcf.cluster<#sg, (d0 -> d1), private: {vector<4xi32>}, ws.in.even>

// NESTED: program pcf.shared_executor of subgroups
// NESTED-NEXT: groups
// NESTED-NEXT: all subgroups: 8 subgroups
// NESTED-NEXT: ws.prod [0, 2): 2 subgroups
// NESTED-NEXT: ws.cons [2, 8): 6 subgroups
// NESTED-NEXT: ws.in.even [2, 4): 2 subgroups, part of ws.cons
// NESTED-NEXT: ws.in.odd [4, 8): 4 subgroups, part of ws.cons
// NESTED: ring: 4x16xi32, shared, 256 B, 4 slots of 64 B
// NESTED-NEXT: pair: 4x16xi32, shared, 256 B (line
// NESTED-NEXT: data: ?xi32, shared, size not known
// NESTED-NEXT: shared in all: at least 512 B
// NESTED: 3 ws.cons: addi, write
// NESTED-NEXT: reads ring[i mod 4, 0:4]
// NESTED-NEXT: writes data[i*2:+8:2]
// NESTED: 4 ws.in.even: init
// NESTED-NEXT: gives private vector<4xi32>
// NESTED: ws.in.even: private vector<4xi32>, 16 B in each member
// NESTED: barriers: 1 + ceil((m-1)/3)
// Groups around a part do not take part in its barrier, others neither.
// NESTED-NEXT: ws.cons waits ceil((m-1)/3)
// NESTED-NEXT: ws.in.odd waits ceil((m-1)/3)
// NESTED-NEXT: barrier of all subgroups, for each of i = 1 .. m step 3
// NESTED-NEXT: barrier of ws.in.even, ws.prod, orders ring, data
// NESTED: {{^}} ws.prod ws.in.even ws.in.odd{{$}}
// A phase of ws.cons lies over both of its parts.
// NESTED: {{^}}║ slot 2 ┌──────────────────────────────────┐ ┌──────────────────────────────────────────────┐ ║
// NESTED-NEXT: {{^}}║ │ 2 copy │ │ 3 addi, write │ ║
// The barrier of some leaves ws.in.odd alone.
// NESTED: {{^ (━)+}} barrier of ws.in.even, ws.prod, orders ring, data {{(━)+$}}
func.func @nested(%m: index) attributes {translation_info = #launch} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  pcf.shared_executor scope(#sg)
    initialize { %x = pcf.alloc() : !B  %y = pcf.alloc() : !B  %z = pcf.alloc(%m) : !D  pcf.yield %x, %y, %z : !B, !B, !D } -> (%ring: !B, %pair: !B, %data: !D)
    execute[%all: !G] {
    pcf.shared_executor.tile_group %all ns(ws) split [[%c2]] (%prod: !P, %cons: !C) {
      pcf.shared_executor.run_cluster(%prod)[%c2] () {
        %v = arith.constant dense<1> : tensor<4x16xi32>
        pcf.write_slice %v into %ring[0, 0] [4, 16] [1, 1] : tensor<4x16xi32> into !B
        pcf.cluster_yield
      } : (!P)
      scf.for %i = %c1 to %m step %c3 {
        %slot = arith.remui %i, %c4 : index
        %which = arith.remui %i, %c2 : index
        %at = arith.muli %i, %c2 : index
        pcf.shared_executor.run_cluster(%prod)[%c2] () {
          %v = arith.constant dense<1> : tensor<1x16xi32>
          pcf.write_slice %v into %ring[%slot, 0] [1, 16] [1, 1] : tensor<1x16xi32> into !B
          pcf.write_slice %v into %pair[%which, 0] [1, 16] [1, 1] : tensor<1x16xi32> into !B
          pcf.cluster_yield
        } : (!P)
        pcf.shared_executor.run_cluster(%cons)[%c2] () {
          %v = pcf.read_slice %ring[%slot, 0] [1, 4] [1, 1] : !B to tensor<1x4xi32>
          %w = arith.addi %v, %v : tensor<1x4xi32>
          %z = arith.constant dense<1> : tensor<8xi32>
          pcf.write_slice %z into %data[%at] [8] [2] : tensor<8xi32> into !D
          pcf.cluster_yield
        } : (!C)
        pcf.barrier(#sg)
      }
      pcf.shared_executor.tile_group %cons[%c2] ns(in) split [[%c4]] (%even: !X, %odd: !Y) {
        %v = pcf.shared_executor.run_thread(%even)[%c2, %c4] () [%id: index] {
          %z = arith.constant dense<0> : vector<4xi32>
          pcf.cluster_yield %z : vector<4xi32>
        } : (!X) -> !XV
        pcf.barrier(#sg) among(%even, %prod)[%c2, %c4] fence(%ring, %data) : !X, !P, !B, !D
        pcf.shared_executor.run_thread(%v)[%c2, %c4] (%x: vector<4xi32>) [%id: index] {
          pcf.write_slice %x into %data[%id] [4] [1] : vector<4xi32> into !D
          pcf.cluster_yield
        } : (!XV)
        pcf.return
      } : !C
      pcf.return
    } : !G
    pcf.return
  }
  return
}

// Row-major with dimension 0 slowest, as the ids say it.
// TWO: ts.c00 [0, j) x [0, k)
// TWO-NEXT: ts.c01 [0, j) x [k, n1)
// TWO-NEXT: ts.c10 [j, n0) x [0, k)
// TWO-NEXT: ts.c11 [j, n0) x [k, n1)
// TWO: 1 ts.c10: store
// TWO-NEXT: writes o[3:7]
// TWO: 2 all workers: store
// TWO: {{^}} ts.c00 ts.c01 ts.c10 ts.c11{{$}}
// TWO: {{^}} │ 2 store │{{$}}
func.func @by_two(%init: tensor<64xi32>, %j: index, %k: index) -> tensor<64xi32> {
  %r = pcf.shared_executor scope(#two) execute(%o = %init)[%all: !pcf.threadgroup<#two>]
    : (!pcf.sref<64xi32, sync(#two)>) -> (tensor<64xi32>) {
    pcf.shared_executor.tile_group %all ns(ts) split [[%j], [%k]]
      (%c00: !pcf.cluster<#two, (0 -> d0) x (0 -> d1), ts.c00>, %c01: !pcf.cluster<#two, (0 -> d0) x (d1 -> s1), ts.c01>,
       %c10: !pcf.cluster<#two, (d0 -> s0) x (0 -> d1), ts.c10>, %c11: !pcf.cluster<#two, (d0 -> s0) x (d1 -> s1), ts.c11>) {
      pcf.shared_executor.run_thread(%c10)[%j, %k] () [%x: index, %y: index] {
        %z = arith.constant dense<0> : vector<4xi32>
        pcf.write_slice %z into %o[3] [4] [1] : vector<4xi32> into !pcf.sref<64xi32, sync(#two)>
        pcf.cluster_yield
      } : (!pcf.cluster<#two, (d0 -> s0) x (0 -> d1), ts.c10>)
      pcf.return
    } : !pcf.threadgroup<#two>
    pcf.shared_executor.run_cluster(%all)[] () {
      %z = arith.constant dense<0> : tensor<64xi32>
      pcf.write_slice %z into %o[0] [64] [1] : tensor<64xi32> into !pcf.sref<64xi32, sync(#two)>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#two>)
    pcf.return
  }
  return %r : tensor<64xi32>
}

// FLOW: barriers: (if i < n: 1) + (if not i < n: 2) + (k = 0: 1) + n*(trips of scf.while)
// FLOW: {{^╭╌ if i < n (╌)+╮$}}
// FLOW: {{^╭╌ if not i < n (╌)+╮$}}
// FLOW: {{^╭╌ k = 0 (╌)+╮$}}
// FLOW: {{^╔═ scf.while (═)+╗$}}
// FLOW: {{^║ ╔═ j = 0 .. n (═)+╗ ║$}}
func.func @control_flow(%i: index, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %less = arith.cmpi slt, %i, %n : index
  pcf.shared_executor scope(#sg) execute[%all: !G] {
    scf.if %less {
      pcf.barrier(#sg)
    } else {
      pcf.barrier(#sg)
      pcf.barrier(#sg)
    }
    scf.index_switch %k
    case 0 {
      pcf.barrier(#sg)
      scf.yield
    }
    default {
    }
    %end = scf.while (%at = %c0) : (index) -> index {
      %more = arith.cmpi slt, %at, %n : index
      scf.condition(%more) %at : index
    } do {
    ^bb0(%at: index):
      scf.for %j = %c0 to %n step %c1 {
        pcf.barrier(#sg)
      }
      %next = arith.addi %at, %c1 : index
      scf.yield %next : index
    }
    pcf.return
  }
  return
}

// WORKERS: 1 each of the subgroups: copy
// WORKERS-NEXT: reads x[w*4:+4]
// WORKERS-NEXT: writes m[w*4:+4]
// WORKERS: 2 each of the subgroups: muli, store if w = 0, store if not w = 0
// WORKERS-NEXT: reads m if w = 0, m[0:2] if not w = 0
// WORKERS: note: code outside of phases: a box is what stands between two barriers
// HTML: reads x[w*4:+4]
// JSON: "reads": [
// JSON: "place": "x[w*4:+4]"
// JSON: "writes": [
// JSON-NEXT: {
// JSON-NEXT: "condition": "",
// JSON-NEXT: "memory": 0,
// JSON-NEXT: "place": "m[w*4:+4]"
func.func @of_workers(%in: tensor<32xi32>) -> tensor<32xi32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %r = pcf.generic scope(#sg)
    initialize { %a = pcf.alloc() : !pcf.sref<32xi32, #sg>  pcf.yield %a : !pcf.sref<32xi32, #sg> } -> (%m: !pcf.sref<32xi32, #sg>)
    execute(%x <- %in : tensor<32xi32>, %o)[%w: index, %count: index] : (!pcf.sref<32xi32, #sg>, !pcf.sref<32xi32, sync(#sg)>) -> (tensor<32xi32>) {
    %at = arith.muli %w, %c4 : index
    %v = pcf.read_slice %x[%at] [4] [1] : !pcf.sref<32xi32, #sg> to vector<4xi32>
    pcf.write_slice %v into %m[%at] [4] [1] : vector<4xi32> into !pcf.sref<32xi32, #sg>
    pcf.barrier(#sg) fence(%m) : !pcf.sref<32xi32, #sg>
    %first = arith.cmpi eq, %w, %c0 : index
    scf.if %first {
      %all = pcf.read_slice %m[0] [32] [1] : !pcf.sref<32xi32, #sg> to vector<32xi32>
      %twice = arith.muli %all, %all : vector<32xi32>
      pcf.write_slice %twice into %o[0] [32] [1] : vector<32xi32> into !pcf.sref<32xi32, sync(#sg)>
    } else {
      %two = pcf.read_slice %m[0] [2] [1] : !pcf.sref<32xi32, #sg> to vector<2xi32>
      pcf.write_slice %two into %o[0] [2] [1] : vector<2xi32> into !pcf.sref<32xi32, sync(#sg)>
    }
    pcf.return
  }
  return %r : tensor<32xi32>
}

func.func @two_programs() {
  pcf.shared_executor scope(#sg) execute[%all: !G] {
    pcf.return
  }
  pcf.generic scope(#sg) execute[%w: index, %n: index] {
    pcf.barrier(#sg)
    pcf.return
  }
  return
}

// A number is a name with its sign, and one of several results has its number.
// NUMBERS: barriers: %0 + r#1
func.func @numbers(%m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.minsi %m, %n : index
  %r:2 = affine.delinearize_index %m into (4, 4) : index, index
  pcf.shared_executor scope(#sg) execute[%all: !G] {
    scf.for %i = %c0 to %0 step %c1 {
      pcf.barrier(#sg)
    }
    scf.for %1 = %c0 to %r#1 step %c1 {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// Another file's first line is not this one's, where `s` stands at that place.
// ELSEWHERE: barriers: v0
func.func @elsewhere(%m: index loc("other.mlir":1:25)) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%all: !G] {
    scf.for %i = %c0 to %m step %c1 {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// RUN: distaff explain %s --target sm_80 --func not_shown | FileCheck %s --check-prefix=HIDDEN
// HIDDEN: has ring as a memref: what it does with it is not shown
func.func @not_shown(%c: i1) attributes {translation_info = #launch} {
  %v = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  pcf.shared_executor scope(#sg)
    initialize { %x = pcf.alloc() : !B  pcf.yield %x : !B } -> (%ring: !B)
    execute[%all: !G] {
    scf.if %c {
      pcf.shared_executor.run_cluster(%all)[] () {
        %m = pcf.get_memref %ring[0, 0] [4, 16] [1, 1] : !B to memref<4x16xi32, strided<[?, ?], offset: ?>>
        memref.store %v, %m[%c0, %c0] : memref<4x16xi32, strided<[?, ?], offset: ?>>
        pcf.cluster_yield
      } : (!G)
    }
    pcf.return
  }
  return
}
