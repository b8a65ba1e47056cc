#include "distaff/Layout/Conversion.h"
