//===- IREEGPU.td - Inherited GPU attributes --------------*- tablegen -*--===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of the iree_gpu dialect that kernels mention: which MMA
// instruction, and how a linalg op is tiled.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_COMPAT_IREEGPU_TD
#define DISTAFF_DIALECT_COMPAT_IREEGPU_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def IREEGPU_Dialect : Dialect {
  let name = "iree_gpu";
  let cppNamespace = "::distaff::compat";
  let summary = "MMA instructions and tile sizes";
  let useDefaultAttributePrinterParser = 1;
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

def IREEGPU_LoweringConfigAttr : AttrDef<IREEGPU_Dialect, "LoweringConfig"> {
  let mnemonic = "lowering_config";
  let genMnemonicAlias = 1;
  let summary = "How a linalg op is tiled and distributed";
  let description = [{
    A dictionary. Keys that Distaff reads, each optional: `workgroup` and
    `reduction` (tile sizes, one per iteration dimension, 0 for not tiled),
    `subgroup_basis` (`[[counts], [basis position of each dimension]]`),
    `mma_kind`, `promote_operands` (operand numbers).

    Inherited kernels may also have `partial_reduction`, `subgroup`, `thread`
    (lists as `workgroup`), `lane_basis` and `thread_basis` (as
    `subgroup_basis`): they parse, and `configure` refuses them with the reason.
    Any other key is an error.

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

    /// Subgroups along each basis position, and the position of each
    /// iteration dimension.
    struct SubgroupBasis {
      ::llvm::SmallVector<int64_t> counts;
      ::llvm::SmallVector<int64_t> positions;
    };

    /// The keys that passes obey.
    static ::llvm::ArrayRef<::llvm::StringLiteral> getReadKeys();

    /// The integers at `key`; empty where it is absent.
    ::llvm::SmallVector<int64_t> getInts(::llvm::StringRef key) const;
    ::llvm::SmallVector<int64_t> getWorkgroupTiles() const;
    ::llvm::SmallVector<int64_t> getReductionTiles() const;
    ::llvm::SmallVector<int64_t> getPromotedOperands() const;
    ::std::optional<SubgroupBasis> getSubgroupBasis() const;
    /// Null where there is none.
    MmaLayoutAttr getMmaKind() const;
  }];
}

#endif // DISTAFF_DIALECT_COMPAT_IREEGPU_TD
