/* SPDX-License-Identifier: Apache-2.0 */
float top(float a)
{
    return a * 2;
}
