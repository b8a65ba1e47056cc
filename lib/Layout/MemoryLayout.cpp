#include "distaff/Layout/MemoryLayout.h"
