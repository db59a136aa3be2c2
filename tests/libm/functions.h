/* SPDX-License-Identifier: Apache-2.0
 * The functions of library/libm under names of their own, so that the host's are there too. */
#ifndef LIBM_FUNCTIONS_H
#define LIBM_FUNCTIONS_H

#define OURS(name) tandem_##name

#define exp tandem_exp
#define expf tandem_expf
#define exp2 tandem_exp2
#define exp2f tandem_exp2f
#include "../../library/libm/exp.c"
#undef exp
#undef expf
#undef exp2
#undef exp2f

#define log tandem_log
#define logf tandem_logf
#define log2 tandem_log2
#define log2f tandem_log2f
#define log10 tandem_log10
#define log10f tandem_log10f
#include "../../library/libm/log.c"
#undef log
#undef logf
#undef log2
#undef log2f
#undef log10
#undef log10f

#define pow tandem_pow
#define powf tandem_powf
#include "../../library/libm/pow.c"
#undef pow
#undef powf

#define cbrt tandem_cbrt
#define cbrtf tandem_cbrtf
#define hypot tandem_hypot
#define hypotf tandem_hypotf
#include "../../library/libm/root.c"
#undef cbrt
#undef cbrtf
#undef hypot
#undef hypotf

#define sin tandem_sin
#define sinf tandem_sinf
#define cos tandem_cos
#define cosf tandem_cosf
#define tan tandem_tan
#define tanf tandem_tanf
#include "../../library/libm/trig.c"
#undef tan
#undef tanf
#undef sin
#undef sinf
#undef cos
#undef cosf

#define fmod tandem_fmod
#define fmodf tandem_fmodf
#include "../../library/libm/remainder.c"
#undef fmod
#undef fmodf

#define atan2 tandem_atan2
#define atan2f tandem_atan2f
#define atan tandem_atan
#define atanf tandem_atanf
#define asin tandem_asin
#define asinf tandem_asinf
#define acos tandem_acos
#define acosf tandem_acosf
#include "../../library/libm/atan.c"
#undef asin
#undef asinf
#undef acos
#undef acosf
#undef atan2
#undef atan2f
#undef atan
#undef atanf

#endif
