//===- DispatchConfig.cpp - Import of IREE's tile sizes -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If IREE has configured a dispatch, its function has a translation_info with
// the sizes of workgroup and subgroup, and its ops have a lowering_config. They
// are kept for configure, in its units (VX-226):
//
//   workgroup = [32, 32, 0], subgroup = [1, 2, 0], reduction = [0, 0, 2],
//   mma_kind = NV_MMA_SYNC_F32_16x8x16_F16          of TileAndFuse
//   => workgroup = [32, 32, 0], subgroup_basis = [[2, 2, 1], [0, 1, 2]],
//      reduction = [0, 0, 32], mma_kind
//
// There `subgroup` and `reduction` count tiles of the instruction. The
// distribution of reductions over lanes is dropped: VectorDistribute counts
// other units.
//
//===----------------------------------------------------------------------===//
#include "DispatchInterface.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/IREE/InheritedConfig.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace distaff;
using iree::LoweringConfigAttr;
using iree::TranslationInfoAttr;

/// Returns the loops of m, n and k of a product, if it has one loop of each
/// besides batches.
static std::optional<std::array<unsigned, 3>> loopsOf(linalg::LinalgOp op) {
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.empty() || dims->n.empty() || dims->k.empty())
    return std::nullopt;
  return std::array<unsigned, 3>{dims->m.back(), dims->n.back(),
                                 dims->k.back()};
}

/// Converts a config from units of its instruction to elements and subgroups.
static void scaleByInstruction(linalg::LinalgOp op, LoweringConfigAttr config,
                               NamedAttrList &entries) {
  auto loops = loopsOf(op);
  const MmaRow &row = *config.getMmaKind().getRow();
  SmallVector<int64_t> reduction = config.getInts("reduction"),
                       workgroup = config.getInts("workgroup"),
                       subgroup = config.getInts("subgroup");
  entries.erase("subgroup");
  Builder b(op.getContext());
  if (!loops || reduction.size() <= (*loops)[2])
    return;
  auto [m, n, k] = *loops;
  reduction[k] *= row.k;
  entries.set("reduction", b.getI64ArrayAttr(reduction));
  if (subgroup.size() != reduction.size() ||
      workgroup.size() != reduction.size())
    return;
  SmallVector<int64_t> counts(reduction.size(), 1);
  for (auto [loop, size] : {std::pair(m, row.m), std::pair(n, row.n)}) {
    int64_t tile = subgroup[loop] * size;
    if (tile == 0 || workgroup[loop] % tile != 0)
      return;
    counts[loop] = workgroup[loop] / tile;
  }
  entries.set("subgroup_basis",
              b.getArrayAttr({b.getI64ArrayAttr(counts),
                              b.getI64ArrayAttr(llvm::to_vector(
                                  llvm::seq<int64_t>(0, counts.size())))}));
}

/// Returns a config in the units of configure; null if it would be empty.
static LoweringConfigAttr translate(linalg::LinalgOp op,
                                    LoweringConfigAttr config,
                                    bool countsInstructions) {
  NamedAttrList entries;
  for (StringRef key : {"workgroup", "reduction", "subgroup", "mma_kind",
                        "promote_operands", "thread"})
    if (Attribute value = config.getAttributes().get(key))
      entries.set(key, value);
  if (config.getAttributes().contains("partial_reduction"))
    entries.erase("thread");
  if (config.getMmaKind() && countsInstructions)
    scaleByInstruction(op, config, entries);
  if (entries.empty())
    return nullptr;
  return LoweringConfigAttr::get(op.getContext(),
                                 entries.getDictionary(op.getContext()));
}

void distaff::inheritConfiguration(func::FuncOp function) {
  constexpr StringRef infoName = TranslationInfoAttr::attributeName,
                      configName = LoweringConfigAttr::attributeName;
  MLIRContext *context = function.getContext();
  auto info = function->getAttrOfType<TranslationInfoAttr>(infoName);
  function->removeAttr(infoName);
  bool countsInstructions =
      info && info.getPipeline() &&
      info.getPipeline().getValue() == "LLVMGPUTileAndFuse";
  bool isInherited = false;
  function.walk([&](Operation *op) {
    auto config = op->getAttrOfType<LoweringConfigAttr>(configName);
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    op->removeAttr(configName);
    if (!config || !linalgOp)
      return;
    if (auto own = translate(linalgOp, config, countsInstructions)) {
      op->setAttr(configName, own);
      isInherited = true;
    }
  });
  if (!isInherited)
    return;
  Attribute kept = UnitAttr::get(context);
  if (info && !info.getWorkgroupSize().empty()) {
    kept = TranslationInfoAttr::get(context, /*pipeline=*/nullptr,
                                    info.getWorkgroupSize(),
                                    info.getSubgroupSize(),
                                    /*configuration=*/nullptr);
    function->setAttr(infoName, kept);
  }
  function->setAttr(iree::inheritedConfigName, kept);
}
