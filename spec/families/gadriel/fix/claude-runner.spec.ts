import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { claudeRunner } from '../../../../lib/families/gadriel/domain/fix/runners/claude-runner.ts';
import { proposeFix } from '../../../../lib/families/gadriel/domain/fix/propose.ts';
import { confirmFinding } from '../../../../lib/families/gadriel/domain/fix/verdict.ts';
import { makeFinding } from '../support/finding.ts';
import { githubToken } from '../support/sample-secrets.ts';
import { partsOf, scannedRepository, surroundings } from './fix-kit.ts';

type Play = (response: ServerResponse, body: any, request: IncomingMessage) => void;

const answer = (text: string, more: object = {}): Play => (response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ type: 'message', content: [{ type: 'text', text }], stop_reason: 'end_turn', usage: { input_tokens: 1_000, output_tokens: 100 }, ...more }));
};
const refuse = (status: number, headers: Readonly<Record<string, string>> = {}, type = 'some_error'): Play => (response) => {
  response.writeHead(status, headers);
  response.end(JSON.stringify({ type: 'error', error: { type, message: 'secret-key-42 is what you sent' } }));
};

const secret = githubToken(7);
const source = `import yaml\nimport os\ntoken = "${secret}"\n\n\ndef read(text):\n    return yaml.load(text)  # marker-of-source\n`;
const fix = JSON.stringify({ decision: 'fix', rationale: 'A safe loader.', edits: [{ start_line: 7, end_line: 7, new_text: '    return yaml.safe_load(text)  # marker-of-source\n' }] });
const bad = JSON.stringify({ decision: 'fix', rationale: 'Not yet.', edits: [{ start_line: 7, end_line: 7, new_text: '    return yaml.load(text, yaml.Loader)' }] });

describe('the claude runner', async () => {
  const { root, git } = await scannedRepository({ 'db.py': source });
  let plays: Play[] = [];
  const seen: { readonly headers: IncomingMessage['headers']; readonly url: string; readonly body: any; readonly raw: string }[] = [];
  const server = createServer((request, response) => {
    let raw = '';
    request.on('data', (piece) => (raw += piece)).on('end', () => {
      const body = JSON.parse(raw);
      seen.push({ headers: request.headers, url: request.url!, body, raw });
      (plays.length > 1 ? plays.shift()! : plays[0]!)(response, body, request);
    });
  });
  let base = '';
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => void (seen.length = 0));

  const patience = { total: 2_000, firstDelay: 5, maxDelay: 20, longestRetryAfter: 300 };
  const env = (more: Readonly<Record<string, string>> = {}): Record<string, string> =>
    ({ ANTHROPIC_API_KEY: 'secret-key-42', ANTHROPIC_BASE_URL: base, GADRIEL_MCP_SOURCE_CONSENT: 'true', GADRIEL_PRICES: '{"claude-sonnet-5":{"in":3,"out":15,"cache_read":0.3}}', ...more });
  const ask = (given: readonly Play[], more: Readonly<Record<string, string>> = {}, options: { readonly signal?: AbortSignal; readonly patience?: Partial<typeof patience> } = {}) => {
    plays = [...given];
    return proposeFix({ root, findingId: 'CODE-W1-L3-029', runnerId: 'claude' }, surroundings(env(more), options.signal), partsOf(claudeRunner({ ...patience, ...options.patience })));
  };

  it('sends one message as the API wants it, and makes the diff of the answered lines', async () => {
    const proposal = await ask([answer(`Here it is:\n\`\`\`json\n${fix}\n\`\`\``)]);
    assert.deepEqual([proposal.status, proposal.rationale, proposal.iterations_used, proposal.cost_usd], ['proposed', 'A safe loader.', 1, 0.0045]);
    git(['apply', '--check', '-'], proposal.diff!);
    const [{ headers, url, body }] = seen as [typeof seen[0] & object];
    assert.deepEqual([url, headers['x-api-key'], headers['anthropic-version'], headers['content-type']], ['/v1/messages', 'secret-key-42', '2023-06-01', 'application/json']);
    assert.deepEqual(Object.keys(body).sort(), ['max_tokens', 'messages', 'model', 'system']);
    assert.equal(body.model, 'claude-sonnet-5');
    assert.deepEqual(body.messages.map(({ role }: { role: string }) => role), ['user']);
    assert.match(body.messages[0].content, /7: {5}return yaml\.load\(text\)/);
  });

  it('masks secrets in what it sends', async () => {
    await ask([answer(fix)]);
    assert.ok(!seen[0]!.raw.includes(secret) && seen[0]!.raw.includes('__MASKED_SECRET_1__'));
  });

  it('uses the model that the environment names, and has no cost for one without a price', async () => {
    const proposal = await ask([answer(fix)], { GADRIEL_MODEL: 'claude-opus-5' });
    assert.deepEqual([seen[0]!.body.model, proposal.cost_usd], ['claude-opus-5', null]);
  });

  it('tells the model what was wrong with its fix', async () => {
    const proposal = await ask([answer(bad), answer(fix)]);
    assert.deepEqual([proposal.status, proposal.iterations_used, proposal.cost_usd], ['proposed', 2, 0.009]);
    assert.match(seen[1]!.body.messages[0].content, /earlier fix was refused: a scan of the new text still finds CODE-W1-L3-029/);
  });

  it('asks once more for an answer that is not of the form, and then fails to parse', async () => {
    assert.equal((await ask([answer('I think {so'), answer(fix)])).status, 'proposed');
    assert.deepEqual(seen[1]!.body.messages.map(({ role }: { role: string }) => role), ['user', 'assistant', 'user']);
    const proposal = await ask([answer('I think so')]);
    assert.deepEqual([proposal.status, proposal.error?.kind, proposal.error?.retryable], ['runner_failed', 'parse', true]);
    assert.equal(seen.length, 4);
  });

  it('passes on that the model declines', async () => {
    const proposal = await ask([answer('{"decision":"decline","rationale":"Not safe."}')]);
    assert.deepEqual([proposal.status, proposal.rationale], ['declined', 'Not safe.']);
  });

  for (const [what, play, tries, kind, retryable] of [
    ['429', refuse(429, {}, 'rate_limit_error'), 3, 'http', true], ['529', refuse(529, {}, 'overloaded_error'), 3, 'http', true],
    ['500', refuse(500), 3, 'http', true], ['408', refuse(408), 3, 'http', true], ['409', refuse(409), 3, 'http', true],
    ['400', refuse(400), 1, 'http', false], ['401', refuse(401, {}, 'authentication_error'), 1, 'http', false],
    ['500 that says not to retry', refuse(500, { 'x-should-retry': 'false' }), 1, 'http', false],
    ['400 that says to retry', refuse(400, { 'x-should-retry': 'true' }), 3, 'http', true],
    ['429 that asks for an hour', refuse(429, { 'retry-after': '3600' }), 1, 'http', true],
    ['a redirect', refuse(307, { location: 'http://127.0.0.1:9/' }), 3, 'http', true],
    ['a broken connection', ((response) => response.destroy()) as Play, 3, 'http', true],
    ['broken JSON', ((response) => response.end('{"content": [')) as Play, 1, 'http', false],
    ['a page for people', ((response) => response.end('<html>Sign in</html>')) as Play, 1, 'http', false], ['other JSON', ((response) => response.end('{"ok":true}')) as Play, 1, 'http', false],
    ['no text', answer('', { content: [] }), 1, 'parse', false],
    ['a refusal', answer('', { stop_reason: 'refusal' }), 1, 'refusal', false],
    ['an answer that was cut off', answer('{"decision"', { stop_reason: 'max_tokens' }), 1, 'parse', false],
  ] as const) {
    it(`ends with ${kind} after ${tries} tries when the server answers ${what}`, async () => {
      const proposal = await ask([play]);
      assert.deepEqual([proposal.status, proposal.error?.kind, proposal.error?.retryable, proposal.diff], ['runner_failed', kind, retryable, null]);
      assert.equal(seen.length, tries);
      assert.ok(!JSON.stringify(proposal).includes('secret-key-42'));
    });
  }

  for (const [what, headers] of [['retry-after', { 'retry-after': '0.1' }], ['retry-after-ms', { 'retry-after-ms': '100' }], ['a date', { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }], ['neither', { 'retry-after': 'soon' }]] as const) {
    it(`obeys ${what}, and takes the answer that follows`, async () => {
      const start = performance.now();
      assert.equal((await ask([refuse(429, headers), answer(fix)])).status, 'proposed');
      if ('retry-after-ms' in headers || headers['retry-after'] === '0.1') assert.ok(performance.now() - start >= 95);
    });
  }

  it('gives up a server that never answers', async () => {
    const proposal = await ask([() => undefined], {}, { patience: { total: 150 } });
    assert.deepEqual([proposal.status, proposal.error?.kind, proposal.error?.retryable], ['runner_failed', 'timeout', true]);
  });

  it('gives up a server that lets it wait beyond the limit of all tries', async () => {
    const proposal = await ask([refuse(429, { 'retry-after-ms': '290' })], {}, { patience: { total: 150 } });
    assert.equal(proposal.error?.kind, 'timeout');
  });

  it('gives up an answer that has no end', async () => {
    const proposal = await ask([(response) => {
      const piece = 'x'.repeat(1 << 20);
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
        response.once('drain', more);
      };
      more();
    }]);
    assert.equal(proposal.error?.kind, 'http');
  });

  for (const [what, text] of [
    ['its rationale', JSON.stringify({ ...JSON.parse(fix), rationale: 'key: secret-key-42' })], ['the escapes of JSON', fix.replace('A safe', 'secret\\u002dkey\\u002D42')],
    ['new lines', JSON.stringify({ decision: 'fix', rationale: 'r', edits: [{ start_line: 7, end_line: 7, new_text: '    return yaml.safe_load(text)  # secret-key-42' }] })],
    ['prose', `secret-key-42 ${fix}`],
  ] as const) {
    it(`refuses an answer that has the key in ${what}, and asks no more`, async () => {
      const proposal = await ask([answer(text)]);
      assert.deepEqual([proposal.status, proposal.error?.kind, proposal.error?.retryable, seen.length], ['runner_failed', 'http', false, 1]);
      assert.ok(!JSON.stringify(proposal).includes('secret'));
    });
  }

  it('tells a key that the server has for its type of error to nobody', async () => {
    const proposal = await ask([refuse(401, {}, 'only_letters')], { ANTHROPIC_API_KEY: 'only_letters' });
    assert.ok(!JSON.stringify(proposal).includes('only_letters'));
  });

  it('does not take a fix that only deletes, and says so', async () => {
    const without = JSON.stringify({ decision: 'fix', rationale: 'Gone.', edits: [{ start_line: 7, end_line: 7, new_text: '    return None' }] });
    const proposal = await ask([answer(without), answer(fix)]);
    assert.deepEqual([proposal.status, proposal.iterations_used], ['proposed', 2]);
    assert.match(seen[1]!.body.messages[0].content, /earlier fix was refused: the flagged statement is taken away/);
  });

  it('makes no connection for a request that was cancelled before', async () => {
    const abort = new AbortController();
    abort.abort();
    const { propose } = claudeRunner(patience);
    const finding = makeFinding({ file: 'db.py', line: 7, end_line: 7 });
    await assert.rejects(propose({ finding, text: source, attempt: 1, prior: 0.5, surroundings: surroundings(env(), abort.signal) }), { name: 'AbortError' });
    assert.equal(seen.length, 0);
  });

  it('breaks the connection off when the request is cancelled', async () => {
    const abort = new AbortController();
    const closed = new Promise<void>((resolve) => {
      plays = [(response) => {
        response.once('close', resolve);
        abort.abort();
      }];
    });
    await assert.rejects(ask(plays, {}, { signal: abort.signal }), { name: 'AbortError' });
    await closed;
  });

  it('ends its wait for the next try when the request is cancelled', async () => {
    const abort = new AbortController();
    const play: Play = (response, body, request) => {
      refuse(429, { 'retry-after-ms': '290' })(response, body, request);
      setTimeout(() => abort.abort(), 30);
    };
    await assert.rejects(ask([play], {}, { signal: abort.signal }), { name: 'AbortError' });
    assert.equal(seen.length, 1);
  });

  for (const consent of ['', 'TRUE', '1', 'yes', ' true', 'true ']) {
    it(`sends nothing at all for a fix when the consent is ${JSON.stringify(consent)}`, async () => {
      const proposal = await ask([answer(fix)], { GADRIEL_MCP_SOURCE_CONSENT: consent });
      assert.deepEqual([proposal.status, proposal.diff, seen.length], ['consent_required', null, 0]);
    });
  }

  it('judges without consent by rule, CWE, title, base name and line alone, and clears nothing', async () => {
    plays = [answer(JSON.stringify({ confirmation: 'false_positive', confirmation_rationale: 'r', explanation: 'e', effort: 'low' }))];
    const calm = { ...surroundings(env({ GADRIEL_MCP_SOURCE_CONSENT: 'no' })), exclusive: <T>(fn: () => Promise<T>): Promise<T> => fn() };
    const verdict = await confirmFinding({ root, findingId: 'CODE-W1-L3-029' }, calm, partsOf(claudeRunner(patience)));
    assert.deepEqual([verdict.runner, verdict.confirmation, verdict.fix, verdict.posterior, seen.length], ['claude', 'uncertain', null, 0.5, 1]);
    assert.deepEqual([verdict.judged_by, verdict.confidence, verdict.confirmation_rationale], ['metadata', 'low', 'Judged by metadata alone: r']);
    for (const part of ['yaml.load(text)', 'marker', 'def read', secret, 'safe_load(', root]) assert.ok(!seen[0]!.raw.includes(part), part);
    assert.match(seen[0]!.body.messages[0].content, /^CODE-W1-L3-029 \(CWE-502\): .+\nFile db\.py, line 7\. The code may not be shown\.$/);
  });

  it('is not available without a key or with an address that is none', async () => {
    for (const more of [{ ANTHROPIC_API_KEY: '' }, { ANTHROPIC_BASE_URL: 'file:///etc' }, { ANTHROPIC_BASE_URL: 'nonsense' }, { ANTHROPIC_BASE_URL: 'https://a:b@example.org' }]) {
      assert.equal((await ask([answer(fix)], more)).status, 'no_agent');
    }
    assert.equal(seen.length, 0);
  });

  it('keeps the path of its address', async () => {
    await ask([answer(fix)], { ANTHROPIC_BASE_URL: `${base}/proxy/` });
    assert.equal(seen[0]!.url, '/proxy/v1/messages');
  });
});
