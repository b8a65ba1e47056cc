//===- PCFMemory.td - Ops on srefs -------------------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops on srefs. `[offsets] [sizes] [strides]` are mixed static and dynamic;
// element (i...) of a slice is at `offset + i * stride`.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_PCF_PCFMEMORY_TD
#define DISTAFF_DIALECT_PCF_PCFMEMORY_TD

def PCF_AnySRef : Type<CPred<"::llvm::isa<::distaff::pcf::SRefType>($_self)">,
                       "sref", "::distaff::pcf::SRefType">;

// Verifies three lists of equal length, one entry per dimension of the sref. It
// precedes the interface, whose own message does not name the wrong list.
def PCF_SliceLists : NativeOpTrait<"SliceLists"> {
  let cppNamespace = "::distaff::pcf::OpTrait";
}

// An op whose last operands are the lists of a slice. `lead` operands precede
// them.
class PCF_SliceOp<string mnemonic, int lead, list<Trait> traits = []>
    : PCF_Op<mnemonic, [
        AttrSizedOperandSegments, PCF_SliceLists,
        OffsetSizeAndStrideOpInterface] # traits> {
  code sliceDeclarations = [{
    static unsigned getOffsetSizeAndStrideStartOperandIndex() { return }]
    # !cast<string>(lead) # [{; }
    ::std::array<unsigned, 3> getArrayAttrMaxRanks() {
      unsigned rank = getRefType().getRank();
      return {rank, rank, rank};
    }
  }];
}

def PCF_AllocOp : PCF_Op<"alloc"> {
  let summary = "Allocates memory shared by the workers of a scope";
  let description = [{
    One operand per dynamic dimension. In the `initialize` region of an op of
    the same scope the memory lives until that op returns; in a function,
    outside every op that opens a scope, until the function returns or, if it is
    returned, as long as it is used.

    Example: `%buffer = pcf.alloc(%n) : !pcf.sref<8x?xf32, #pcf.sequential>`
  }];
  let arguments = (ins Variadic<Index>:$dynamic_sizes);
  let results = (outs Res<PCF_AnySRef, "", [MemAlloc]>:$result);
  let assemblyFormat = "`(` $dynamic_sizes `)`"
    # AttributeDictionary<>.format # "`:` type($result)";
  let hasVerifier = 1;
}

def PCF_WriteSliceOp : PCF_SliceOp<"write_slice", 2, [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Writes a value into a slice of an sref";
  let description = [{
    Stores element (i...) of the source at `offset + i * stride` for i less than
    the size. A vector may be larger than the size: the rest of it is ignored.
    If any size is 0 no element is accessed, for any offsets.

    Example:
    ```mlir
    pcf.write_slice %v into %ref[%i, 0] [1, %n] [1, 1]
      : vector<1x8xf32> into !pcf.sref<4x?xf32, #pcf.sequential>
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[AnyRankedTensor, AnyFixedVectorOfAnyRank, AnyMemRef]>:$source,
    PCF_AnySRef:$dest,
    Variadic<Index>:$offsets, Variadic<Index>:$sizes, Variadic<Index>:$strides,
    DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes,
    DenseI64ArrayAttr:$static_strides
  );
  let assemblyFormat = [{
    $source `into` $dest ``
    custom<DynamicIndexList>($offsets, $static_offsets)
    custom<DynamicIndexList>($sizes, $static_sizes)
    custom<DynamicIndexList>($strides, $static_strides)
  }] # AttributeDictionary<>.format # [{
    `:` type($source) `into` type($dest)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$dest,
      "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets,
      "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes,
      "::llvm::ArrayRef<::mlir::OpFoldResult>":$strides)>
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = sliceDeclarations # [{
    ::mlir::ShapedType getSourceType() {
      return ::llvm::cast<::mlir::ShapedType>(getSource().getType());
    }
    SRefType getRefType() { return getDest().getType(); }
    ::mlir::Value getRef() { return getDest(); }
  }];
}

// Reads of a slice: the source, then the lists; one result.
class PCF_SliceReaderOp<string mnemonic, list<Trait> traits = []>
    : PCF_SliceOp<mnemonic, 1, traits> {
  let assemblyFormat = [{
    $source ``
    custom<DynamicIndexList>($offsets, $static_offsets)
    custom<DynamicIndexList>($sizes, $static_sizes)
    custom<DynamicIndexList>($strides, $static_strides)
  }] # AttributeDictionary<>.format # [{
    `:` type($source) `to` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$source,
      "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets,
      "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes,
      "::llvm::ArrayRef<::mlir::OpFoldResult>":$strides)>
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
  code readerDeclarations = sliceDeclarations # [{
    SRefType getRefType() { return getSource().getType(); }
    ::mlir::Value getRef() { return getSource(); }
  }];
}

def PCF_ReadSliceOp : PCF_SliceReaderOp<"read_slice"> {
  let summary = "Reads a slice of an sref";
  let description = [{
    The rank stays. A tensor is dynamic exactly where the size is. A vector has
    at least the size; its elements at or beyond the size are zero. If any size
    is 0 no element is accessed, for any offsets.

    Example:
    ```mlir
    %v = pcf.read_slice %ref[%i, 0] [1, %n] [1, 1]
      : !pcf.sref<4x?xf32, #pcf.sequential> to vector<1x8xf32>
    ```
  }];
  let arguments = (ins
    Arg<PCF_AnySRef, "", [MemRead]>:$source,
    Variadic<Index>:$offsets, Variadic<Index>:$sizes, Variadic<Index>:$strides,
    DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes,
    DenseI64ArrayAttr:$static_strides
  );
  let results = (outs
    AnyTypeOf<[AnyRankedTensor, AnyFixedVectorOfAnyRank]>:$result);
  let hasCanonicalizer = 1;
  let extraClassDeclaration = readerDeclarations # [{
    ::mlir::ShapedType getResultType() {
      return ::llvm::cast<::mlir::ShapedType>(getResult().getType());
    }
  }];
}

def PCF_GetMemrefOp : PCF_SliceReaderOp<"get_memref", [Pure]> {
  let summary = "A slice of an sref as a memref";
  let description = [{
    This op leaves the dialect: the synchronization of accesses through the
    memref is unknown. It has no memory space, and a strided layout whose
    offset and strides are dynamic.

    Example:
    ```mlir
    %m = pcf.get_memref %ref[%i] [8] [1] : !pcf.sref<?xf32, #pcf.sequential>
      to memref<8xf32, strided<[?], offset: ?>>
    ```
  }];
  let arguments = (ins
    PCF_AnySRef:$source,
    Variadic<Index>:$offsets, Variadic<Index>:$sizes, Variadic<Index>:$strides,
    DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes,
    DenseI64ArrayAttr:$static_strides
  );
  let results = (outs AnyMemRef:$result);
  let hasCanonicalizer = 1;
  let extraClassDeclaration = readerDeclarations # [{
    ::mlir::MemRefType getResultType() {
      return ::llvm::cast<::mlir::MemRefType>(getResult().getType());
    }
  }];
}

def PCF_SubviewOp : PCF_SliceReaderOp<"subview", [
    Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "A slice of an sref as an sref";
  let description = [{
    Unit dimensions may be dropped, as by `memref.subview`. Scope, element type
    and synchronization stay.

    Example:
    ```mlir
    %row = pcf.subview %ref[%i, 0] [1, 8] [1, 1]
      : !pcf.sref<4x8xf32, #pcf.sequential> to !pcf.sref<8xf32, #pcf.sequential>
    ```
  }];
  let arguments = (ins
    PCF_AnySRef:$source,
    Variadic<Index>:$offsets, Variadic<Index>:$sizes, Variadic<Index>:$strides,
    DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes,
    DenseI64ArrayAttr:$static_strides
  );
  let results = (outs PCF_AnySRef:$result);
  let hasCanonicalizer = 1;
  let extraClassDeclaration = readerDeclarations # [{
    /// Returns the source dimensions that the result lacks.
    ::llvm::SmallBitVector getDroppedDims();
  }];
}

def PCF_ExpandShapeOp : PCF_Op<"expand_shape", [
    Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "Splits dimensions of an sref, row-major";
  let description = [{
    `output_shape` is present exactly if the result has a dynamic dimension.

    Example:
    ```mlir
    %tiles = pcf.expand_shape %ref [[0, 1], [2]] output_shape [%n, 16, 64]
      : !pcf.sref<?x64xf32, #pcf.sequential> into !pcf.sref<?x16x64xf32, #pcf.sequential>
    ```
  }];
  let arguments = (ins
    PCF_AnySRef:$source,
    IndexListArrayAttr:$reassociation,
    Variadic<Index>:$output_shape,
    OptionalAttr<DenseI64ArrayAttr>:$static_output_shape
  );
  let results = (outs PCF_AnySRef:$result);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    OpBuilder<(ins "::distaff::pcf::SRefType":$result, "::mlir::Value":$source,
      "::llvm::ArrayRef<::mlir::ReassociationIndices>":$reassociation,
      "::llvm::ArrayRef<::mlir::OpFoldResult>":$outputShape)>
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::ReassociationIndices> getReassociationIndices();

    /// Returns the extents of the result; from its type without `output_shape`.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOutputShape();
  }];
}

def PCF_BarrierOp : PCF_Op<"barrier", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until all participants have reached it";
  let description = [{
    Participants are all workers of the scope or, with `among`, the workers of
    the clusters listed; range values are as for `run_cluster`, as many as the
    largest that a listed type takes. Instances are matched in program order.
    Each set of clusters that waits in an executor has a barrier of its own; `id`
    is its number, from 1 to 15, which cluster resolution chooses if it is
    absent. Without `fence` it orders no memory; with it, earlier writes to the
    listed srefs are visible to the participants afterwards. Once srefs are
    memrefs, those are listed.

    Example:
    ```mlir
    pcf.barrier(#iree_gpu.subgroup_scope) fence(%a, %b) : !ref, !ref
    pcf.barrier(#iree_gpu.subgroup_scope) among(%left, %right)[%k] : !left, !right
    pcf.barrier(#iree_gpu.subgroup_scope) among(%left)[%k] id(2) : !left
    ```
  }];
  let arguments = (ins
    AnyAttr:$scope,
    Variadic<AnyType>:$clusters,
    Variadic<Index>:$ranges,
    Variadic<AnyTypeOf<[PCF_AnySRef, AnyMemRef]>>:$refs,
    OptionalAttr<I64Attr>:$id
  );
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Attribute":$scope, "::mlir::ValueRange":$clusters,
                   "::mlir::ValueRange":$ranges, "::mlir::ValueRange":$refs), [{
      build($_builder, $_state, scope, clusters, ranges, refs,
            /*id=*/::mlir::IntegerAttr());
    }]>
  ];
  let extraClassDeclaration = [{
    /// The number of named barriers of a workgroup in hardware.
    static constexpr int64_t mostIds = 15;
  }];
}

def PCF_FenceOp : PCF_Op<"fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Orders one worker's accesses to srefs";
  let description = [{
    The accesses are ordered for the workers of the srefs' scope.

    Example: `pcf.fence release %a, %b : !ref, !ref`
  }];
  let arguments = (ins EnumProp<PCF_FenceKind>:$kind,
                       Variadic<PCF_AnySRef>:$refs);
  let assemblyFormat = "$kind ($refs^)?" # AttributeDictionary<>.format
    # "(`:` type($refs)^)?";
}

#endif // DISTAFF_DIALECT_PCF_PCFMEMORY_TD
