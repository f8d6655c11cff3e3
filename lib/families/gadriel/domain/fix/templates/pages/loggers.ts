import type { PyExpr } from '../../../../../../syntax/python.types.ts';
import type { PythonCode } from '../code/python-code.ts';
import { namesBoundBy, rootOf } from '../code/scopes.ts';

/** What makes a logger of the standard library, or is one: those format by `%`, others by `{}`. */
const standard = /^(?:logging(?:\.getLogger\(\)|\.LoggerAdapter\(\))?|flask\.(?:Flask\(\)|current_app)\.logger)$/;

/** Whether what a method is called on surely is a logger of the standard library: by its import, or by all that its name is assigned. */
export function isStandardLogger(code: PythonCode, logger: PyExpr): boolean {
  const root = rootOf(logger) ?? '';
  // A parameter of the name may be any logger.
  if (standard.test(code.originOf(logger) ?? '')) return code.imports.has(root) || code.nodes().every((node) => node.type === 'Assign' || !namesBoundBy(node).includes(root));
  if (logger.type !== 'Attribute') return false;
  const source = code.source(logger);
  const assigned = code.nodes().flatMap((node) => (node.type === 'Assign' && node.targets.some((target) => code.source(target) === source) ? [node.value] : []));
  return assigned.length > 0 && assigned.every((value) => standard.test(code.originOf(value) ?? ''));
}
