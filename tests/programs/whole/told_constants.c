/* SPDX-License-Identifier: Apache-2.0 */
/* offload: judge */
/* offload: size */
/* served: 4 */
/* served: 4 */
/* the caller is given the addresses of texts and tables that only this file has, and reads them */
#include <stdio.h>
struct verdict { const char *text; const short *row; int grade; };
static const short even[4] = {1, 2, 3, 4}, odd[6] = {9, 8, 7, 6, 5, 4};
int judge(struct verdict *v, const unsigned char *marks, int n)
{
    int bad = 0, all = 0;
    for (int i = 0; i < n; i++) {
        if (marks[i] > 200) { v->text = "too large"; v->grade = 3; bad++; }
        else if (marks[i] < 3) { v->text = "too small"; v->grade = 2; bad++; }
        v->row = marks[i] & 1 ? odd + 2 : even;
        all += even[marks[i] & 3] - odd[marks[i] % 6];
    }
    return bad * 100 + all;
}
const char *size(int n) { return n > 3 ? "many" : n ? "some" : 0; }
int main(void)
{
    unsigned char marks[20];
    for (int k = 0; k < 4; k++) {
        struct verdict v = {"none", 0, 0};
        for (int i = 0; i < 20; i++) marks[i] = (unsigned char)(i * k * 5 + k);
        int n = judge(&v, marks, 4 + 5 * k);
        const char *text = size(k * 2);
        printf("%d %s %d %d %s\n", n, v.text, v.grade, v.row[1], text ? text : "-");
    }
    return 0;
}
