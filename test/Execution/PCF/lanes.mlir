// Programs of subgroups and lanes without barriers, as users write them for one
// lane, through the passes that end pcf and on the SIMT machine, which finds races:
// every element is written by one lane of one subgroup (PCF-54).
// RUN: distaff-opt %s --pcf-resolve-tokens --one-shot-bufferize --pcf-convert-sref-to-memref --pcf-lower-structural --scf-forall-to-for -o %t.mlir
// RUN: distaff run %t.mlir --func rows --target sm_80 --input arg0=iota --output arg1=%t.npy
// RUN: %python -c "import struct, sys; data = struct.unpack('<350i', open(sys.argv[1], 'rb').read()[-4 * 350:]); assert data == tuple(2 * i for i in range(350)), data" %t.npy
// RUN: distaff run %t.mlir --func first_lanes --target sm_80 --stop-after=distribute --input arg0=zeros --input arg1=20 --output arg0=%t.npy
// RUN: %python -c "import struct, sys; data = struct.unpack('<96i', open(sys.argv[1], 'rb').read()[-4 * 96:]); assert data == tuple(32 * (i // 32) + i %% 32 + 1 if i %% 32 < 20 else 0 for i in range(96)), data" %t.npy

#sg = #iree_gpu.subgroup_scope
#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // 7 rows over 3 subgroups, 50 columns over 32 lanes in pieces of 4: the last
  // piece of a row has 2.
  gpu.func @rows(%a: memref<7x50xi32>, %o: memref<7x50xi32>) kernel attributes {
      known_block_size = array<i32: 96, 1, 1>, translation_info = #launch} {
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %c13 = arith.constant 13 : index
    %c50 = arith.constant 50 : index
    pcf.loop scope(#sg) count(%c7) execute(%x <- %a : memref<7x50xi32>, %y = %o)[%row: index] : (!pcf.sref<7x50xi32, #sg>, !pcf.sref<7x50xi32, #sg>) -> (memref<7x50xi32>) {
      pcf.loop scope(#ln) count(%c13) execute[%piece: index] {
        %column = arith.muli %piece, %c4 : index
        %left = arith.subi %c50, %column : index
        %size = arith.minsi %left, %c4 : index
        %v = pcf.read_slice %x[%row, %column] [1, %size] [1, 1] : !pcf.sref<7x50xi32, #sg> to vector<1x4xi32>
        %w = arith.addi %v, %v : vector<1x4xi32>
        pcf.write_slice %w into %y[%row, %column] [1, %size] [1, 1] : vector<1x4xi32> into !pcf.sref<7x50xi32, #sg>
        pcf.return
      }
      pcf.return
    }
    gpu.return
  }

  // Lanes at and beyond %n return early.
  gpu.func @first_lanes(%o: memref<96xi32>, %n: index) kernel attributes {
      known_block_size = array<i32: 96, 1, 1>, translation_info = #launch} {
    %c1 = arith.constant 1 : index
    pcf.generic scope(#sg) execute(%y = %o)[%subgroup: index, %subgroups: index] : (!pcf.sref<96xi32, #sg>) -> (memref<96xi32>) {
      pcf.generic scope(#ln) execute[%lane: index, %lanes: index] {
        %late = arith.cmpi sge, %lane, %n : index
        pcf.br.cond_return %late ^rest
      ^rest:
        %first = arith.muli %subgroup, %lanes : index
        %place = arith.addi %first, %lane : index
        %value = arith.addi %place, %c1 : index
        %i = arith.index_cast %value : index to i32
        %v = vector.broadcast %i : i32 to vector<1xi32>
        pcf.write_slice %v into %y[%place] [1] [1] : vector<1xi32> into !pcf.sref<96xi32, #sg>
        pcf.return
      }
      pcf.return
    }
    gpu.return
  }
}
