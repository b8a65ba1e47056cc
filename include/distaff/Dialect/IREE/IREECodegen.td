//===- IREECodegen.td - Inherited codegen attributes -------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of the iree_codegen dialect that kernels use: the launch of a
// function, the scope of its workgroups, and the op that represents an MMA
// instruction until Conversion.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_COMPAT_IREECODEGEN_TD
#define DISTAFF_DIALECT_COMPAT_IREECODEGEN_TD

include "distaff/Dialect/AttributeDictionary.td"
include "distaff/Dialect/PCF/PCFScopes.td"
include "mlir/Dialect/SCF/IR/DeviceMappingInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def IREECodegen_Dialect : Dialect {
  let name = "iree_codegen";
  let cppNamespace = "::distaff::iree";
  let summary = "Launch shape of kernels, and contractions of MMA fragments";
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
    ::std::optional<ParseOpHook>
    getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def IREECodegen_TranslationInfoAttr
    : AttrDef<IREECodegen_Dialect, "TranslationInfo"> {
  let mnemonic = "translation_info";
  let genMnemonicAlias = 1;
  let summary = "Pipeline and launch shape of a kernel";
  let description = [{
    The attribute `translation_info` of a kernel's function. Every part is
    optional; `configure` chooses absent parts.

    Example:
    ```mlir
    #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute
      workgroup_size = [32, 1, 1] subgroup_size = 32>
    ```
  }];
  let parameters = (ins
    OptionalParameter<"::mlir::StringAttr", "name of the pipeline">:$pipeline,
    OptionalArrayRefParameter<"int64_t", "threads along x, y, z">:$workgroupSize,
    OptionalParameter<"int64_t", "lanes; 0 for none">:$subgroupSize,
    OptionalParameter<"::mlir::DictionaryAttr", "further options">:$configuration
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The name of the function attribute.
    static constexpr ::llvm::StringLiteral attributeName = "translation_info";

    /// Returns the product of the workgroup's sizes; 0 if there are none.
    int64_t getNumThreads() const;
  }];
}

def IREECodegen_WorkgroupScopeAttr : AttrDef<IREECodegen_Dialect,
    "WorkgroupScope", [
    DeclareAttrInterfaceMethods<PCF_ScopeAttrInterface,
      ["addBarrier", "addFence", "getAllocMemSpace"]>]> {
  let mnemonic = "workgroup_scope";
  let summary = "The workgroups of a grid";
  let description = [{
    It has three ids, x, y, z; with `linearize` one, `x + nx * (y + ny * z)`.
    The end of the kernel is its barrier, so adding one inserts no code.

    Example: `#iree_codegen.workgroup_scope<linearize>`
  }];
  let parameters = (ins DefaultValuedParameter<"bool", "false">:$linearize);
  let hasCustomAssemblyFormat = 1;
}

def IREECodegen_LocalMappingAttr : AttrDef<IREECodegen_Dialect, "LocalMapping",
    [DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>]> {
  let mnemonic = "local_mapping";
  let summary = "A dimension of a forall that one worker runs sequentially";
  let parameters = (ins "int64_t":$dim);
  let assemblyFormat = "`<` $dim `>`";
}

def IREECodegen_WorkgroupMappingAttr : AttrDef<IREECodegen_Dialect,
    "WorkgroupMapping", [DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>]> {
  let mnemonic = "workgroup_mapping";
  let summary = "A dimension of a forall is one of the grid";
  let description = [{
    Same as `#gpu.block`, which replaces it when a kernel is read. `z:1`, `z:2`
    are parts of z, each slower than the one before.

    Example: `#iree_codegen.workgroup_mapping<z:1>`
  }];
  let parameters = (ins
    StringRefParameter<"x, y or z">:$id,
    DefaultValuedParameter<"int64_t", "0">:$part);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Tensors in buffers
//===----------------------------------------------------------------------===//

def IREECodegen_LoadFromBufferOp : Op<IREECodegen_Dialect, "load_from_buffer",
    [MemoryEffects<[MemRead]>]> {
  let summary = "The tensor that a buffer holds";
  let description = [{
    Part of a dispatch in IREE's dumps; when a kernel is read, the buffer
    becomes an argument (docs/ABI.md), and the tensor is its value.
  }];
  let arguments = (ins AnyMemRef:$buffer);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $buffer
  }] # AttributeDictionary<>.format # [{
    `:` type($buffer) `->` type($result)
  }];
}

def IREECodegen_StoreToBufferOp : Op<IREECodegen_Dialect, "store_to_buffer",
    [MemoryEffects<[MemWrite]>]> {
  let summary = "Writes a tensor to a buffer";
  let description = [{ The tensor is a result of the kernel that is read. }];
  let arguments = (ins AnyRankedTensor:$tensor, AnyMemRef:$buffer);
  let assemblyFormat = [{
    $tensor `,` $buffer
  }] # AttributeDictionary<>.format # [{
    `:` type($tensor) `into` type($buffer)
  }];
}

def IREECodegen_DispatchConfigOp : Op<IREECodegen_Dialect, "dispatch_config",
    [IsolatedFromAbove]> {
  let summary = "The grid of a function, next to it";
  let description = [{
    Part of a dispatch in IREE's dumps: it replaces the region of the
    `hal.executable.export`, once the function is configured.
  }];
  let arguments = (ins FlatSymbolRefAttr:$function,
                       OptionalAttr<I64ArrayAttr>:$workgroup_size,
                       OptionalAttr<I64Attr>:$subgroup_size,
                       OptionalAttr<I64Attr>:$workgroup_local_memory);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $function oilist(`workgroup_size` `=` $workgroup_size
      | `subgroup_size` `=` $subgroup_size
      | `workgroup_local_memory` `=` $workgroup_local_memory)
  }] # AttributeDictionary<[], /*hasKeyword=*/1>.format # "$body";
}

def IREECodegen_WorkgroupCountHintOp : Op<IREECodegen_Dialect,
    "workgroup_count_hint", [MemoryEffects<[MemWrite]>]> {
  let summary = "The number of workgroups to launch a function with";
  let description = [{
    Counts along x, y and z, of which the last ones may be omitted. Part of a
    dispatch in IREE's dumps.
  }];
  let arguments = (ins Variadic<Index>:$sizes, DenseI64ArrayAttr:$static_sizes);
  let assemblyFormat = [{
    custom<WorkgroupCounts>($sizes, $static_sizes)
  }] # AttributeDictionary<>.format;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes() {
      return ::mlir::getMixedValues(getStaticSizes(), getSizes(), getContext());
    }
  }];
}

def IREECodegen_FusionBarrierOp : Op<IREECodegen_Dialect, "fusion_barrier",
    [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "Prevents the fusion of a tensor with its producer";
  let description = [{
    Part of a dispatch in IREE's dumps; when a kernel is read, its operand
    replaces it: Distaff chooses what to fuse.
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source
  }] # AttributeDictionary<>.format # [{
    `:` type($result)
  }];
}

def IREECodegen_IndexHintOp : Op<IREECodegen_Dialect, "index_hint",
    [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "States how an index differs from lane to lane";
  let description = [{ Part of a dispatch in IREE's dumps; returns the index. }];
  let arguments = (ins Index:$operand, AnyAttr:$hint);
  let results = (outs Index:$result);
  let assemblyFormat = "$operand `(` $hint `)`" #
      AttributeDictionary<>.format # "`:` type($operand)";
}

def IREECodegen_YieldOp : Op<IREECodegen_Dialect, "yield",
    [Pure, Terminator, ReturnLike]> {
  let summary = "Ends the region of a dispatch_config";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = AttributeDictionary<>.format
    # "($operands^ `:` type($operands))?";
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

def IREECodegen_InnerTiledOp : Op<IREECodegen_Dialect, "inner_tiled",
    [Pure, AllTypesMatch<["output", "result"]>]> {
  let summary = "A contraction of per-lane fragments of one MMA instruction";
  let description = [{
    The leading dimensions of each operand are iterated as its map specifies; a
    dimension that the last map lacks is a reduction, over which the result
    accumulates. The trailing dimensions are one fragment per lane of the
    instruction `kind`, in the order of the instruction's registers.

    Example: two k steps of m16n8k16, as four registers of two elements (A),
    two of two (B) and two of two (C):
    ```mlir
    %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
    } : vector<1x2x4x2xf16>, vector<2x1x2x2xf16> into vector<1x1x2x2xf32>
    ```

    IREE's dumps also have `semantics`, and other trailing dimensions; when a
    kernel is read, they are converted to this form (docs/ABI.md).
  }];
  let arguments = (ins
    Variadic<AnyTypeOf<[AnyVectorOfAnyRank, AnyRankedTensor]>>:$inputs,
    AnyTypeOf<[AnyVectorOfAnyRank, AnyRankedTensor]>:$output,
    AffineMapArrayAttr:$indexing_maps,
    AnyAttr:$kind,
    OptionalAttr<ArrayAttr>:$iterator_types,
    OptionalAttr<AnyAttr>:$semantics,
    OptionalAttr<ArrayAttr>:$permutations
  );
  let results = (outs AnyTypeOf<[AnyVectorOfAnyRank, AnyRankedTensor]>:$result);
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$inputs, "::mlir::Value":$output,
                   "::llvm::ArrayRef<::mlir::AffineMap>":$maps,
                   "::mlir::Attribute":$kind), [{
      build($_builder, $_state, output.getType(), inputs, output,
            $_builder.getAffineMapArrayAttr(maps), kind,
            /*iterator_types=*/nullptr, /*semantics=*/nullptr,
            /*permutations=*/nullptr);
    }]>
  ];
  let assemblyFormat = [{
    `ins` `(` $inputs `)` `outs` `(` $output `)`
  }] # AttributeDictionary<["indexing_maps", "kind", "iterator_types",
                           "semantics", "permutations"]>.format
     # [{
    `:` type($inputs) `into` type($output)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getLhs() { return getInputs()[0]; }
    ::mlir::Value getRhs() { return getInputs()[1]; }
    ::mlir::Value getAcc() { return getOutput(); }
    ::llvm::SmallVector<::mlir::AffineMap> getIndexingMapsArray();

    /// Returns the extents of the iteration space of the leading dimensions.
    ::llvm::SmallVector<int64_t> getIterationShape();
  }];
}

#endif // DISTAFF_DIALECT_COMPAT_IREECODEGEN_TD
