# SPDX-License-Identifier: Apache-2.0
"""The operations, a file a group of them: every module in here is read, and what it defines is an
operation of the IR."""

from importlib import import_module
from pkgutil import iter_modules

from tandem.ir.ops.calls import MACRO_CORE as MACRO_CORE
from tandem.ir.ops.calls import MacroOp as MacroOp
from tandem.ir.ops.calls import ResultOp as ResultOp
from tandem.ir.ops.compare import OPPOSITE as OPPOSITE
from tandem.ir.ops.compare import SIGNED as SIGNED
from tandem.ir.ops.compare import STRICT as STRICT
from tandem.ir.ops.compare import UNSIGNED as UNSIGNED
from tandem.ir.ops.compare import Compare as Compare
from tandem.ir.ops.compare import Eq as Eq
from tandem.ir.ops.compare import Equality as Equality
from tandem.ir.ops.compare import Ne as Ne
from tandem.ir.ops.compare import SLe as SLe
from tandem.ir.ops.compare import SLt as SLt
from tandem.ir.ops.compare import ULe as ULe
from tandem.ir.ops.compare import ULt as ULt
from tandem.ir.ops.division import Divide as Divide
from tandem.ir.ops.division import Division as Division
from tandem.ir.ops.division import SDiv as SDiv
from tandem.ir.ops.division import SRem as SRem
from tandem.ir.ops.division import UDiv as UDiv
from tandem.ir.ops.division import URem as URem
from tandem.ir.ops.floats import FloatOp as FloatOp
from tandem.ir.ops.logic import And as And
from tandem.ir.ops.logic import Logic as Logic
from tandem.ir.ops.logic import Or as Or
from tandem.ir.ops.logic import Select as Select
from tandem.ir.ops.logic import Xor as Xor
from tandem.ir.ops.memory import Access as Access
from tandem.ir.ops.memory import Load as Load
from tandem.ir.ops.memory import Rom as Rom
from tandem.ir.ops.memory import Store as Store
from tandem.ir.ops.op import MAX_WIDTH_BITS as MAX_WIDTH_BITS
from tandem.ir.ops.op import OPERATIONS as OPERATIONS
from tandem.ir.ops.op import Evaluate as Evaluate
from tandem.ir.ops.op import Op as Op
from tandem.ir.ops.op import Range as Range
from tandem.ir.ops.op import joined as joined
from tandem.ir.ops.op import mask as mask
from tandem.ir.ops.op import signed as signed
from tandem.ir.ops.products import Mul as Mul
from tandem.ir.ops.shifts import AShr as AShr
from tandem.ir.ops.shifts import LShr as LShr
from tandem.ir.ops.shifts import Shift as Shift
from tandem.ir.ops.shifts import Shl as Shl
from tandem.ir.ops.streams import GIVING as GIVING
from tandem.ir.ops.streams import Has as Has
from tandem.ir.ops.streams import Peek as Peek
from tandem.ir.ops.streams import Poll as Poll
from tandem.ir.ops.streams import Pop as Pop
from tandem.ir.ops.streams import Push as Push
from tandem.ir.ops.streams import Room as Room
from tandem.ir.ops.streams import StreamOp as StreamOp
from tandem.ir.ops.streams import Take as Take
from tandem.ir.ops.sums import Add as Add
from tandem.ir.ops.sums import Sub as Sub
from tandem.ir.ops.sums import Sum as Sum
from tandem.ir.ops.values import WIRING as WIRING
from tandem.ir.ops.values import ArgumentOp as ArgumentOp
from tandem.ir.ops.values import Concat as Concat
from tandem.ir.ops.values import Constant as Constant
from tandem.ir.ops.values import Extract as Extract
from tandem.ir.ops.values import Parameter as Parameter
from tandem.ir.ops.values import are_same as are_same
from tandem.ir.ops.values import computed as computed
from tandem.ir.ops.values import constant as constant
from tandem.ir.ops.values import is_computable as is_computable
from tandem.ir.ops.values import is_same as is_same
from tandem.ir.ops.values import parameter_like as parameter_like

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
