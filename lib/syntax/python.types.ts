/**
 * The typed tree that `parsePython` makes of a Python module.
 *
 * Node names and fields follow CPython's `ast` module where it has a twin. Offsets are UTF-16 code units into
 * `PyModule.text`, `end` exclusive. The tree is tolerant: text that is no valid Python becomes `ErrorStmt` or
 * `ErrorExpr`, which keep every expression that could be recognised inside.
 *
 * A tree is at most 300 levels deep in all, so that it may be walked by recursion (the parts of nested
 * f-strings counted apart). A chain of operators, attributes or calls that runs deeper than 240 levels is an
 * `ErrorExpr` with its operands side by side as children; more than 64 terms joined by `+` are a balanced tree of BinOps;
 * of more than 100 `elif` arms the further ones follow one another in the last `orelse`; what is nested still deeper in
 * brackets or blocks is an `ErrorExpr` or `ErrorStmt` without children.
 */
export type PySpan = { readonly start: number; readonly end: number };

export type PyModule = {
  readonly text: string;
  readonly body: readonly PyStmt[];
  /** Comments in order, `#` included. */
  readonly comments: readonly PyComment[];
  /** How many places the grammar could not make sense of. */
  readonly errorCount: number;
  /** Where reading ended because what follows is hopelessly unlike Python; undefined where it did not. */
  readonly unreadFrom?: number | undefined;
  /** Where code is nested more deeply than is read, the first such place; undefined if none is. */
  readonly tooDeepAt?: number | undefined;
  /** 1-based line of an offset. */
  lineAt(offset: number): number;
  /** 1-based column of an offset, in UTF-16 code units. */
  columnAt(offset: number): number;
};

export type PyComment = PySpan & { readonly text: string };

export type PyExpr =
  | PyName | PyConstant | PyJoinedStr | PyAttribute | PySubscript | PySlice | PyCall | PyBinOp | PyBoolOp | PyUnaryOp
  | PyCompare | PyIfExp | PyLambda | PyList | PyTuple | PySet | PyDict | PyComprehension | PyAwait | PyYield
  | PyStarred | PyNamedExpr | PyErrorExpr;

export type PyName = PySpan & { readonly type: 'Name'; readonly id: string };
/** A literal. Adjacent plain string literals are joined into one; bytes carry latin-1 text. */
export type PyConstant = PySpan & { readonly type: 'Constant' } & (
  | { readonly kind: 'str' | 'bytes'; readonly value: string }
  /** `text` is the literal as written; `value` is NaN for complex numbers. */
  | { readonly kind: 'int' | 'float' | 'complex'; readonly value: number; readonly text: string }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'none' | 'ellipsis'; readonly value: null }
);
/** An f-string, or adjacent literals of which at least one is an f-string. */
export type PyJoinedStr = PySpan & { readonly type: 'JoinedStr'; readonly parts: readonly PyStringPart[] };
export type PyStringPart =
  | { readonly type: 'Text'; readonly value: string }
  /** `{value!conversion:spec}`; `conversion` is `r`, `s`, `a` or empty. */
  | { readonly type: 'Formatted'; readonly value: PyExpr; readonly conversion: string; readonly spec: readonly PyStringPart[] };
export type PyAttribute = PySpan & { readonly type: 'Attribute'; readonly value: PyExpr; readonly attr: string };
export type PySubscript = PySpan & { readonly type: 'Subscript'; readonly value: PyExpr; readonly index: PyExpr };
export type PySlice = PySpan & { readonly type: 'Slice'; readonly parts: readonly PyExpr[] };
export type PyCall = PySpan & { readonly type: 'Call'; readonly func: PyExpr; readonly args: readonly PyArgument[] };
export type PyArgument =
  | { readonly kind: 'positional' | 'star' | 'doublestar'; readonly value: PyExpr }
  | { readonly kind: 'keyword'; readonly name: string; readonly value: PyExpr };
/** `op` as written: `+ - * / // % ** @ << >> & | ^`. */
export type PyBinOp = PySpan & { readonly type: 'BinOp'; readonly op: string; readonly left: PyExpr; readonly right: PyExpr };
export type PyBoolOp = PySpan & { readonly type: 'BoolOp'; readonly op: 'and' | 'or'; readonly values: readonly PyExpr[] };
export type PyUnaryOp = PySpan & { readonly type: 'UnaryOp'; readonly op: 'not' | '-' | '+' | '~'; readonly operand: PyExpr };
/** `ops` as written: `== != < > <= >= in`, `not in`, `is`, `is not`. */
export type PyCompare = PySpan & { readonly type: 'Compare'; readonly left: PyExpr; readonly ops: readonly string[]; readonly comparators: readonly PyExpr[] };
export type PyIfExp = PySpan & { readonly type: 'IfExp'; readonly test: PyExpr; readonly body: PyExpr; readonly orelse: PyExpr };
export type PyLambda = PySpan & { readonly type: 'Lambda'; readonly params: readonly PyParam[]; readonly body: PyExpr };
export type PyList = PySpan & { readonly type: 'List'; readonly elements: readonly PyExpr[] };
export type PyTuple = PySpan & { readonly type: 'Tuple'; readonly elements: readonly PyExpr[] };
export type PySet = PySpan & { readonly type: 'Set'; readonly elements: readonly PyExpr[] };
/** An entry without `key` is `**value`. */
export type PyDict = PySpan & { readonly type: 'Dict'; readonly entries: readonly { readonly key?: PyExpr; readonly value: PyExpr }[] };
export type PyComprehension = PySpan & {
  readonly type: 'Comprehension';
  readonly kind: 'list' | 'set' | 'dict' | 'generator';
  /** The element; of a dict comprehension its key. */
  readonly element: PyExpr;
  readonly value?: PyExpr;
  readonly clauses: readonly { readonly target: PyExpr; readonly iter: PyExpr; readonly conditions: readonly PyExpr[] }[];
};
export type PyAwait = PySpan & { readonly type: 'Await'; readonly value: PyExpr };
export type PyYield = PySpan & { readonly type: 'Yield'; readonly value?: PyExpr; readonly from: boolean };
export type PyStarred = PySpan & { readonly type: 'Starred'; readonly value: PyExpr };
export type PyNamedExpr = PySpan & { readonly type: 'NamedExpr'; readonly target: PyExpr; readonly value: PyExpr };
/** Text that is no expression; `children` are the expressions recognised in it. */
export type PyErrorExpr = PySpan & { readonly type: 'ErrorExpr'; readonly children: readonly PyExpr[] };

export type PyParam = PySpan & {
  readonly name: string;
  readonly kind: 'positional' | 'keyword' | 'star' | 'doublestar';
  readonly annotation?: PyExpr;
  readonly default?: PyExpr;
};

export type PyStmt =
  | PyExprStmt | PyAssign | PyAugAssign | PyAnnAssign | PyReturn | PyRaise | PyAssert | PyDelete | PyScopeStmt | PySimpleStmt
  | PyImport | PyImportFrom | PyIf | PyWhile | PyFor | PyWith | PyTry | PyMatch | PyFunctionDef | PyClassDef | PyTypeAlias
  | PyErrorStmt;

export type PyExprStmt = PySpan & { readonly type: 'Expr'; readonly value: PyExpr };
export type PyAssign = PySpan & { readonly type: 'Assign'; readonly targets: readonly PyExpr[]; readonly value: PyExpr };
/** `op` without the equals sign. */
export type PyAugAssign = PySpan & { readonly type: 'AugAssign'; readonly target: PyExpr; readonly op: string; readonly value: PyExpr };
export type PyAnnAssign = PySpan & { readonly type: 'AnnAssign'; readonly target: PyExpr; readonly annotation: PyExpr; readonly value?: PyExpr };
export type PyReturn = PySpan & { readonly type: 'Return'; readonly value?: PyExpr };
export type PyRaise = PySpan & { readonly type: 'Raise'; readonly exc?: PyExpr; readonly cause?: PyExpr };
export type PyAssert = PySpan & { readonly type: 'Assert'; readonly test: PyExpr; readonly message?: PyExpr };
export type PyDelete = PySpan & { readonly type: 'Delete'; readonly targets: readonly PyExpr[] };
export type PyScopeStmt = PySpan & { readonly type: 'Global' | 'Nonlocal'; readonly names: readonly string[] };
export type PySimpleStmt = PySpan & { readonly type: 'Pass' | 'Break' | 'Continue' };
export type PyAlias = { readonly name: string; readonly asName?: string };
export type PyImport = PySpan & { readonly type: 'Import'; readonly names: readonly PyAlias[] };
/** `level` counts leading dots; `names` is `[{ name: '*' }]` for a star import. */
export type PyImportFrom = PySpan & { readonly type: 'ImportFrom'; readonly module: string; readonly level: number; readonly names: readonly PyAlias[] };
/** `elif` is a single `If` in `orelse`. */
export type PyIf = PySpan & { readonly type: 'If'; readonly test: PyExpr; readonly body: readonly PyStmt[]; readonly orelse: readonly PyStmt[] };
export type PyWhile = PySpan & { readonly type: 'While'; readonly test: PyExpr; readonly body: readonly PyStmt[]; readonly orelse: readonly PyStmt[] };
export type PyFor = PySpan & { readonly type: 'For'; readonly target: PyExpr; readonly iter: PyExpr; readonly body: readonly PyStmt[]; readonly orelse: readonly PyStmt[]; readonly async: boolean };
export type PyWith = PySpan & { readonly type: 'With'; readonly items: readonly { readonly context: PyExpr; readonly target?: PyExpr }[]; readonly body: readonly PyStmt[]; readonly async: boolean };
export type PyTry = PySpan & {
  readonly type: 'Try';
  readonly body: readonly PyStmt[];
  readonly handlers: readonly { readonly exception?: PyExpr; readonly name?: string; readonly body: readonly PyStmt[] }[];
  readonly orelse: readonly PyStmt[];
  readonly finalbody: readonly PyStmt[];
};
/** Patterns are kept as the names they bind and the expressions they compare with. */
export type PyMatch = PySpan & {
  readonly type: 'Match';
  readonly subject: PyExpr;
  readonly cases: readonly { readonly binds: readonly string[]; readonly values: readonly PyExpr[]; readonly guard?: PyExpr; readonly body: readonly PyStmt[] }[];
};
export type PyFunctionDef = PySpan & {
  readonly type: 'FunctionDef';
  readonly name: string;
  readonly params: readonly PyParam[];
  readonly decorators: readonly PyExpr[];
  readonly returns?: PyExpr;
  readonly body: readonly PyStmt[];
  readonly async: boolean;
};
export type PyClassDef = PySpan & { readonly type: 'ClassDef'; readonly name: string; readonly bases: readonly PyArgument[]; readonly decorators: readonly PyExpr[]; readonly body: readonly PyStmt[] };
export type PyTypeAlias = PySpan & { readonly type: 'TypeAlias'; readonly name: string; readonly value: PyExpr };
/** Text that is no statement (Python 2, half-typed code); `children` are the expressions recognised in it. */
export type PyErrorStmt = PySpan & { readonly type: 'ErrorStmt'; readonly children: readonly PyExpr[] };
