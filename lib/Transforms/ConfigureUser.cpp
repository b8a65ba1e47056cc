//===- ConfigureUser.cpp - What a user's lowering_config may ask for ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A user may override every choice (VX-113). What cannot be obeyed is refused
// by its key, for a kernel that silently runs another way is not what was asked
// for. Tiles are checked where they are read, in TileSizes.cpp.
//
//===----------------------------------------------------------------------===//
#include "Configure.h"
#include "ContractionBody.h"

using namespace distaff;
using compat::LoweringConfigAttr;

static LogicalResult checkLists(const GroupOp &groupOp,
                                LoweringConfigAttr config) {
  size_t loops = groupOp.iterators.size();
  for (StringRef key : {"workgroup", "reduction"})
    if (config.getInts(key).size() > loops)
      return groupOp.op->emitOpError("has ")
             << config.getInts(key).size() << " `" << key << "` tiles for "
             << loops << " loops";
  for (StringRef key : {"subgroup", "thread", "lane_basis", "thread_basis"})
    if (config.getAttributes().contains(key))
      return groupOp.op->emitOpError("asks for `")
             << key << "`, which is not supported; subgroups are split by "
             << "`subgroup_basis`, lanes by the layouts that follow from "
                "`mma_kind` and memory";
  return success();
}

static LogicalResult checkContractionKeys(const GroupOp &groupOp,
                                          LoweringConfigAttr config,
                                          const Target &machine) {
  Operation *op = groupOp.op;
  if (!matchContraction(op)) {
    for (StringRef key : {"mma_kind", "promote_operands", "subgroup_basis"})
      if (config.getAttributes().contains(key))
        return op->emitOpError("asks for `")
               << key << "`, which only contractions have";
    return success();
  }
  for (int64_t operand : config.getPromotedOperands())
    if (operand > 1)
      return op->emitOpError("asks for operand ")
             << operand << " in shared memory; `promote_operands` are 0 or 1";
  if (compat::MmaLayoutAttr kind = config.getMmaKind())
    if (llvm::none_of(machine.mma, [&](const MmaRow &row) {
          return row.name == kind.getRow()->name;
        }))
      return op->emitOpError("asks for `mma_kind` ")
             << kind.getRow()->name << ", which " << machine.name
             << " does not have";
  return success();
}

static LogicalResult checkBasis(const GroupOp &groupOp,
                                LoweringConfigAttr config,
                                const Target &machine, int64_t workgroupSize) {
  auto basis = config.getSubgroupBasis();
  if (!basis)
    return success();
  int64_t lanes = machine.subgroupSize;
  for (int64_t count : basis->counts)
    lanes = saturatingProduct(lanes, count);
  if (lanes > machine.maxWorkgroupSize)
    return groupOp.op->emitOpError(
               "asks by `subgroup_basis` for workgroups of ")
           << lanes << " lanes; " << machine.name << " has up to "
           << machine.maxWorkgroupSize;
  if (workgroupSize && workgroupSize != lanes)
    return groupOp.op->emitOpError("asks by `subgroup_basis` for ")
           << lanes << " lanes, its function's `workgroup_size` for "
           << workgroupSize;
  return success();
}

LogicalResult distaff::checkUserConfigs(const FusedGroup &group,
                                        const Target &machine,
                                        int64_t workgroupSize) {
  Operation *root = group.root()->op;
  for (const GroupOp &groupOp : group.ops()) {
    auto config = groupOp.op->getAttrOfType<LoweringConfigAttr>(
        LoweringConfigAttr::attributeName);
    if (!config)
      continue;
    if (failed(checkLists(groupOp, config)) ||
        failed(checkContractionKeys(groupOp, config, machine)) ||
        failed(checkBasis(groupOp, config, machine, workgroupSize)))
      return failure();
    for (StringRef key : {"workgroup", "reduction"})
      if (groupOp.op != root && config.getAttributes().contains(key)) {
        InFlightDiagnostic diagnostic = groupOp.op->emitOpError("has `")
                                        << key << "` tiles of its own";
        diagnostic.attachNote(root->getLoc())
            << "the kernel is tiled by those of this op";
        return diagnostic;
      }
  }
  return success();
}
