import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import { toHtml } from '../../../../lib/families/gadriel/domain/report/html.ts';
import type { ReportMeta } from '../../../../lib/families/gadriel/domain/report/report.types.ts';
import { makeFinding } from '../support/finding.ts';

const meta: ReportMeta = { root: '/srv/acme-api', now: Date.UTC(2026, 0, 2, 3, 4) };
const pageOf = (findings: readonly Finding[], more: Partial<ReportMeta> = {}): string => toHtml(findings, { ...meta, ...more });
const voidTags = new Set(['meta', 'input', 'rect']);

/** The elements of a page as a reader that trusts nothing sees them; throws where they are not well nested. */
function tagsOf(page: string): string[] {
  const [, body = ''] = /^<!doctype html>\n([^]*)$/.exec(page.replace(/<style>[^]*?<\/style>/, '<style></style>')) ?? [];
  const open: string[] = [];
  const seen: string[] = [];
  for (const [, end, name = '', attributes = ''] of body.matchAll(/<(\/?)([a-z0-9]+)((?: [a-z-]+(?:="[^"<>]*")?)*)\/?>/gi)) {
    if (end === '/') assert.equal(open.pop(), name);
    else {
      seen.push(name + attributes);
      if (!voidTags.has(name)) open.push(name);
    }
  }
  assert.deepEqual(open, []);
  // Every < and > belongs to one of those tags.
  assert.doesNotMatch(body.replace(/<(\/?)([a-z0-9]+)((?: [a-z-]+(?:="[^"<>]*")?)*)\/?>/gi, ''), /[<>]/);
  return seen;
}

describe('toHtml', () => {
  it('names the repository, the time and the counts', () => {
    const page = pageOf([makeFinding(), makeFinding({ severity: 'critical' }), makeFinding({ waived: true }), makeFinding({ source: 'ai', severity: 'low' })]);
    assert.match(page, /<h1>acme-api<\/h1>/);
    assert.match(page, /2026-01-02 03:04 UTC<\/time>: 2 open findings, 1 waived, 1 advisory</);
    assert.match(page, /<b>1<\/b> <span>critical<\/span>/);
    assert.ok(!page.includes('/srv'));
  });

  it('shows a finding with place, flow, remedy and doubt', () => {
    const page = pageOf([makeFinding({
      title: 'Shell', file: 'src/a.py', line: 7, column: 3, trace: [{ line: 2, note: 'comes in', file: 'src/web.py' }, { line: 7, note: 'goes out' }],
      remediation: 'Use a list.', contested: true, contest_rationale: 'constant', tags: ['t1'],
    })]);
    for (const text of ['<b>Shell</b>', '<code>src/a.py:7:3</code>', '<li><code>src/web.py:2</code> comes in</li><li><code>src/a.py:7</code> goes out</li>',
      'Use a list.', '<b>Contested</b> by a model: constant', 'confidence high (90) · t1']) assert.ok(page.includes(text), text);
    assert.match(pageOf([makeFinding({ contested: true })]), /<b>Contested<\/b> by a model</);
  });

  it('says of each waived finding why', () => {
    const waiver = { reason: 'an <internal> tool', kind: 'accepted_risk', created_by: 'human', created_at: '2026-01-01', expires_at: '2027-01-01' };
    const page = pageOf([makeFinding({ waived: true })], { waiverOf: () => waiver });
    assert.match(page, /Risk accepted:<\/b> an &lt;internal&gt; tool<\/p><p class="facts">by human, on 2026-01-01, until 2027-01-01</);
    assert.match(pageOf([makeFinding({ waived: true })], { waiverOf: () => ({ reason: 'r', kind: 'other' }) }), /<b>Waived:<\/b> r<\/p><p>/);
    assert.match(pageOf([makeFinding({ waived: true, tags: ['suppressed:insource'] })]), /Silenced by a comment in the source/);
    const twice = pageOf([makeFinding({ waived: true, tags: ['suppressed:insource'] })], { waiverOf: () => waiver });
    assert.match(twice, /Silenced by a comment in the source\.<\/b><\/p><p><b>Risk accepted:<\/b> an &lt;internal&gt; tool/);
    assert.match(pageOf([makeFinding({ waived: true })]), /not in the waiver file any more/);
  });

  it('says that there is nothing', () => {
    const page = pageOf([]);
    for (const text of ['No folder has open findings.', 'No open findings.', 'Nothing is waived.']) assert.ok(page.includes(text), text);
    tagsOf(page);
  });

  it('counts by folder, the worst first, and draws bars of their share', () => {
    const page = pageOf([
      makeFinding({ file: 'a/b/c/d.py', severity: 'low' }), makeFinding({ file: 'a/b/x.py', severity: 'high' }), makeFinding({ file: 'top.py', severity: 'critical' }),
    ]);
    const rows = [...page.matchAll(/<tr><th scope="row"><code>([^<]*)<\/code><\/th>(.*)<\/tr>/g)].map(([, folder, cells = '']) => [folder, cells.replace(/<svg.*<\/svg>|<[^>]*>/g, ' ').trim().split(/\s+/)]);
    assert.deepEqual(rows, [['(root)', ['1', '1']], ['a/b', ['1', '1', '2']]]);
    assert.match(page, /<rect class="high" x="0.0" width="50" height="10"\/><rect class="low" x="50.0" width="50" height="10"\/>/);
  });

  it('unfolds the worst findings while they are few', () => {
    const many = (count: number): string => pageOf(Array.from({ length: count }, (_, line) => makeFinding({ line: line + 1 })));
    assert.equal([...many(12).matchAll(/<details class="high" open>/g)].length, 12);
    assert.doesNotMatch(many(13), /<details[^>]* open>/);
    assert.doesNotMatch(pageOf([makeFinding({ severity: 'medium' })]), /<details[^>]* open>/);
  });

  it('stays a page of bearable size, and says what it leaves out', () => {
    const findings = Array.from({ length: 2_003 }, (_, index) => makeFinding({ file: `d${index % 60}/a.py`, line: index + 1 }));
    const page = pageOf([...findings, ...findings.map((finding) => ({ ...finding, waived: true }))]);
    assert.equal([...page.matchAll(/<details /g)].length, 4_000);
    assert.equal([...page.matchAll(/and 3 more that are not shown/g)].length, 2);
    assert.match(page, /and 20 folders more/);
  });

  it('loads nothing, runs nothing, and allows nothing but its own style', () => {
    const page = pageOf([makeFinding()]);
    const style = /<style>([^]*)<\/style>/.exec(page)?.[1] ?? '';
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    assert.equal(policy, `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`);
    // No address and no import in it, and no inline style, which the policy would refuse.
    assert.doesNotMatch(page, /https?:|\/\/[a-z]|url\(|@import|<script|<link|<img| style=| on[a-z]+=/i);
  });

  it('is usable by keyboard and by a screen reader', () => {
    const page = pageOf([makeFinding()]);
    assert.match(page, /<html lang="en">/);
    assert.match(page, /<a class="skip" href="#findings">/);
    assert.match(page, /<label class="tile critical">.*<input type="checkbox" id="show-critical" checked><\/label>/);
    assert.match(page, /:focus-visible\{outline/);
    assert.match(page, /prefers-color-scheme:dark/);
    assert.deepEqual([...page.matchAll(/<h(\d)/g)].map(([, level]) => level), ['1', '2', '2', '3', '2']);
  });

  it('shows text of anybody as text', () => {
    const evil = `"><script>alert(1)</script><img src=x onerror=a()>&amp;'\u202e\u0000`;
    const members: Partial<Finding> = {
      title: evil, message: evil, file: `${evil}/${evil}.py`, remediation: evil, tags: [evil], owasp: [evil], rule_id: evil, cwe: evil, finding_id: evil,
      trace: [{ line: 1, note: evil, file: evil }], contested: true, contest_rationale: evil,
    };
    const waiverOf = (): { reason: string; kind: string; created_by: string } => ({ reason: evil, kind: evil, created_by: evil });
    const page = pageOf([makeFinding(members), makeFinding({ ...members, waived: true })], { root: `/${evil.replaceAll('/', '')}`, waiverOf });
    assert.ok(!tagsOf(page).some((tag) => /^(?:script|img)/.test(tag)));
    assert.doesNotMatch(page, /[\u202e\u0000]/);
  });

  it('stays well formed whatever texts a finding brings along', () => {
    const text = fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '=', '/', '-', '!', ' ', 'a', '`', '\n'), maxLength: 20 });
    fc.assert(fc.property(text, text, text, (file, title, note) => {
      tagsOf(pageOf([makeFinding({ file, title, message: title, trace: [{ line: 1, note, file }] })]));
    }), { numRuns: 100 });
  });
});
