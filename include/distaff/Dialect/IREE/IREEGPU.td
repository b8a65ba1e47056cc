//===- IREEGPU.td - Inherited GPU attributes ---------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of the iree_gpu dialect that kernels use: MMA instructions, tiling
// of linalg ops, the scopes inside a workgroup, and the barriers of their
// workers, until Conversion.
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
  let summary = "MMA instructions, tile sizes, scopes and synchronization";
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
    ::std::optional<ParseOpHook>
    getParseOperationHook(::llvm::StringRef name) const override;
  }];
  // The dialects of ops that scopes create.
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect"];
}

def IREEGPU_LaneIdAttr : AttrDef<IREEGPU_Dialect, "LaneId",
    [DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>]> {
  let mnemonic = "lane_id";
  let summary = "Distributes a dimension of a forall over lanes";
  let description = [{
    Part of a dispatch in IREE's dumps: when it is read, the iterations become
    those of the lanes of a subgroup.

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
    /// Returns the instruction; never null.
    const ::distaff::MmaRow *getRow() const;
  }];
}

def IREEGPU_DerivedThreadConfigAttr : AttrDef<IREEGPU_Dialect,
    "DerivedThreadConfig", [DeclareAttrInterfaceMethods<PromotionAttrInterface,
      ["getCopyLayout"]>]> {
  let mnemonic = "derived_thread_config";
  let summary = "Copies a promoted operand by all threads";
  let description = [{
    Each lane copies up to 16 contiguous bytes at a time, neighbouring lanes
    neighbouring chunks, subgroups the slowest dims; through registers or not,
    as the target supports.

    Example: `{shared_memory_conversion = #iree_gpu.derived_thread_config}`
  }];
}

def IREEGPU_UseGlobalLoadDMAAttr : AttrDef<IREEGPU_Dialect,
    "UseGlobalLoadDMA", [DeclareAttrInterfaceMethods<PromotionAttrInterface,
      ["getCopyLayout"]>]> {
  let mnemonic = "use_global_load_dma";
  let summary = "Copies a promoted operand without registers";
  let description = [{
    Same as `derived_thread_config`, and asynchronous; an error if the target
    has no such copies, or none of that value.
  }];
}

def IREEGPU_LoweringConfigAttr : AttrDef<IREEGPU_Dialect, "LoweringConfig"> {
  let mnemonic = "lowering_config";
  let genMnemonicAlias = 1;
  let summary = "Tiling and distribution of a linalg op";
  let description = [{
    A dictionary. Keys that Distaff reads, each optional: `workgroup` and
    `reduction` (tile sizes, one per iteration dimension, 0 for not tiled),
    `mma_kind`, `promote_operands` (operand numbers), and the distribution of a
    workgroup's tile over subgroups: on the pipeline vector-distribute by
    `subgroup_basis` (`[[counts], [basis position of each dimension]]`), on
    run-cluster by `subgroup` (the tile of each, a list as `workgroup`).
    `resident`, on run-cluster, is a number of workgroups: if there are more
    tiles, each workgroup computes several.

    The tiling of a tensor program's reduction and the distribution of its tile
    over lanes use IREE's keys: `partial_reduction` (a list as `workgroup`: the
    positions that are combined at a time, with an accumulator each), `thread`
    (the elements that a lane has together) and `lane_basis` (the lanes along
    each dimension, as `subgroup_basis`). Contractions take their lanes from
    `mma_kind` and memory, and `configure` rejects these keys for them, as it
    does keys that its pipeline does not read, with the reason: `thread_basis`,
    and keys that only pipelines of IREE have, such as `padding` and `serial`,
    which parse. Any other key is an error.

    On a kernel's function it applies to the op by which `configure` will tile
    the kernel, and overrides that op's own attribute. The function's attribute
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

    /// The attribute of a function with several launches: a dictionary of the
    /// attributes that each launch's function gets.
    static constexpr ::llvm::StringLiteral launchesName = "launch_configs";

    /// Subgroups along each basis position, and the position of each iteration
    /// dimension.
    struct SubgroupBasis {
      ::llvm::SmallVector<int64_t> counts;
      ::llvm::SmallVector<int64_t> positions;
    };

    /// Returns a key that only pipelines of IREE use; empty if there is none.
    ::llvm::StringRef getForeignKey() const;

    /// Returns the keys that passes use.
    static ::llvm::ArrayRef<::llvm::StringLiteral> getReadKeys();

    /// Returns the integers at `key`; empty if it is absent.
    ::llvm::SmallVector<int64_t> getInts(::llvm::StringRef key) const;
    ::llvm::SmallVector<int64_t> getWorkgroupTiles() const;
    ::llvm::SmallVector<int64_t> getReductionTiles() const;
    ::llvm::SmallVector<int64_t> getPromotedOperands() const;
    std::optional<int64_t> getResident() const;
    ::std::optional<SubgroupBasis> getSubgroupBasis() const;
    /// Returns the same for lanes; nullopt if there is no basis.
    ::std::optional<SubgroupBasis> getLaneBasis() const;
    /// Returns whether it distributes a tile over lanes: by `thread` or
    /// `lane_basis`.
    bool laysOutLanes() const;
    /// Returns null if there is none.
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

// Synchronization ops, which must not be moved, merged or folded.
class IREEGPU_SyncOp<string mnemonic, list<Trait> traits = []>
    : Op<IREEGPU_Dialect, mnemonic,
         [MemoryEffects<[MemRead, MemWrite]>] # traits>;

def IREEGPU_GlobalSubgroupBarrierOp
    : IREEGPU_SyncOp<"global_subgroup_barrier"> {
  let summary = "Waits until all subgroups of a workgroup have reached it";
  let description = [{
    It orders no memory; fences do. With `id`, 1 to 15, the subgroups that use
    that id wait for each other, `threads` threads in total.

    Unlike `gpu.barrier`, two consecutive ones are not merged: other subgroups
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
  let summary = "Waits until all lanes of a subgroup have reached it";
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
  let summary = "Lanes write to tensors that all of them read afterwards";
  let description = [{
    Part of a dispatch in IREE's dumps. Each lane of the workgroup writes a part
    of the inputs; the results are the inputs with the parts of all lanes. A
    barrier at the entry and one at the exit synchronize the lanes.
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
