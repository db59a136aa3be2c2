// SPDX-License-Identifier: Apache-2.0
// A round of DES as FIPS 46-3 has it: result = left ^ f(right, key). The standard's bit 1 is the
// highest one. Operands are held in registers, and so is the result: two cycles.
module des_round(
  input             clock,
  input      [31:0] left,
  input      [31:0] right,
  input      [63:0] key,
  output reg [31:0] result
);
  // The selection functions, a row of the standard after the other.
  localparam [0:255] S1 = 256'he4d12fb83a6c5907_0f74e2d1a6cb9538_41e8d62bfc973a50_fc8249175b3ea06d;
  localparam [0:255] S2 = 256'hf18e6b34972dc05a_3d47f28ec01a69b5_0e7ba4d158c6932f_d8a13f42b67c05e9;
  localparam [0:255] S3 = 256'ha09e63f51dc7b428_d709346a285ecbf1_d6498f30b12c5ae7_1ad069874fe3b52c;
  localparam [0:255] S4 = 256'h7de3069a1285bc4f_d8b56f03472c1ae9_a690cb7df13e5284_3f06a1d8945bc72e;
  localparam [0:255] S5 = 256'h2c417ab6853fd0e9_eb2c47d150fa3986_421bad78f9c5630e_b8c71e2d6f09a453;
  localparam [0:255] S6 = 256'hc1af92680d34e75b_af427c9561de0b38_9ef528c3704a1db6_432c95fabe17608d;
  localparam [0:255] S7 = 256'h4b2ef08d3c975a61_d0b7491ae35c2f86_14bdc37eaf680592_6bd814a7950fe23c;
  localparam [0:255] S8 = 256'hd2846fb1a93e50c7_1fd8a374c56b0e92_7b419ce206adf358_21e74a8dfc90356b;

  // The first and the last bit of six choose the row, those between them the column.
  function [7:0] place(input [5:0] bits);
    place = {2'b00, bits[5], bits[0], bits[4:1]};
  endfunction

  reg [31:0] l, r;
  reg [47:0] k;

  wire [47:0] x = k ^ {
    r[0], r[31], r[30], r[29], r[28], r[27],
    r[28], r[27], r[26], r[25], r[24], r[23],
    r[24], r[23], r[22], r[21], r[20], r[19],
    r[20], r[19], r[18], r[17], r[16], r[15],
    r[16], r[15], r[14], r[13], r[12], r[11],
    r[12], r[11], r[10], r[9], r[8], r[7],
    r[8], r[7], r[6], r[5], r[4], r[3],
    r[4], r[3], r[2], r[1], r[0], r[31]
  };
  wire [31:0] s = {
    S1[4 * place(x[47:42]) +: 4],
    S2[4 * place(x[41:36]) +: 4],
    S3[4 * place(x[35:30]) +: 4],
    S4[4 * place(x[29:24]) +: 4],
    S5[4 * place(x[23:18]) +: 4],
    S6[4 * place(x[17:12]) +: 4],
    S7[4 * place(x[11:6]) +: 4],
    S8[4 * place(x[5:0]) +: 4]
  };
  wire [31:0] f = {
    s[16], s[25], s[12], s[11], s[3], s[20], s[4], s[15],
    s[31], s[17], s[9], s[6], s[27], s[14], s[1], s[22],
    s[30], s[24], s[8], s[18], s[0], s[5], s[29], s[23],
    s[13], s[19], s[2], s[26], s[10], s[21], s[28], s[7]
  };

  always @(posedge clock) begin
    l <= left;
    r <= right;
    k <= key[47:0];
    result <= l ^ f;
  end
endmodule
