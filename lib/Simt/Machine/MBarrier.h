//===- MBarrier.h - Barriers in memory: arrivals, bytes, phases -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mbarrier counts arrivals of threads, and bytes of copies that complete by
// it. Its phase is over when none of either is missing; then the next one
// begins with as many arrivals as `init` said. Who waits names a phase by its
// parity: it may pass once the phase of that parity is over.
//
//   init 2          phase 0, 2 arrivals missing
//   arrive          1
//   expect 64       1, and 64 bytes
//   arrive          0, and 64 bytes
//   complete 64     phase 1, 2 arrivals; waiting for parity 0 is over
//
// Bytes may complete before they are expected. More than are ever expected end
// no phase, and are a misuse when the last arrival sees them.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_MBARRIER_H
#define DISTAFF_LIB_SIMT_MACHINE_MBARRIER_H

#include "Workgroup.h"

namespace distaff::simt {

class MBarrier final : public SyncKind<MBarrier> {
public:
  /// PTX ISA, "Phase of the mbarrier object": 2^20 - 1 arrivals and bytes.
  static constexpr int64_t most = (int64_t(1) << 20) - 1;
  using Complaint = std::optional<std::string>;

  explicit MBarrier(std::string name) : name(std::move(name)) {}

  Complaint initialize(int64_t arrivals, int64_t thread, uint32_t time);
  Complaint arrive(int64_t count = 1);
  Complaint arriveWithoutCompleting(int64_t count);
  Complaint expect(int64_t bytes);
  Complaint complete(int64_t bytes);

  bool isInitialized() const { return expected > 0; }
  /// The thread that initialised it, and when.
  std::pair<int64_t, uint32_t> initializer() const {
    return {initializedBy, initializedAt};
  }
  int64_t phase() const { return currentPhase; }
  bool isOver(int64_t phase) const { return currentPhase > phase; }
  bool isParityOver(int64_t parity) const {
    return (currentPhase & 1) != parity;
  }

  /// The ticket is a parity.
  bool isOpen(const Wait &wait) const override {
    return isParityOver(wait.ticket);
  }
  void pass(Agent &agent, const Wait &wait) override;
  std::string explain(const Agent &agent, const Wait &wait) const override;

  std::string name;             // "mbarrier 2"
  Knowledge gathered, released; // of the current phase, of the last one

private:
  Complaint finishPhase();

  int64_t expected = 0, missing = 0; // arrivals of a phase
  int64_t missingBytes = 0;
  int64_t currentPhase = 0;
  int64_t initializedBy = -1;
  uint32_t initializedAt = 0;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_MBARRIER_H
