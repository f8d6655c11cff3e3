/** Collects reports: one finding a rule and place, however often loops and calls came by. */
import type { PySpan } from '../../../../syntax/python.types.ts';
import type { Confidence, ModuleInfo, RawFinding, Report, Severity, TraceStep } from './model.types.ts';

const severities: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical'];
const confidences: readonly Confidence[] = ['low', 'medium', 'high'];

/** Of equal rule and start the report with the worse value, then severity, then confidence stays; else the first. */
export class Findings {
  private readonly byPlace = new Map<string, RawFinding>();
  private readonly module: ModuleInfo;

  constructor(module: ModuleInfo) {
    this.module = module;
  }

  add(report: Report, span: PySpan): void {
    const at = report.at ?? span;
    const key = `${report.ruleId}:${at.start}`;
    const finding: RawFinding = {
      ruleId: report.ruleId, start: at.start, end: at.end,
      level: report.value?.level ?? 0,
      message: report.message, severity: report.severity, confidence: report.confidence, cwe: report.cwe,
      tags: report.tags ?? [], trace: this.traceOf(report.value?.trace),
    };
    const old = this.byPlace.get(key);
    if (old === undefined || rank(finding) > rank(old)) this.byPlace.set(key, finding);
  }

  sorted(): readonly RawFinding[] {
    return [...this.byPlace.values()].sort((a, b) => a.start - b.start || (a.ruleId < b.ruleId ? -1 : 1));
  }

  private traceOf(step: TraceStep | undefined): RawFinding['trace'] {
    const steps: RawFinding['trace'][number][] = [];
    for (let at = step; at !== undefined; at = at.previous) {
      const place = { offset: at.offset, line: at.module.module.lineAt(at.offset), note: at.note };
      steps.push(at.module === this.module ? place : { ...place, path: at.module.path });
    }
    return steps.reverse();
  }
}

const rank = (finding: RawFinding): number =>
  finding.level * 100 + (finding.severity === undefined ? 5 : severities.indexOf(finding.severity)) * 10
  + (finding.confidence === undefined ? 5 : confidences.indexOf(finding.confidence));
