// RUN: not distaff-opt %s "--distaff-configure-clusters=target=sm_80 producers=32" 2>&1 | FileCheck %s
// RUN: not distaff-opt %s "--distaff-configure-clusters=target=sm_80 producers=-1" 2>&1 | FileCheck %s --check-prefix=FEWER

// CHECK: error: a workgroup of sm_80 has up to 32 subgroups, which leaves none besides 32 producers; give from 0 to 31
// FEWER: error: a workgroup of sm_80 has up to 32 subgroups, which leaves none besides -1 producers; give from 0 to 31
module {}
