/**
 * Qualified names as a trie: every path is one node, so that resolving `os.path.join` is three map look-ups without making
 * a string, and what the tables say of a name is looked up once in the life of an analyser.
 */
import type { PyConstant } from '../../../../syntax/python.types.ts';
import type { AnalyserOptions, AnalyserTables, QualifiedName, SanitizerRow, SourceRow, Value } from './model.types.ts';
import { makeValue, SAFE, UNKNOWN } from './make-value.ts';
import { canonicalNames, knownRoots, namedNumbers, namedResults, resultEffects, resultPrefixes } from './name-tables.ts';
import { OwnNames } from './own-names.ts';
import { clearBit, flagBit } from './value-bits.ts';

/**
 * How a call's result follows from what goes in: `pass` takes over the taint of receiver and arguments, `safe` is safe,
 * `opaque` (the rest) falls from tainted to unknown.
 */
export type Effect = 'pass' | 'safe' | 'opaque';

export type NameNode = QualifiedName & {
  readonly parent: NameNode | undefined;
  readonly children: Map<string, NameNode>;
  /** The thing itself where no flow is involved: a module, class, function or constant of a library. */
  readonly value: Value;
  readonly source: SourceRow | undefined;
  readonly sourceFlags: number;
  /** Bits that calling this clears in its result. */
  readonly clears: number;
  readonly effect: Effect;
  /** Its members are what a request brings. */
  readonly holdsRequest: boolean;
  /** The root is a library the tables know. */
  readonly known: boolean;
  /** The path goes through a call or an element: what it names differs from run to run. */
  readonly dynamic: boolean;
  readonly depth: number;
};

const maximumDepth = 24;

const maximumNodes = 200_000;

/** The module of `from .. import x`. */
const onlyDots = /^\.+$/;

const upperCase = /^[A-Z][A-Z0-9_]+$/;

/** Nodes by path for one analyser; `prune` forgets them when a long run has collected too many. */
export class NameTable {
  private roots = new Map<string, NameNode>();
  private size = 0;
  private readonly sources = new Map<string, SourceRow>();
  private readonly sanitizers = new Map<string, number>();
  /** Names that are added to the built-in tables. */
  readonly own: OwnNames;
  /** Things whose members are what a request brings: `flask.request`. */
  private readonly holders = new Set<string>();

  constructor(tables: AnalyserTables, extra: NonNullable<AnalyserOptions['extra']> = {}) {
    const [sources, sanitizers] = [extra.sources ?? [], extra.sanitizers ?? []];
    for (const row of [...tables.sources, ...sources]) {
      this.sources.set(row.name, row);
      if (row.flags.includes('request')) this.holders.add(row.name.slice(0, Math.max(0, row.name.lastIndexOf('.'))));
    }
    for (const row of [...tables.sanitizers, ...sanitizers]) this.sanitizers.set(row.name, this.bitsOf(row) | (this.sanitizers.get(row.name) ?? 0));
    this.own = new OwnNames([...sources, ...sanitizers].map((row) => row.name), extra.sinks ?? []);
  }

  /** Forgets all nodes when there are too many, and says so. Between modules only: values of a running analysis hold nodes. */
  prune(): boolean {
    if (this.size < maximumNodes) return false;
    this.roots = new Map();
    this.size = 0;
    return true;
  }

  /** A module or builtin. */
  top(name: string): NameNode {
    return this.roots.get(name) ?? this.add(undefined, this.roots, name, name);
  }

  /** `parent.attr`; undefined when the path gets too long to mean anything. */
  child(parent: NameNode, attr: string): NameNode | undefined {
    const known = parent.children.get(attr);
    if (known !== undefined) return known;
    return parent.depth >= maximumDepth ? undefined
      : this.add(parent, parent.children, attr, onlyDots.test(parent.path) ? parent.path + attr : `${parent.path}.${attr}`);
  }

  /** The result of calling `node`. */
  result(node: NameNode): NameNode | undefined {
    return node.children.get('()') ?? this.suffix(node, '()');
  }

  /** An element of `node`. An element of a library's class (`list[int]`, `Queue[str]`) is written on types only. */
  item(node: NameNode): NameNode | undefined {
    return node.children.get('[]') ?? this.suffix(node, '[]');
  }

  /** The node of a dotted path such as `sqlite3.connect().cursor`. */
  resolve(path: string): NameNode | undefined {
    let node: NameNode | undefined;
    // A relative import keeps its dots in the first segment.
    const dots = /^\.*/.exec(path)?.[0].length ?? 0;
    for (const segment of path.slice(dots).split('.')) {
      const base = /^[^()[\]]*/.exec(segment)?.[0] ?? '';
      node = node === undefined ? this.top(path.slice(0, dots) + base) : this.child(node, base);
      for (let at = base.length; at < segment.length && node !== undefined; at += 2) {
        node = segment[at] === '(' ? this.result(node) : this.item(node);
      }
      if (node === undefined) return undefined;
    }
    return node;
  }

  private suffix(node: NameNode, brackets: string): NameNode | undefined {
    return node.depth >= maximumDepth ? undefined : this.add(node, node.children, brackets, node.path + brackets);
  }

  private add(parent: NameNode | undefined, siblings: Map<string, NameNode>, key: string, path: string): NameNode {
    const canonical = canonicalNames.get(path) ?? (key === '()' ? namedResults.get(path) : key === 'request' ? viewRequest(path) : undefined);
    if (canonical !== undefined && canonical !== path) {
      const target = this.resolve(canonical);
      if (target !== undefined) {
        siblings.set(key, target);
        return target;
      }
    }
    const source = this.sources.get(path);
    const brackets = key === '()' || key === '[]';
    const root = parent?.root ?? path;
    const known = parent?.known ?? knownRoots.has(root);
    const dynamic = brackets || (parent?.dynamic ?? false);
    const level = dynamic || !known && !upperCase.test(key) ? UNKNOWN : SAFE;
    const number = namedNumbers.get(path);
    const shape: PyConstant | undefined = number === undefined
      ? undefined : { type: 'Constant', kind: 'int', value: number, text: String(number), start: 0, end: 0 };
    const node: { -readonly [K in keyof NameNode]: NameNode[K] } = {
      path, root, known, dynamic, parent,
      last: brackets ? parent?.last ?? '' : key,
      children: new Map(),
      value: makeValue(level, 0, 0, undefined, undefined, undefined),
      source,
      sourceFlags: source === undefined ? 0 : source.flags.reduce((bits, flag) => bits | flagBit[flag], 0),
      clears: this.sanitizers.get(path) ?? 0,
      holdsRequest: this.holders.has(path),
      effect: effectOf(path),
      depth: parent === undefined ? 1 : parent.depth + 1,
    };
    node.value = makeValue(level, 0, 0, node, shape, undefined);
    siblings.set(key, node);
    this.size += 1;
    return node;
  }

  private bitsOf(row: SanitizerRow): number {
    return row.clears.reduce((bits, kind) => bits | clearBit[kind], 0);
  }
}

/** `self.request` in a class-based view. */
const viewRequest = (path: string): string | undefined =>
  /^(?:django\.views\.|django\.contrib\.|rest_framework\.).*\(\)\.request$/.test(path) ? 'django.http.HttpRequest()'
    : path === 'aiohttp.web.View().request' ? 'aiohttp.web.Request()' : undefined;

const effectOf = (path: string): Effect => {
  const exact = resultEffects.get(path);
  if (exact !== undefined) return exact;
  for (const [prefix, effect] of resultPrefixes) if (path.startsWith(prefix)) return effect;
  return 'opaque';
};

/** The name node of a value: values of this engine always carry nodes. */
export const nodeOf = (name: QualifiedName | undefined): NameNode | undefined => name as NameNode | undefined;
