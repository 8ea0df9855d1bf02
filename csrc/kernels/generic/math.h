// Scalar functions of a target region, written so that the compiler vectorises a loop over them:
// no branches, no calls, selects only. One definition serves the body, the tail and the strided
// path of every loop, so an element's bits don't depend on where it lies.
//
// Note [Accuracy of the vector functions]
// Float is computed in double, double mostly in two words (exponential_in_two.h), and rounded once:
// hardly more than 1/2 ULP, subnormal results included; + - * / sqrt round correctly. Rough
// functions (exponential.h) stay within 2 ULP. Infinities, NaN and signed zeros follow C99 Annex F.
// Polynomials come from tools/polyfit. Complex functions (complex.h) are computed in the next wider
// real type and follow Annex G.

// Each builds on those before it.
#include "kernels/generic/bits.h"

#include "kernels/generic/coefficients.h"

#include "kernels/generic/convert.h"

#include "kernels/generic/arithmetic.h"

#include "kernels/generic/rounding.h"

#include "kernels/generic/exponential.h"

#include "kernels/generic/exponential_in_two.h"

#include "kernels/generic/trigonometric.h"

#include "kernels/generic/hyperbolic.h"

#include "kernels/generic/error_function.h"

#include "kernels/generic/activation.h"

#include "kernels/generic/power.h"

#include "kernels/generic/complex.h"
