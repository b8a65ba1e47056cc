//===- VectorExt.td - Ops of the iree_vector_ext dialect ---*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// to_layout fixes a layout, to_simd and to_simt connect distributed and
// undistributed code, transfer_gather and transfer_scatter access memory
// through index vectors, arg_compare finds the best value and its position.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_VECTOREXT_VECTOREXT_TD
#define DISTAFF_DIALECT_VECTOREXT_VECTOREXT_TD

include "distaff/Dialect/VectorExt/VectorExtAttrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class VectorExt_Op<string mnemonic, list<Trait> traits = []>
    : Op<VectorExt_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Layouts and casts
//===----------------------------------------------------------------------===//

def VectorExt_ToLayoutOp : VectorExt_Op<"to_layout",
    [Pure, AllTypesMatch<["input", "output"]>]> {
  let summary = "Fixes the layout of a value";
  let description = [{
    The op is the identity on the value; its result has `layout`. If the input
    has another layout, it is converted here.

    `shared_memory_conversion` requires that the conversion go through shared
    memory even if a cheaper way exists (a unit attribute: the default copy).
    `mma_kind` marks the value as an operand or result of that instruction.

    A `to_layout` of a constant is an anchor and is not folded.

    Example:
    ```mlir
    %l = iree_vector_ext.to_layout %v to layout(#row) : vector<64xf32>
    ```
  }];
  let arguments = (ins
    AnyShaped:$input,
    VectorLayoutInterface:$layout,
    OptionalAttr<AnyAttr>:$shared_memory_conversion,
    OptionalAttr<AnyAttr>:$mma_kind
  );
  let results = (outs AnyShaped:$output);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "VectorLayoutInterface":$layout), [{
      build($_builder, $_state, input.getType(), input, layout,
            /*shared_memory_conversion=*/nullptr, /*mma_kind=*/nullptr);
    }]>
  ];
  let assemblyFormat = [{
    $input `to` `layout` `(` $layout `)`
  }] # AttributeDictionary<["shared_memory_conversion", "mma_kind"]>.format # [{
    `:` type($input)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

class VectorExt_CastOp<string mnemonic> : VectorExt_Op<mnemonic, [Pure]> {
  let arguments = (ins AnyVectorOfAnyRank:$input);
  let results = (outs AnyVectorOfAnyRank:$output);
  let assemblyFormat = [{
    $input
  }] # AttributeDictionary<>.format # [{
    `:` type($input) `->` type($output)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def VectorExt_ToSimdOp : VectorExt_CastOp<"to_simd"> {
  let summary = "Casts a lane's part to the whole value";
  let description = [{
    Connects distributed to undistributed code while a function is distributed;
    no `to_simd` is left afterwards.
  }];
}

def VectorExt_ToSimtOp : VectorExt_CastOp<"to_simt"> {
  let summary = "Casts a whole value to a lane's part";
  let description = [{
    Connects undistributed to distributed code while a function is distributed;
    no `to_simt` is left afterwards. Written by hand, between a `to_layout` and
    a `to_simd`, its result has the layout's distributed shape or, collapsed,
    one dimension per dimension of the whole: `vector<2x4x1x1x1x4xf16>` or
    `vector<2x16xf16>` for the example of `nested_layout`.
  }];
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

def VectorExt_AnyBase : AnyTypeOf<[AnyMemRef, AnyRankedTensor]>;
def VectorExt_AnyIndexValue : AnyTypeOf<[
    Index, VectorOfAnyRankOf<[AnySignlessInteger, Index]>]>;
def VectorExt_AnyMask : VectorOfAnyRankOf<[I1]>;

class VectorExt_IndexedAccessOp<string mnemonic, list<Trait> traits = []>
    : VectorExt_Op<mnemonic, [AttrSizedOperandSegments,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>] # traits> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// Returns the map of the base, one per index value, then the mask's if
    /// any. Dims are those of the vector, symbol k is the value of index value
    /// k.
    ::llvm::SmallVector<::mlir::AffineMap> getIndexingMapsArray();
    ::mlir::AffineMap getBaseMap() { return getIndexingMapsArray()[0]; }
    ::mlir::AffineMap getIndexMap(unsigned index) {
      return getIndexingMapsArray()[1 + index];
    }
    /// Returns null without a mask.
    ::mlir::AffineMap getMaskMap() {
      return getMask() ? getIndexingMapsArray().back() : ::mlir::AffineMap();
    }
    /// Returns one entry per dim of the vector.
    ::llvm::SmallVector<bool> getInBoundsArray();
    ::mlir::ShapedType getBaseType() {
      return ::llvm::cast<::mlir::ShapedType>(getBase().getType());
    }
    ::mlir::VectorType getVectorType() {
      return ::llvm::cast<::mlir::VectorType>(getVector().getType());
    }
  }];
}

def VectorExt_TransferGatherOp : VectorExt_IndexedAccessOp<"transfer_gather",
    [DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "Reads a vector through index vectors";
  let description = [{
    For every index v of the vector, with `maps[0]` as the map of the base and
    `maps[1 + k]` as that of index value k:
    ```
    s_k    = index_k[maps[1 + k](v)]
    addr_j = offset_j + maps[0]_j(v, s)
    out[v] = mask[maps.back()(v)] ? base[addr] : padding
    ```
    A result of `maps[0]` is a dim (contiguous), a symbol (gathered) or 0 (stays
    at the offset). A vector dim that no map uses is broadcast. Where `in_bounds`
    is false for a vector dim, an address outside the base along the base dims
    that this vector dim feeds, directly or through an index value, yields
    padding; it is all true when absent, and a violated true entry is undefined
    behaviour. A position whose mask bit is off never touches memory.

    Example: 16 rows of 8, chosen by %rows:
    ```mlir
    %g = iree_vector_ext.transfer_gather %base[%i, %c0] [%rows : vector<16xindex>], %pad {
      indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>,
                       affine_map<(d0, d1)[s0] -> (d0)>]
    } : memref<512x8xf16>, vector<16x8xf16>
    ```

    The classic form, in which each base dim has an entry (`None`: contiguous)
    and maps range over the slice of memory that is read, is accepted and
    converted to the form above:
    ```mlir
    %g = iree_vector_ext.transfer_gather %base[%i, %c0][%rows : vector<16xindex>, None], %pad {
      indexed_maps = [affine_map<(i, j) -> (i)>], in_bounds = [true, true]
    } : memref<512x8xf16>, vector<16x8xf16>
    ```
    `distaff-opt --print-classic-gathers` prints it for gathers that have one.
    The generic form with these attributes is kept until canonicalized;
    all accessors return the unified form above. An index value of the
    classic form may have unit dims that the vector has not: their map result
    is 0.

    Like `vector.transfer_read`, it may be hoisted out of loops if it reads a
    tensor.

    The op is no `VectorTransferOpInterface`: that presumes one permutation map
    over contiguous dims.
  }];
  let arguments = (ins
    VectorExt_AnyBase:$base,
    Variadic<Index>:$offsets,
    Variadic<VectorExt_AnyIndexValue>:$index_vecs,
    AnyType:$padding,
    Optional<VectorExt_AnyMask>:$mask,
    OptionalAttr<AffineMapArrayAttr>:$indexing_maps,
    OptionalAttr<BoolArrayAttr>:$in_bounds,
    // Only in the classic form, whose permutation map may be omitted.
    OptionalAttr<BoolArrayAttr>:$indexed,
    OptionalAttr<AffineMapArrayAttr>:$indexed_maps,
    OptionalAttr<AffineMapAttr>:$permutation_map
  );
  let results = (outs AnyVectorOfAnyRank:$vector);
}

def VectorExt_TransferScatterOp
    : VectorExt_IndexedAccessOp<"transfer_scatter"> {
  let summary = "Writes a vector through index vectors";
  let description = [{
    Writes element v to `base[addr(v)]`, with the address of `transfer_gather`.
    A tensor base has a result, a memref base none. Two active elements of one
    address are undefined behaviour, unless they are replicas of one element;
    hence every vector dim of extent above 1 must be in some map. Where
    `in_bounds` is false, a write outside the base does not happen.

    Example:
    ```mlir
    iree_vector_ext.transfer_scatter %v into %base[%i, %c0] [%rows : vector<16xindex>] {
      indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>,
                       affine_map<(d0, d1)[s0] -> (d0)>]
    } : vector<16x8xf16>, memref<512x8xf16>
    ```
  }];
  let arguments = (ins
    AnyVectorOfAnyRank:$vector,
    VectorExt_AnyBase:$base,
    Variadic<Index>:$offsets,
    Variadic<VectorExt_AnyIndexValue>:$index_vecs,
    Optional<VectorExt_AnyMask>:$mask,
    AffineMapArrayAttr:$indexing_maps,
    OptionalAttr<BoolArrayAttr>:$in_bounds
  );
  let results = (outs Optional<AnyRankedTensor>:$result);
}

//===----------------------------------------------------------------------===//
// arg_compare
//===----------------------------------------------------------------------===//

def VectorExt_ArgCompareOp : VectorExt_Op<"arg_compare",
    [AttrSizedOperandSegments, Pure, SingleBlock]> {
  let summary = "Finds the best value along a dimension, and its position";
  let description = [{
    For each element of the result: starting from
    `best = (init value, init index)`, for the positions p = 0, 1, ... along
    `dimension` in order, `best` becomes `(x_p, index_p)` if the region yields
    that x_p beats `best.value`. So with a strict comparison the first of equal
    candidates wins, with a non-strict one the last; NaN never wins an ordered
    comparison, and a NaN init stays.

    Without index input the index is p, plus `index_base` if given, cast to the
    type of the init index.

    Example: argmax over rows of 96
    ```mlir
    %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x96xf32>)
        inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
    ^bb0(%candidate: f32, %best: f32):
      %c = arith.cmpf ogt, %candidate, %best : f32
      iree_vector_ext.yield %c : i1
    } -> vector<4xf32>, vector<4xi32>
    ```
  }];
  let arguments = (ins
    AnyVectorOfAnyRank:$input_value,
    Optional<VectorOfAnyRankOf<[AnySignlessInteger, Index]>>:$input_index,
    AnyVectorOfAnyRank:$init_value,
    AnyVectorOfAnyRank:$init_index,
    Optional<Index>:$index_base,
    I64Attr:$dimension
  );
  let results = (outs AnyVectorOfAnyRank:$result_value,
                      AnyVectorOfAnyRank:$result_index);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    `dimension` `(` $dimension `)`
    `ins` `(` $input_value (`,` $input_index^)? `:`
              type($input_value) (`,` type($input_index)^)? `)`
    `inits` `(` $init_value `,` $init_index `:`
                type($init_value) `,` type($init_index) `)`
    (`index_base` `(` $index_base^ `:` type($index_base) `)`)?
  }] # AttributeDictionary<[], /*hasKeyword=*/1>.format # [{
    $region `->` type(results)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def VectorExt_YieldOp : VectorExt_Op<"yield",
    [Pure, Terminator, ReturnLike, HasParent<"ArgCompareOp">]> {
  let summary = "Ends the region of arg_compare";
  let description = [{
    Yields whether the candidate beats the best so far.
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = AttributeDictionary<>.format
    # "($operands^ `:` type($operands))?";
}

#endif // DISTAFF_DIALECT_VECTOREXT_VECTOREXT_TD
