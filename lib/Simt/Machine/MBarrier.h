//===- MBarrier.h - Barriers in memory: arrivals, bytes, phases -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mbarrier counts arrivals of threads, and bytes of copies that complete on
// it. Its phase is complete when no arrivals and no bytes are missing; the next
// phase then expects the number of arrivals given to `init`. A wait names a
// phase by its parity and passes once the phase of that parity is complete.
//
//   init 2          phase 0, 2 arrivals missing
//   arrive          1
//   expect 64       1, and 64 bytes
//   arrive          0, and 64 bytes
//   complete 64     phase 1, 2 arrivals; waiting for parity 0 is over
//
// Bytes may complete before they are expected. If more bytes complete than are
// expected, the phase does not end, and the last arrival reports a misuse.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_MBARRIER_H
#define DISTAFF_LIB_SIMT_MACHINE_MBARRIER_H

#include "Workgroup.h"

namespace distaff::simt {

class MBarrier final : public SyncKind<MBarrier> {
public:
  /// The limit of arrivals and bytes, 2^20 - 1: PTX ISA, "Phase of the mbarrier
  /// object".
  static constexpr int64_t most = (int64_t(1) << 20) - 1;
  using Complaint = std::optional<std::string>;

  explicit MBarrier(std::string name) : name(std::move(name)) {}

  Complaint initialize(int64_t arrivals, int64_t thread, uint32_t time);
  Complaint arrive(int64_t count = 1);
  Complaint arriveWithoutCompleting(int64_t count);
  Complaint expect(int64_t bytes);
  Complaint complete(int64_t bytes);

  bool isInitialized() const { return expected > 0; }
  /// Returns the thread that initialized it, and the time.
  std::pair<int64_t, uint32_t> initializer() const {
    return {initializedBy, initializedAt};
  }
  int64_t phase() const { return currentPhase; }
  bool isOver(int64_t phase) const { return currentPhase > phase; }
  bool isParityOver(int64_t parity) const {
    return (currentPhase & 1) != parity;
  }

  /// Returns whether the phase is over whose parity is the ticket.
  bool isOpen(const Wait &wait) const override {
    return isParityOver(wait.ticket);
  }
  void pass(Agent &agent, const Wait &wait) override;
  std::string explain(const Agent &agent, const Wait &wait) const override;

  std::string name;             // "mbarrier 2"
  Knowledge gathered, released; // in the current phase, in the last one

private:
  Complaint finishPhase();

  int64_t expected = 0, missing = 0; // arrivals in a phase
  int64_t missingBytes = 0;
  int64_t currentPhase = 0;
  int64_t initializedBy = -1;
  uint32_t initializedAt = 0;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_MBARRIER_H
