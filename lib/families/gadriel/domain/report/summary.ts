import { severities, type Finding, type Severity } from '../finding.types.ts';
import { historyTag, inSourceTag } from './report.types.ts';

/** How many findings of each severity; every severity is there. */
export type SeverityCounts = Readonly<Record<Severity, number>>;

/** Findings in numbers. Waived ones and those that a model reports alone are counted apart: they stop no build. */
export type Summary = {
  /** What counts at a gate. */
  readonly open: number;
  readonly by_severity: SeverityCounts;
  /** Folders by their most severe findings; folders below the second level count for it. */
  readonly by_folder: readonly { readonly folder: string; readonly count: number; readonly by_severity: SeverityCounts }[];
  /** Rules by their number of findings, each with the title and severity of its worst. */
  readonly by_rule: readonly { readonly rule_id: string; readonly title: string; readonly severity: Severity; readonly count: number }[];
  readonly by_scan_type: Readonly<Record<string, number>>;
  readonly waived: { readonly in_source: number; readonly by_waiver: number };
  /** Reported by a model alone. */
  readonly advisory: number;
  readonly contested: number;
  /** Open ones that stand in no file any more, only in commits: `code scan --history` alone tells them. */
  readonly history: number;
};

/** Whether a finding counts at a gate. */
export const isOpen = ({ waived, source }: Finding): boolean => !waived && source !== 'ai';

/** Counts findings by severity, folder, rule and kind of scan. */
export function summarise(findings: readonly Finding[]): Summary {
  const open = findings.filter(isOpen);
  const waived = findings.filter((finding) => finding.waived);
  const inSource = waived.filter(({ tags }) => tags.includes(inSourceTag)).length;
  const folders = [...groupBy(open, ({ file }) => folderOf(file))].map(([folder, own]) => ({ folder, count: own.length, by_severity: countSeverities(own) }));
  const rules = [...groupBy(open, ({ rule_id }) => rule_id)].map(([rule_id, own]) => {
    const [{ title, severity }] = own.toSorted(bySeverity) as [Finding];
    return { rule_id, title, severity, count: own.length };
  });
  const scans = [...groupBy(open, ({ scan_type }) => scan_type)].map(([type, own]) => [type, own.length] as const);
  return {
    open: open.length,
    by_severity: countSeverities(open),
    by_folder: folders.sort((a, b) => compareCounts(a.by_severity, b.by_severity) || compare(a.folder, b.folder)),
    by_rule: rules.sort((a, b) => b.count - a.count || compare(a.rule_id, b.rule_id)),
    by_scan_type: Object.fromEntries(scans.sort(([a], [b]) => compare(a, b))),
    waived: { in_source: inSource, by_waiver: waived.length - inSource },
    advisory: findings.filter(({ waived: one, source }) => !one && source === 'ai').length,
    contested: open.filter(({ contested }) => contested === true).length,
    history: open.filter(({ tags }) => tags.includes(historyTag)).length,
  };
}

/** The most severe first, then by path, line and rule. */
export function bySeverity(a: Finding, b: Finding): number {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity) || compare(a.file, b.file) || a.line - b.line || compare(a.rule_id, b.rule_id);
}

/** The folder of a file, cut to two levels; `.` for the root itself. */
function folderOf(file: string): string {
  return file.split('/').slice(0, -1).slice(0, 2).join('/') || '.';
}

function countSeverities(findings: readonly Finding[]): SeverityCounts {
  const counts: Record<Severity, number> = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const { severity } of findings) counts[severity]++;
  return counts;
}

/** More critical ones first, then more high ones, and so on. */
function compareCounts(a: SeverityCounts, b: SeverityCounts): number {
  const differing = severities.find((severity) => a[severity] !== b[severity]);
  return differing === undefined ? 0 : b[differing] - a[differing];
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
