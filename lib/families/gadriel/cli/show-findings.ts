import type { Colours } from '../../../terminal/colour.ts';
import { suggestion } from '../../../terminal/nearest.ts';
import { UsageError } from '../../../terminal/usage-error.ts';
import { safeText } from '../../../text/safe-text.ts';
import { severities, type Finding, type Severity } from '../domain/finding.types.ts';

/** A finding as people read it: place, severity, rule, what it is, how the value got there, what to do. Ends with an empty line. */
export function describeFinding(finding: Finding, colours: Colours): string {
  const place = safeText(`${finding.file}:${finding.line}:${finding.column}`);
  const head = `${colours.bold(place)}  ${paintOf(finding.severity, colours)(finding.severity)}  ${safeText(finding.rule_id)}  ${safeText(finding.cwe)}`;
  const trace = finding.trace.map(({ line, note, file }) => {
    const where = file === undefined ? `line ${line}` : `${safeText(file)}:${line}`;
    return colours.dim(`    ${where}: ${safeText(note)}`);
  });
  return [head, `  ${safeText(finding.message)}`, ...trace, `  ${colours.dim(`fix: ${safeText(finding.remediation)}`)}`, ''].join('\n');
}

/** The colour of a severity. */
export function paintOf(severity: Severity, colours: Colours): (text: string) => string {
  const paint: Readonly<Record<Severity, (text: string) => string>> = {
    critical: colours.red, high: colours.red, medium: colours.yellow, low: colours.cyan, info: colours.dim,
  };
  return paint[severity];
}

/** The value of `--severity`, high when it is not given; throws a UsageError that names the nearest word. */
export function severityOf(given: string | undefined, help: string): Severity {
  const severity = severities.find((one) => one === (given ?? 'high'));
  if (severity === undefined) throw new UsageError(`--severity needs one of ${severities.join(', ')}${suggestion(given ?? '', severities)}`, { help });
  return severity;
}

/** Whether a finding that is not waived is at the threshold or above it. */
export function reaches(findings: readonly Finding[], threshold: Severity): boolean {
  const gate = severities.indexOf(threshold);
  return findings.some((finding) => !finding.waived && finding.source !== 'ai' && severities.indexOf(finding.severity) <= gate);
}
