import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { baseScore, confidences, severities, type Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import { applyPriors, bandOf, openPriors, priorMean } from '../../../../lib/families/gadriel/domain/records/priors.ts';
import { makeFinding } from '../support/finding.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { surroundings } from './records-kit.ts';

const posix = process.platform !== 'win32';

describe('the learned priors', () => {
  const temp = tempFolder();
  const nameOf = (root: string): string => `${createHash('sha256').update(root).digest('hex').slice(0, 16)}.json`;

  it('start even, add up, and lie outside the repository', async () => {
    const root = temp.folder('repo');
    const env = { GADRIEL_HOME: temp.at('home') };
    const store = openPriors(root, env);
    assert.deepEqual(store.get('R1', 'security'), { alpha: 1, beta: 1 });
    assert.deepEqual(await store.update('R1', 'security', { beta: 0.3 }), { alpha: 1, beta: 1.3 });
    for (let time = 1; time < 10; time++) await store.update('R1', 'security', { beta: 0.3 });
    assert.deepEqual(await store.update('R1', 'security', { alpha: 1 }), { alpha: 2, beta: 4 });
    await store.update('R1', 'compliance', { alpha: 0.25 });
    assert.deepEqual(store.get('R1', 'security'), { alpha: 2, beta: 4 });
    const again = openPriors(root, env);
    assert.deepEqual([again.get('R1', 'security'), again.get('R1', 'compliance'), again.get('R2', 'security')], [{ alpha: 2, beta: 4 }, { alpha: 1.25, beta: 1 }, { alpha: 1, beta: 1 }]);
    assert.deepEqual(readdirSync(temp.at('home/store/priors')).filter((name) => !name.includes('.lock')), [nameOf(root)]);
    assert.deepEqual(readdirSync(root), []);
    if (posix) assert.equal(statSync(temp.at(`home/store/priors/${nameOf(root)}`)).mode & 0o777, 0o600);
  });

  it('learn a lesson with a name once, though whoever teaches it begins again', async () => {
    const env = { GADRIEL_HOME: temp.at('lessons') };
    const teach = (lesson?: string): ReturnType<ReturnType<typeof openPriors>['update']> => openPriors(temp.root, env).update('R', 'security', { beta: 0.5 }, lesson);
    assert.deepEqual([await teach('a'), await teach('a'), await teach('b'), await teach('a'), await teach()].map((prior) => prior?.beta), [1.5, 1.5, 2, 2, 2.5]);
    const { priors, lessons } = JSON.parse(readFileSync(temp.at(`lessons/store/priors/${nameOf(temp.root)}`), 'utf8'));
    assert.deepEqual([priors.length, lessons.length, lessons.every((one: string) => /^[0-9a-f]{16}$/.test(one))], [1, 2, true]);
  });

  it('refuse to grow past what can be read again', async () => {
    const env = { GADRIEL_HOME: temp.at('full') };
    const entries = Array.from({ length: 30_000 }, (_, index) => ({ rule_id: `${'R'.repeat(40)}${index}`, pillar: 'security', alpha: 1, beta: 2 }));
    const file = temp.write(`full/store/priors/${nameOf(temp.root)}`, JSON.stringify({ schema: 1, priors: entries }));
    const { log, logged } = surroundings();
    assert.equal(await openPriors(temp.root, env, log).update('R', 'security', { beta: 1 }), undefined);
    assert.deepEqual(logged, ['warning: the learned priors can not be written and are ignored: there are too many']);
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).priors.length, entries.length);
  });

  it('are those of the real folder, by whatever path it was reached', { skip: !posix }, async () => {
    const env = { GADRIEL_HOME: temp.at('home-2') };
    symlinkSync(temp.folder('real'), temp.at('alias'));
    await openPriors(temp.at('alias'), env).update('R', 'security', { beta: 1 });
    assert.deepEqual(openPriors(temp.at('real'), env).get('R', 'security'), { alpha: 1, beta: 2 });
    assert.deepEqual(openPriors(temp.at('nowhere'), env).get('R', 'security'), { alpha: 1, beta: 1 });
  });

  it('lie in the home folder where nothing else is said', async () => {
    for (const env of [{ HOME: temp.at('person') }, { HOME: temp.at('person'), GADRIEL_HOME: '' }]) await openPriors(temp.root, env).update('R', 'security', { alpha: 1 });
    assert.deepEqual(JSON.parse(readFileSync(temp.at(`person/.gadriel/store/priors/${nameOf(temp.root)}`), 'utf8')), {
      schema: 1, priors: [{ rule_id: 'R', pillar: 'security', alpha: 3, beta: 1 }],
    });
  });

  it('lose nothing when many update at once', async () => {
    const env = { GADRIEL_HOME: temp.at('busy') };
    await Promise.all(Array.from({ length: 20 }, () => openPriors(temp.root, env).update('R', 'security', { beta: 0.5 })));
    assert.deepEqual(openPriors(temp.root, env).get('R', 'security'), { alpha: 1, beta: 11 });
  });

  const entry = (members: object): string => JSON.stringify({ schema: 1, priors: [{ rule_id: 'R', pillar: 'security', alpha: 1, beta: 2, ...members }] });
  const broken: [title: string, text: string][] = [
    ['no JSON', '{'], ['another schema', '{"schema": 2, "priors": []}'], ['no list', '{"schema": 1}'], ['no object', '[]'], ['a text as weight', entry({ alpha: '9' })],
    ['a weight below one', entry({ beta: 0 })], ['a weight without bounds', entry({ beta: 1e300 })], ['no rule', entry({ rule_id: 4 })], ['lessons that are no list', '{"schema": 1, "priors": [], "lessons": {}}'], ['nothing for a prior', '{"schema": 1, "priors": [null]}'],
  ];
  for (const [title, text] of broken) {
    it(`are ignored and kept as they are where their file holds ${title}`, async () => {
      const file = temp.write(`broken-${title}/store/priors/${nameOf(temp.root)}`, text);
      const { log, logged } = surroundings();
      const store = openPriors(temp.root, { GADRIEL_HOME: temp.at(`broken-${title}`) }, log);
      assert.deepEqual(store.get('R', 'security'), { alpha: 1, beta: 1 });
      assert.equal(await store.update('R', 'security', { beta: 1 }), undefined);
      assert.equal(readFileSync(file, 'utf8'), text);
      assert.equal(logged.length, 2);
      assert.match(logged.join('\n'), /^warning: the learned priors can not be read and are ignored: .+\nwarning: the learned priors can not be written and are ignored: /);
    });
  }

  it('are only logged where there is no place for them', async () => {
    const env = { GADRIEL_HOME: temp.write('a-file', '') };
    assert.equal(await openPriors(temp.root, env).update('R', 'security', { beta: 1 }), undefined);
    const { log, logged } = surroundings();
    assert.equal(await openPriors(temp.root, env, log).update('R', 'security', { beta: 1 }), undefined);
    assert.deepEqual(logged, [
      'warning: the learned priors can not be read and are ignored: ENOTDIR', 'warning: the learned priors can not be written and are ignored: ENOTDIR',
    ]);
  });

  it('have a word for each band', () => {
    const bands = [[1, 9], [1, 4], [1, 1.01], [1, 1], [3.9, 1], [4, 1], [99, 1]].map(([alpha = 0, beta = 0]) => bandOf({ alpha, beta }));
    assert.deepEqual(bands, ['speculative', 'plausible', 'plausible', 'likely', 'likely', 'strong', 'strong']);
    assert.equal(priorMean({ alpha: 1, beta: 3 }), 0.25);
  });
});

describe('the effect of a prior on findings', () => {
  const withPrior = (alpha: number, beta: number, members: Partial<Finding> = {}): [string, number] => {
    const [finding] = applyPriors([makeFinding(members)], { get: () => ({ alpha, beta }) });
    return [(finding as Finding).confidence, (finding as Finding).confidence_score];
  };
  const cases: [alpha: number, beta: number, confidence: Finding['confidence'], expected: [string, number]][] = [
    [1, 1, 'high', ['high', 90]],
    // n = 0.5: w = 1/21; 20/21 of 0.9 and 1/21 of 0.4.
    [1, 1.5, 'high', ['high', 88]],
    // n = 10: w = 1/2; half of 0.9 and half of 1/12.
    [1, 11, 'high', ['medium', 49]],
    [1, 41, 'high', ['low', 20]],
    [11, 1, 'low', ['medium', 63]],
    [101, 1, 'low', ['high', 93]],
    // w = 1/2: half of 0.65 and half of 0.85 is 0.75, which is high already.
    [10.2, 1.8, 'medium', ['high', 75]],
    [1, 999_999, 'low', ['low', 5]],
  ];
  for (const [alpha, beta, confidence, expected] of cases) {
    it(`makes ${confidence} ${expected.join(' ')} of Beta(${alpha}, ${beta})`, () => {
      assert.deepEqual(withPrior(alpha, beta, { confidence, confidence_score: baseScore[confidence] }), expected);
    });
  }

  it('is not counted twice', () => assert.deepEqual(withPrior(1, 11, { confidence: 'medium', confidence_score: 49 }), ['medium', 49]));

  it('changes confidence alone, hides nothing and never goes under 5', () => {
    const weight = fc.double({ min: 1, max: 1e6, noNaN: true });
    fc.assert(fc.property(weight, weight, fc.constantFrom(...confidences), fc.constantFrom(...severities), fc.boolean(), (alpha, beta, confidence, severity, waived) => {
      const before = makeFinding({ confidence, severity, waived, confidence_score: baseScore[confidence] });
      const [after, ...others] = applyPriors([before], { get: () => ({ alpha, beta }) });
      assert.deepEqual([{ ...after, confidence, confidence_score: 0 }, ...others], [{ ...before, confidence_score: 0 }]);
      assert.ok(after !== undefined && after.confidence_score >= 5 && after.confidence_score <= 100 && Number.isInteger(after.confidence_score));
    }));
  });
});
