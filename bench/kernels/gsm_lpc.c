// SPDX-License-Identifier: Apache-2.0
// offload: lpc_analysis
/* Reflection coefficients of one 160-sample frame as in GSM 06.10 (4.2.4, 4.2.5): 16/32-bit
   saturating fixed point, autocorrelation with scaling, Schur recursion of order 8. */
#include <stdint.h>
#include <stdio.h>

static int16_t sat16(int32_t x)
{
    return x > 32767 ? 32767 : x < -32768 ? -32768 : (int16_t)x;
}

static int16_t add16(int16_t a, int16_t b)
{
    return sat16(a + b);
}

static int16_t abs16(int16_t a)
{
    return a == -32768 ? 32767 : (int16_t)(a < 0 ? -a : a);
}

static int16_t mult_r(int16_t a, int16_t b)
{
    return sat16((a * b + 16384) >> 15);
}

static int32_t mac(int32_t acc, int16_t a, int16_t b)
{
    int64_t s = (int64_t)acc + 2 * (int64_t)a * b;
    return s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : (int32_t)s;
}

static int norm(int32_t a)              /* left shifts to normalise a > 0 */
{
    int n = 0;
    for (; a < 0x40000000; a *= 2)
        n++;
    return n;
}

static int16_t div16(int16_t num, int16_t den)  /* 0 <= num <= den, Q15 quotient */
{
    int32_t n = num;
    int16_t q = 0;
    if (num == den)
        return 32767;
    for (int k = 0; k < 15; k++) {
        q = (int16_t)(q * 2);
        n *= 2;
        if (n >= den) {
            n -= den;
            q++;
        }
    }
    return q;
}

void lpc_analysis(const int16_t s[160], int16_t r[8])
{
    int16_t x[160], acf[9], p[9], k[9], smax = 0;
    int32_t sum[9];
    int scale = 0;

    for (int i = 0; i < 160; i++)
        if (abs16(s[i]) > smax)
            smax = abs16(s[i]);
    if (smax > 0)
        scale = 4 - norm((int32_t)smax * 65536);
    for (int i = 0; i < 160; i++)
        x[i] = scale > 0 ? mult_r(s[i], (int16_t)(16384 >> (scale - 1))) : s[i];
    for (int lag = 0; lag <= 8; lag++) {
        sum[lag] = 0;
        for (int i = lag; i < 160; i++)
            sum[lag] = mac(sum[lag], x[i], x[i - lag]);
    }
    for (int i = 0; i < 8; i++)
        r[i] = 0;
    if (sum[0] == 0)
        return;
    int shift = norm(sum[0]);
    for (int i = 0; i <= 8; i++) {
        acf[i] = (int16_t)(((int64_t)sum[i] * ((int64_t)1 << shift)) >> 16);
        p[i] = acf[i];
        k[i] = acf[i];
    }
    for (int n = 0; n < 8; n++) {
        int16_t mag = abs16(p[1]);
        if (p[0] < mag)
            break;
        r[n] = (int16_t)(p[1] > 0 ? -div16(mag, p[0]) : div16(mag, p[0]));
        if (n == 7)
            break;
        p[0] = add16(p[0], mult_r(p[1], r[n]));
        for (int m = 1; m < 8 - n; m++) {
            int16_t next = p[m + 1];
            p[m] = add16(next, mult_r(k[m], r[n]));
            k[m] = add16(k[m], mult_r(next, r[n]));
        }
    }
}

int main(void)
{
    int16_t s[160], r[8];
    uint32_t seed = 99, sum = 0;

    for (int frame = 0; frame < 3; frame++) {
        int y1 = 0, y2 = 0;
        double a[9], g[9], err, worst = 0;
        for (int i = 0; i < 160; i++) {         /* noise through a resonant second-order filter */
            seed = seed * 1664525u + 1013904223u;
            int y = (3 - frame) * y1 / 2 - 3 * y2 / 4 + (int)(seed >> 20) - 2048;
            y2 = y1;
            y1 = y;
            s[i] = (int16_t)(frame == 2 && i > 155 ? 32767 : y >> frame);
        }
        lpc_analysis(s, r);
        for (int j = 0; j <= 8; j++) {          /* reference: Levinson-Durbin in double */
            g[j] = 0;
            for (int i = j; i < 160; i++)
                g[j] += (double)s[i] * s[i - j];
        }
        err = g[0];
        for (int n = 1; n <= 8; n++) {
            double t[9], acc = g[n];
            for (int j = 1; j < n; j++)
                acc += a[j] * g[n - j];
            double rc = -acc / err, d = rc - r[n - 1] / 32768.0;
            for (int j = 1; j < n; j++)
                t[j] = a[j] + rc * a[n - j];
            for (int j = 1; j < n; j++)
                a[j] = t[j];
            a[n] = rc;
            err *= 1 - rc * rc;
            worst = d > worst ? d : -d > worst ? -d : worst;
            sum = sum * 31 + (uint16_t)r[n - 1];
        }
        if (worst > 0.02) {
            printf("frame %d: worst error %f\n", frame, worst);
            return 1;
        }
    }
    if (sum != 305710115u) {
        printf("checksum %u\n", sum);
        return 1;
    }
    printf("ok\n");
    return 0;
}
