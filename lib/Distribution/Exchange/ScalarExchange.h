//===- ScalarExchange.h - Scalar exchange in workgroup memory ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads store scalars, each under a number, and load scalars by number. The
// buffer holds a window of the numbers; if that is not all of them, it moves
// over them in rounds:
//
//   10 numbers, 4 at a time      store 0-3; sync; load 0-3; sync;
//                                store 4-7; sync; load 4-7; sync; ...
//
// A number is a value that depends on the thread, between two bounds that do
// not. By the bounds most scalars belong to one round and are accessed in no
// other; one that may be in several rounds is stored where it is in the window,
// and selected after the load in that round. Few rounds are unrolled, many are
// a loop.
//
// So 16 bytes are enough for any exchange, at a price.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_EXCHANGE_SCALAREXCHANGE_H
#define DISTAFF_LIB_DISTRIBUTION_EXCHANGE_SCALAREXCHANGE_H

#include "../Distributor.h"

namespace distaff {

/// Returns the type of elements in memory: integers that do not fill their
/// bytes are extended.
Type storedAs(Type element);

/// The number of a scalar in this thread, and its bounds over all threads.
struct ScalarNumber {
  Value number;
  int64_t least, most;
};

/// Numbers the values of the threads in each of several slots: register by
/// register, in each slot by slot, in each lane by lane, so that neighbouring
/// lanes access neighbouring numbers.
class PlacementNumbers {
public:
  /// A null placement is that of a scalar, which every thread has.
  PlacementNumbers(const Placement *placement, int64_t slots, Distributor &out);

  int64_t count() const { return registers * slots * holders; }
  /// Returns the count of numbers of one register in one slot.
  int64_t grain() const { return holders; }
  /// Returns the number of register `reg` in slot `slot` (an index).
  ScalarNumber of(OpBuilder &b, Location loc, int64_t reg, Value slot) const;

private:
  Distributor &out;
  int64_t registers = 1, slots, holders = 1;
  Value holder; // the number of this thread among those of other elements
};

class ScalarExchange {
public:
  /// Creates an exchange of numbers 0 .. count - 1; windows end at multiples of
  /// `grain` where there is room for one.
  /// \pre  Distributor::requireRoom
  ScalarExchange(Location loc, Type element, int64_t count, int64_t grain,
                 Distributor &out);

  /// Stores `given[i]` as number `as[i]`, in the threads for which `writer`
  /// holds (null: in all), and returns the scalars with the numbers `wanted`.
  /// \pre   all threads run this together; every number is stored, and all
  ///       threads that store it store the same scalar
  SmallVector<Value> run(OpBuilder &b, ArrayRef<Value> given,
                         ArrayRef<ScalarNumber> as, Value writer,
                         ArrayRef<ScalarNumber> wanted);

private:
  struct Window;
  Value inWindow(OpBuilder &b, const ScalarNumber &at, const Window &window);
  Value position(OpBuilder &b, const ScalarNumber &at, Value inside,
                 const Window &window);
  void store(OpBuilder &b, ArrayRef<Value> given, ArrayRef<ScalarNumber> as,
             Value writer, const Window &window);
  void load(OpBuilder &b, ArrayRef<ScalarNumber> wanted, const Window &window,
            MutableArrayRef<Value> taken);

  /// The limit of unrolled rounds; more of them are a loop.
  static constexpr int64_t mostUnrolled = 16;

  Location loc;
  Type element, stored;
  int64_t count, size; // of all numbers, of a window
  Distributor &out;
  Value buffer;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_EXCHANGE_SCALAREXCHANGE_H
