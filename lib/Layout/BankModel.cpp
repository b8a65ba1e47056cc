#include "distaff/Layout/BankModel.h"
