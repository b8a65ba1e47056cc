//===- IREECodegen.td - Inherited codegen attributes ------*- tablegen -*--===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of the iree_codegen dialect that kernels mention: how a function is
// launched, the scope of its workgroups, and the op that an MMA instruction is
// until Conversion.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_COMPAT_IREECODEGEN_TD
#define DISTAFF_DIALECT_COMPAT_IREECODEGEN_TD

include "distaff/Dialect/AttributeDictionary.td"
include "distaff/Dialect/PCF/PCFScopes.td"
include "mlir/Dialect/SCF/IR/DeviceMappingInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def IREECodegen_Dialect : Dialect {
  let name = "iree_codegen";
  let cppNamespace = "::distaff::compat";
  let summary = "Launch shape of kernels, and contractions of MMA fragments";
  let useDefaultAttributePrinterParser = 1;
}

def IREECodegen_TranslationInfoAttr
    : AttrDef<IREECodegen_Dialect, "TranslationInfo"> {
  let mnemonic = "translation_info";
  let genMnemonicAlias = 1;
  let summary = "How a kernel is compiled and launched";
  let description = [{
    The attribute `translation_info` of a kernel's function. Every part is
    optional; what is absent is chosen by `configure`.

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

    /// Product of the workgroup's sizes; 0 where none are given.
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
    Three ids, x, y, z; with `linearize` one, `x + nx * (y + ny * z)`. The end
    of the kernel is its barrier, so asking for one inserts nothing.

    Example: `#iree_codegen.workgroup_scope<linearize>`
  }];
  let parameters = (ins DefaultValuedParameter<"bool", "false">:$linearize);
  let hasCustomAssemblyFormat = 1;
}

def IREECodegen_LocalMappingAttr : AttrDef<IREECodegen_Dialect, "LocalMapping",
    [DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>]> {
  let mnemonic = "local_mapping";
  let summary = "Dimension n of a forall that its own worker runs";
  let parameters = (ins "int64_t":$dim);
  let assemblyFormat = "`<` $dim `>`";
}

def IREECodegen_InnerTiledOp : Op<IREECodegen_Dialect, "inner_tiled",
    [Pure, AllTypesMatch<["output", "result"]>]> {
  let summary = "A contraction of per-lane fragments of one MMA instruction";
  let description = [{
    The leading dimensions of each operand are iterated as its map says; a
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
  }];
  let arguments = (ins
    Variadic<AnyTypeOf<[AnyVectorOfAnyRank, AnyRankedTensor]>>:$inputs,
    AnyTypeOf<[AnyVectorOfAnyRank, AnyRankedTensor]>:$output,
    AffineMapArrayAttr:$indexing_maps,
    AnyAttr:$kind,
    OptionalAttr<ArrayAttr>:$iterator_types
  );
  let results = (outs AnyTypeOf<[AnyVectorOfAnyRank, AnyRankedTensor]>:$result);
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$inputs, "::mlir::Value":$output,
                   "::llvm::ArrayRef<::mlir::AffineMap>":$maps,
                   "::mlir::Attribute":$kind), [{
      build($_builder, $_state, output.getType(), inputs, output,
            $_builder.getAffineMapArrayAttr(maps), kind,
            /*iterator_types=*/nullptr);
    }]>
  ];
  let assemblyFormat = [{
    `ins` `(` $inputs `)` `outs` `(` $output `)`
  }] # AttributeDictionary<["indexing_maps", "kind", "iterator_types"]>.format
     # [{
    `:` type($inputs) `into` type($output)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getLhs() { return getInputs()[0]; }
    ::mlir::Value getRhs() { return getInputs()[1]; }
    ::mlir::Value getAcc() { return getOutput(); }
    ::llvm::SmallVector<::mlir::AffineMap> getIndexingMapsArray();

    /// Extents of the iteration space of the leading dimensions.
    ::llvm::SmallVector<int64_t> getIterationShape();
  }];
}

#endif // DISTAFF_DIALECT_COMPAT_IREECODEGEN_TD
