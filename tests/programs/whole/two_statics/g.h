/* SPDX-License-Identifier: Apache-2.0 */
int g(int);
