/** `:` and eight hex digits, behind the rule id in a finding's id. */
const uidTail = /.:[0-9a-f]{8}$/i;

/** Whether an id is that of a finding, `<rule id>:<8 hex digits>`. */
export const isUid = (id: string): boolean => uidTail.test(id);

/** The rule that an id names: all of it, or of a finding's id the part before the hash. */
export const ruleOf = (id: string): string => (isUid(id) ? id.slice(0, -9) : id);

/**
 * What people may mean by the id of a rule, or of a finding: the id itself, the same in upper case, and with `CODE-W1-` or
 * `CODE-W2-` before it; the first that exists is meant. Reports and comments in sources leave the prefix out.
 */
export function ruleIdSpellings(id: string): readonly string[] {
  const rule = ruleOf(id);
  const tail = id.slice(rule.length).toLowerCase();
  const upper = rule.toUpperCase();
  const prefixed = upper.startsWith('CODE-') ? [] : [`CODE-W1-${upper}${tail}`, `CODE-W2-${upper}${tail}`];
  return [...new Set([id, `${upper}${tail}`, ...prefixed])];
}
