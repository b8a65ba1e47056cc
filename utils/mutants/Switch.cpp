//===- Switch.cpp - Which mutant is selected ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked into every program and library with planted mutants; needs only the C
// library. DISTAFF_MUTANT is the number of the mutant that is selected.
// DISTAFF_MUTANTS_REACHED is a file with a byte for each mutant, all 0, in
// which those that are reached become 1. It is mapped into memory and shared,
// so what is recorded survives forks, crashes and _exit.
//
// Both are read before constructors of static objects run, and so before a
// program gives up its right to open files.
//
//===----------------------------------------------------------------------===//
#include "Switch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

unsigned distaffMutantSelected = 0;
unsigned char *distaffMutantsReached = nullptr;

static void record(const char *path) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    return;
  struct stat status;
  if (fstat(file, &status) == 0 && status.st_size > 0) {
    void *memory = mmap(nullptr, status.st_size, PROT_READ | PROT_WRITE,
                        MAP_SHARED, file, 0);
    if (memory != MAP_FAILED)
      distaffMutantsReached = static_cast<unsigned char *>(memory);
  }
  close(file);
}

// 101 is the first that is not the implementation's own.
__attribute__((constructor(101))) static void readEnvironment() {
  if (const char *number = getenv("DISTAFF_MUTANT"))
    distaffMutantSelected = strtoul(number, nullptr, 10);
  if (const char *path = getenv("DISTAFF_MUTANTS_REACHED"))
    record(path);
}
