//===- IREEGPU.td - Inherited GPU attributes ---------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of the iree_gpu dialect that kernels mention: which MMA
// instruction, how a linalg op is tiled, the scopes inside a workgroup, and how
// their workers wait for each other, until Conversion.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_COMPAT_IREEGPU_TD
#define DISTAFF_DIALECT_COMPAT_IREEGPU_TD

include "distaff/Dialect/AttributeDictionary.td"
include "distaff/Dialect/IREE/FenceLevel.td"
include "distaff/Dialect/PCF/FenceKind.td"
include "distaff/Dialect/PCF/PCFScopes.td"
include "distaff/Dialect/VectorExt/PromotionAttrInterface.td"
include "mlir/Dialect/SCF/IR/DeviceMappingInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/Properties.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def IREEGPU_Dialect : Dialect {
  let name = "iree_gpu";
  let cppNamespace = "::distaff::iree";
  let summary = "MMA instructions, tile sizes, scopes and waiting";
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
    ::std::optional<ParseOpHook>
    getParseOperationHook(::llvm::StringRef name) const override;
  }];
  // What scopes create.
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect"];
}

def IREEGPU_LaneIdAttr : AttrDef<IREEGPU_Dialect, "LaneId",
    [DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>]> {
  let mnemonic = "lane_id";
  let summary = "A dimension of a forall is shared out among lanes";
  let description = [{
    Of a dispatch as IREE dumps it: when it is read, the iterations are those of
    the lanes of a subgroup.

    Example: `#iree_gpu.lane_id<0>`
  }];
  let parameters = (ins "int64_t":$dim);
  let assemblyFormat = "`<` $dim `>`";
}

def IREEGPU_MmaLayoutAttr : AttrDef<IREEGPU_Dialect, "MmaLayout"> {
  let mnemonic = "mma_layout";
  let summary = "An MMA instruction of the target tables";
  let description = [{
    `col_major` computes the transposed product: the operands swap and the
    result's layout is transposed.

    Example: `#iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, col_major>`
  }];
  let parameters = (ins
    StringRefParameter<"name of a row of Target's tables">:$name,
    DefaultValuedParameter<"bool", "false">:$colMajor
  );
  let builders = [
    AttrBuilder<(ins "::llvm::StringRef":$name), [{
      return $_get($_ctxt, name, /*colMajor=*/false);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The instruction; never null.
    const ::distaff::MmaRow *getRow() const;
  }];
}

def IREEGPU_DerivedThreadConfigAttr : AttrDef<IREEGPU_Dialect,
    "DerivedThreadConfig", [DeclareAttrInterfaceMethods<PromotionAttrInterface,
      ["getCopyLayout"]>]> {
  let mnemonic = "derived_thread_config";
  let summary = "A promoted operand is copied by all threads";
  let description = [{
    Each lane copies up to 16 contiguous bytes at a time, neighbouring lanes
    neighbouring pieces, subgroups the slowest dims; through registers or not, as
    the target can.

    Example: `{shared_memory_conversion = #iree_gpu.derived_thread_config}`
  }];
}

def IREEGPU_UseGlobalLoadDMAAttr : AttrDef<IREEGPU_Dialect,
    "UseGlobalLoadDMA", [DeclareAttrInterfaceMethods<PromotionAttrInterface,
      ["getCopyLayout"]>]> {
  let mnemonic = "use_global_load_dma";
  let summary = "A promoted operand is copied past the registers";
  let description = [{
    As `derived_thread_config`, and asynchronously; an error where the target has
    no such copies, or none of that value.
  }];
}

def IREEGPU_LoweringConfigAttr : AttrDef<IREEGPU_Dialect, "LoweringConfig"> {
  let mnemonic = "lowering_config";
  let genMnemonicAlias = 1;
  let summary = "How a linalg op is tiled and distributed";
  let description = [{
    A dictionary. Keys that Distaff reads, each optional: `workgroup` and
    `reduction` (tile sizes, one per iteration dimension, 0 for not tiled),
    `mma_kind`, `promote_operands` (operand numbers), and how subgroups share a
    workgroup's tile: on the pipeline vector-distribute by `subgroup_basis`
    (`[[counts], [basis position of each dimension]]`), on run-cluster by
    `subgroup` (the tile of each, a list as `workgroup`). `resident`, on
    run-cluster, is a number of workgroups: of more tiles than that each
    workgroup takes several.

    How a tensor program's reduction is walked and its lanes share a tile is
    said as IREE says it: `partial_reduction` (a list as `workgroup`: the
    positions that are combined at a time, with an accumulator each), `thread`
    (the elements that a lane has together) and `lane_basis` (the lanes along
    each dimension, as `subgroup_basis`). Contractions take their lanes from
    `mma_kind` and memory, and `configure` refuses these of them, as it does
    what its pipeline does not read, with the reason: `thread_basis`, and what
    only pipelines of IREE have, such as `padding` and `serial`, which parses.
    Any other key is an error.

    On a kernel's function it is that of the op that `configure` will tile the
    kernel by, over what that op has of its own. The function's attribute
    `launch_configs` is a dictionary of such attributes by launch, for a kernel
    that becomes several (`--config` writes both).

    Example:
    ```mlir
    #iree_gpu.lowering_config<{workgroup = [64, 64, 0], reduction = [0, 0, 32],
      subgroup_basis = [[2, 2, 1], [0, 1, 2]], promote_operands = [0, 1],
      mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}>
    ```
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$attributes);
  let assemblyFormat = "`<` $attributes `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The name of the attribute on an op.
    static constexpr ::llvm::StringLiteral attributeName = "lowering_config";

    /// The attribute of a function whose launches are told apart: a dictionary
    /// of the attributes that each launch's function is to have.
    static constexpr ::llvm::StringLiteral launchesName = "launch_configs";

    /// Subgroups along each basis position, and the position of each
    /// iteration dimension.
    struct SubgroupBasis {
      ::llvm::SmallVector<int64_t> counts;
      ::llvm::SmallVector<int64_t> positions;
    };

    /// A key of it that only pipelines of IREE obey; empty where it has none.
    ::llvm::StringRef getForeignKey() const;

    /// The keys that passes obey.
    static ::llvm::ArrayRef<::llvm::StringLiteral> getReadKeys();

    /// The integers at `key`; empty where it is absent.
    ::llvm::SmallVector<int64_t> getInts(::llvm::StringRef key) const;
    ::llvm::SmallVector<int64_t> getWorkgroupTiles() const;
    ::llvm::SmallVector<int64_t> getReductionTiles() const;
    ::llvm::SmallVector<int64_t> getPromotedOperands() const;
    std::optional<int64_t> getResident() const;
    ::std::optional<SubgroupBasis> getSubgroupBasis() const;
    /// The same of lanes; null where there is none.
    ::std::optional<SubgroupBasis> getLaneBasis() const;
    /// Whether it says how lanes share a tile: by `thread` or `lane_basis`.
    bool laysOutLanes() const;
    /// Null where there is none.
    MmaLayoutAttr getMmaKind() const;
  }];
}

def IREEGPU_SubgroupScopeAttr : AttrDef<IREEGPU_Dialect, "SubgroupScope", [
    DeclareAttrInterfaceMethods<PCF_ScopeAttrInterface,
      ["addBarrier", "addSubsetBarrier", "addFence", "getAllocMemSpace"]>]> {
  let mnemonic = "subgroup_scope";
  let summary = "The subgroups of a workgroup";
  let description = [{ They share the workgroup's memory. }];
}

def IREEGPU_LaneScopeAttr : AttrDef<IREEGPU_Dialect, "LaneScope", [
    DeclareAttrInterfaceMethods<PCF_ScopeAttrInterface,
      ["addBarrier", "addFence", "getAllocMemSpace"]>]> {
  let mnemonic = "lane_scope";
  let summary = "The lanes of a subgroup";
}

// Waiting and ordering, neither of which may be moved, merged or folded.
class IREEGPU_SyncOp<string mnemonic, list<Trait> traits = []>
    : Op<IREEGPU_Dialect, mnemonic,
         [MemoryEffects<[MemRead, MemWrite]>] # traits>;

def IREEGPU_GlobalSubgroupBarrierOp
    : IREEGPU_SyncOp<"global_subgroup_barrier"> {
  let summary = "No subgroup of a workgroup passes before all have come";
  let description = [{
    It orders no memory; fences do. With `id`, 1 to 15, the subgroups that use
    that id wait for each other, `threads` threads in all.

    Unlike `gpu.barrier`, two that follow each other stay two: other subgroups
    may wait elsewhere in between.

    Example: `iree_gpu.global_subgroup_barrier id(1) threads(%n)`
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$id, Optional<Index>:$threads);
  let assemblyFormat = [{
    (`id` `(` $id^ `)` `threads` `(` $threads `)`)?
  }] # AttributeDictionary<>.format;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins), [{
    build($_builder, $_state, ::mlir::IntegerAttr(), ::mlir::Value());
  }]>];
}

def IREEGPU_LaneBarrierOp : IREEGPU_SyncOp<"lane_barrier"> {
  let summary = "No lane of a subgroup passes before all have come";
  let assemblyFormat = AttributeDictionary<>.format;
}

def IREEGPU_FenceOp : IREEGPU_SyncOp<"fence"> {
  let summary = "Orders a thread's accesses to memory";
  let description = [{
    Example: `iree_gpu.fence release workgroup`
  }];
  let arguments = (ins EnumProp<PCF_FenceKind>:$kind,
                       EnumProp<IREEGPU_FenceLevel>:$level);
  let assemblyFormat = "$kind $level" # AttributeDictionary<>.format;
}

//===----------------------------------------------------------------------===//
// Barriers of dispatches
//===----------------------------------------------------------------------===//

def IREEGPU_BarrierRegionOp : Op<IREEGPU_Dialect, "barrier_region",
    [SingleBlock]> {
  let summary = "Lanes write to tensors that all of them read behind it";
  let description = [{
    Of a dispatch as IREE dumps it. Each lane of the workgroup writes a part of the
    inputs; the results are the inputs with the parts of all lanes. No lane enters
    before all have come, and none leaves before all are done.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`ins` `(` $inputs^ `:` type($inputs) `)`)? $body
  }] # AttributeDictionary<>.format # "`:` type($results)";
  let hasVerifier = 1;
}

def IREEGPU_GPUYieldOp : Op<IREEGPU_Dialect, "yield",
    [Pure, Terminator, ReturnLike]> {
  let summary = "Ends a barrier_region";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = AttributeDictionary<>.format
    # "($operands^ `:` type($operands))?";
}

#endif // DISTAFF_DIALECT_COMPAT_IREEGPU_TD
