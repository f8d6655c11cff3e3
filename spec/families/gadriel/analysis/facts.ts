/** Runs snippets through the engine and writes down what matchers are told, as short texts for tables. */
import type { AnalyseOptions, AnalyserOptions, CallEvent, Matcher, RawFinding, Value } from '../../../../lib/families/gadriel/domain/analysis/model.types.ts';
import { createAnalyser } from '../../../../lib/families/gadriel/domain/analysis/analyser.ts';
import { flagBit } from '../../../../lib/families/gadriel/domain/analysis/value-bits.ts';
import { hasFlag } from '../../../../lib/families/gadriel/domain/analysis/values.ts';
import type { Flag } from '../../../../lib/families/gadriel/domain/analysis/model.types.ts';
import { parsePython } from '../../../../lib/syntax/python.ts';

/** Runs matchers over a snippet. */
export const run = (source: string, matchers: readonly Matcher[], options: AnalyseOptions = {}, extra: Partial<AnalyserOptions> = {}): { findings: readonly RawFinding[]; incomplete: string | undefined; steps: number } =>
  createAnalyser({ matchers, ...extra }).analyse(parsePython(source), options);

/** `constant 'x'`, `safe`, `unknown`, `tainted`, with the parts of a built text: `tainted 'a'+tainted`. */
export const show = (value: Value | undefined, depth = 0): string => {
  if (value === undefined) return 'absent';
  const level = ['safe', 'unknown', 'tainted'][value.level] ?? '';
  const shape = value.shape;
  if (depth > 3 || shape === undefined) return level;
  switch (shape.type) {
    case 'Constant': return typeof shape.value === 'string' ? `${shape.kind === 'bytes' ? 'b' : ''}'${shape.value}'` : String(shape.value);
    case 'Built': return shape.parts.map((part) => (typeof part === 'string' ? `'${part}'` : show(part, depth + 1))).join('+');
    case 'Sequence': {
      const [open, close] = shape.kind === 'list' ? '[]' : shape.kind === 'tuple' ? '()' : '{}';
      return `${open}${shape.elements.map((each) => show(each, depth + 1)).join(', ')}${shape.open ? ', …' : ''}${close}`;
    }
    case 'Mapping': return `{${[...shape.entries].map(([key, each]) => `${key}: ${show(each, depth + 1)}`).join(', ')}${shape.open ? ', …' : ''}}`;
    default: return `${level} ${shape.type.toLowerCase()}`;
  }
};

/** All calls whose last segment is one of `names`, in order. */
export const callsOf = (source: string, names: readonly string[], options: AnalyseOptions = {}, extra: Partial<AnalyserOptions> = {}): CallEvent[] => {
  const events: CallEvent[] = [];
  run(source, [{ calls: names, onCall: (event) => events.push(event) }], options, extra);
  return events;
};

/** What the last call of `sink(…)` got first: its level and make. */
export const sunk = (source: string, options: AnalyseOptions = {}): string => show(lastSunk(source, options));

/** The value that the last call of `sink(…)` got first. */
export const lastSunk = (source: string, options: AnalyseOptions = {}, extra: Partial<AnalyserOptions> = {}): Value | undefined => {
  let value: Value | undefined;
  run(source, [{ calls: ['sink'], onCall: (event) => { value = event.arg(0); } }], options, extra);
  return value;
};

/** Names of a value's flags. */
export const flagsOf = (value: Value | undefined): string => (Object.keys(flagBit) as Flag[]).filter((flag) => hasFlag(value, flag)).sort().join(' ');
