import { createHash } from 'node:crypto';
import path from 'node:path';
import { safeText } from '../../../../text/safe-text.ts';
import { severities, type Finding, type Severity } from '../finding.types.ts';
import { reportStyle } from './html-style.ts';
import { inSourceTag, type ReportMeta, type WaiverNote } from './report.types.ts';
import { bySeverity, isOpen, summarise, type SeverityCounts, type Summary } from './summary.ts';
import { htmlMark } from './write-report.ts';

/** More would make a page that no browser likes; the page says how many it leaves out. */
const maxShown = 2_000;
const maxFolders = 40;
/** So few of the worst ones are shown open; a wall of text is read by nobody. */
const maxUnfolded = 12;

/**
 * Findings as one page that needs nothing else: severity by folder, each finding with its trace and remedy, what is
 * waived and why. No script, no address of anywhere, all text escaped; the same input gives the same page.
 */
export function toHtml(findings: readonly Finding[], { root, now, waiverOf }: ReportMeta): string {
  const summary = summarise(findings);
  const name = escaped(path.basename(root) || root);
  const sorted = findings.toSorted(bySeverity);
  const waived = sorted.filter((finding) => finding.waived);
  const count = summary.waived.by_waiver + summary.waived.in_source;
  // Only this very style sheet may apply and nothing may load, whatever text a finding brings along.
  const style = createHash('sha256').update(reportStyle).digest('base64');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'">
${htmlMark}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${name}: code security</title>
<style>${reportStyle}</style>
</head>
<body>
<a class="skip" href="#findings">Skip to the findings</a>
<header>
<h1>${name}</h1>
<p class="dim">Code security, as of <time datetime="${new Date(now).toISOString()}">${timeText(now)}</time>: ${plural(summary.open, 'open finding')}, ${count} waived${summary.advisory > 0 ? `, ${summary.advisory} advisory` : ''}</p>
${tiles(summary.by_severity)}
</header>
<main>
<h2>By folder</h2>
${folderTable(summary)}
<h2 id="findings">Findings</h2>
${openGroups(sorted.filter(isOpen))}
${advisory(sorted.filter((finding) => !finding.waived && !isOpen(finding)))}
<h2>Waived, and why</h2>
${waived.length === 0 ? '<p class="none">Nothing is waived.</p>' : limited(waived, (finding) => waivedCard(finding, waiverOf?.(finding), waived.length <= maxUnfolded))}
</main>
<footer>Made by gadriel from .security/findings.json. Silence is no proof: docs/gadriel.md says what is not found.</footer>
</body>
</html>
`;
}

function tiles(counts: SeverityCounts): string {
  const rows = severities.map((severity) =>
    `<label class="tile ${severity}"><b>${counts[severity]}</b> <span>${severity}</span> <input type="checkbox" id="show-${severity}" checked></label>`);
  return `<fieldset class="tiles"><legend>Show</legend>${rows.join('')}</fieldset>`;
}

function folderTable({ by_folder }: Summary): string {
  if (by_folder.length === 0) return '<p class="none">No folder has open findings.</p>';
  const most = Math.max(...by_folder.map(({ count }) => count));
  const rows = by_folder.slice(0, maxFolders).map(({ folder, count, by_severity }) =>
    `<tr><th scope="row"><code>${folder === '.' ? '(root)' : escaped(folder)}</code></th>${
      severities.map((severity) => `<td${by_severity[severity] > 0 ? ` class="${severity}"` : ''}>${by_severity[severity] || ''}</td>`).join('')
    }<td>${count}</td><td class="bar">${bar(by_severity, most)}</td></tr>`);
  const rest = by_folder.length - rows.length;
  const head = [...severities, 'all'].map((word) => `<th scope="col">${word}</th>`).join('');
  return `<div class="scroll" tabindex="0" role="region" aria-label="Findings by folder"><table><thead><tr><th scope="col">Folder</th>${head}<td></td></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>${rest > 0 ? `<p class="dim">and ${plural(rest, 'folder')} more</p>` : ''}`;
}

/** A bar of pieces by severity, as wide as its share of the largest one. Attributes, since the policy allows no inline style. */
function bar(counts: SeverityCounts, most: number): string {
  let x = 0;
  const pieces = severities.filter((severity) => counts[severity] > 0).map((severity) => {
    const width = Math.round((counts[severity] / most) * 1_000) / 10;
    const piece = `<rect class="${severity}" x="${x.toFixed(1)}" width="${width}" height="10"/>`;
    x += width;
    return piece;
  });
  return `<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${pieces.join('')}</svg>`;
}

function openGroups(findings: readonly Finding[]): string {
  if (findings.length === 0) return '<p class="none">No open findings.</p>';
  const shown = findings.slice(0, maxShown);
  const unfolded = findings.filter(({ severity }) => severity === 'critical' || severity === 'high').length <= maxUnfolded;
  const groups = severities.map((severity) => group(severity, shown.filter((finding) => finding.severity === severity), unfolded));
  return groups.join('') + leftOut(findings.length - shown.length);
}

function group(severity: Severity, findings: readonly Finding[], unfolded: boolean): string {
  if (findings.length === 0) return '';
  const open = unfolded && (severity === 'critical' || severity === 'high');
  return `<section class="group-${severity}"><h3 class="${severity}">${severity} (${findings.length})</h3>\n${findings.map((finding) => card(finding, open)).join('\n')}</section>\n`;
}

function advisory(findings: readonly Finding[]): string {
  return findings.length === 0 ? '' : `<h2>Reported by a model alone</h2><p class="dim">Advice: these stop no build.</p>\n${limited(findings, (finding) => card(finding, false))}`;
}

function card(finding: Finding, open: boolean, extra = ''): string {
  const { severity, title, file, line, column, message, remediation, rule_id, cwe, owasp, confidence, confidence_score, finding_id, tags, trace } = finding;
  const facts = [finding_id, cwe, ...owasp, `confidence ${confidence} (${confidence_score})`, ...tags].map(escaped).join(' · ');
  const steps = trace.map((step) => `<li><code>${escaped(`${step.file ?? file}:${step.line}`)}</code> ${escaped(step.note)}</li>`).join('');
  const contest = finding.contested === true ? `<p><b>Contested</b> by a model${finding.contest_rationale === undefined ? '' : `: ${escaped(finding.contest_rationale)}`}</p>` : '';
  return `<details class="${severity}"${open ? ' open' : ''}><summary><b>${escaped(title)}</b> <span class="where"><code>${escaped(`${file}:${line}:${column}`)}</code> ${escaped(rule_id)}</span></summary>
<div class="body">${extra}<p>${escaped(message)}</p>${steps === '' ? '' : `<ol class="trace">${steps}</ol>`}<p class="remedy">${escaped(remediation)}</p>${contest}<p class="facts">${facts}</p></div></details>`;
}

const kindWords: Readonly<Record<string, string>> = {
  false_positive: 'No real issue', accepted_risk: 'Risk accepted', mechanized: 'Waived by a campaign, no fix came out',
};

function waivedCard(finding: Finding, waiver: WaiverNote | undefined, open: boolean): string {
  const inSource = finding.tags.includes(inSourceTag) ? '<p><b>Silenced by a comment in the source.</b></p>' : '';
  if (waiver === undefined) return card(finding, open, inSource || '<p><b>Waived.</b> The waiver is not in the waiver file any more.</p>');
  const facts = [
    waiver.created_by !== undefined && `by ${waiver.created_by}`,
    waiver.created_at !== undefined && `on ${waiver.created_at}`,
    waiver.expires_at !== undefined && `until ${waiver.expires_at}`,
  ].filter((part) => part !== false);
  const kind = kindWords[waiver.kind ?? ''] ?? 'Waived';
  return card(finding, open, `${inSource}<p><b>${kind}:</b> ${escaped(waiver.reason)}</p>${facts.length === 0 ? '' : `<p class="facts">${escaped(facts.join(', '))}</p>`}`);
}

function limited(findings: readonly Finding[], show: (finding: Finding) => string): string {
  return `${findings.slice(0, maxShown).map(show).join('\n')}${leftOut(findings.length - maxShown)}`;
}

const leftOut = (count: number): string => (count > 0 ? `<p class="dim">and ${count} more that are not shown; gadriel code findings lists all</p>` : '');
const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
const timeText = (now: number): string => `${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Text of anybody as text of the page, in elements and in quoted attributes. */
const escaped = (text: string): string => safeText(text).replace(/[&<>"']/g, (character) => entities[character] as string);
