// SPDX-License-Identifier: Apache-2.0
module twice(input clock, input [31:0] a, output reg [31:0] result);
  reg [31:0] held;
  always @(posedge clock) begin
    held <= a;
    result <= held << 1;
  end
endmodule
