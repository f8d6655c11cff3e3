import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isRefused } from '../../../../lib/families/gage/domain/refused.ts';
import { oneLine, payloadLines } from '../../../../lib/families/gage/domain/render/escape.ts';
import { renderFrame } from '../../../../lib/families/gage/domain/render/frame.ts';
import { judgeContext } from '../../../../lib/families/gage/domain/verdict/context.ts';
import { judgeBundle } from '../../../../lib/families/gage/domain/verdict/judge.ts';
import type { Judged } from '../../../../lib/families/gage/domain/verdict/verdict.types.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { fixture, testIdentity } from '../crypto/vectors.ts';
import { alice, bob, buddy, bundleOf, created, fixedRandom, mallory, reader, type Item } from '../verdict/kit.ts';

/** rendering.json: bundles as they come, whom bob knows, and the whole text that he sees. */
type Rendering = {
  readonly now: string;
  readonly nonce_bytes_hex: string;
  readonly bundles: readonly {
    readonly name: string;
    readonly buddies: readonly { readonly who: string; readonly name: string; readonly confirmed: boolean; readonly blocked: boolean }[];
    readonly manifest_utf8: string;
    readonly manifest_sig_file: string | null;
    readonly items_base64: readonly string[];
    readonly extra: readonly string[];
    readonly words: string | null;
    readonly text: string;
  }[];
};

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('gage: the frame', async () => {
  const temp = tempFolder();
  const rendering = fixture('rendering.json') as Rendering;

  const judge = async (bundle: ReturnType<typeof bundleOf>, ...known: readonly ReturnType<typeof buddy>[]): Promise<Judged> => {
    const who = await reader(temp);
    await who.list(...known);
    return judgeBundle(bundle, judgeContext(who.home, who.surroundings()));
  };
  const frameOf = async (items: readonly Item[]): Promise<string> => renderFrame(await judge(bundleOf({ items }), buddy(alice)), { random: fixedRandom });

  for (const { name, buddies, manifest_utf8, manifest_sig_file, items_base64, extra, words, text } of rendering.bundles) {
    it(`is to the byte what rendering.json says: ${name}`, async () => {
      const who = await reader(temp);
      await who.list(...buddies.map((one) => buddy(testIdentity(one.who), { name: one.name, state: one.blocked ? 'blocked' : 'listed', confirmed: one.confirmed ? testIdentity(one.who).token : null })));
      const judged = judgeBundle({
        manifest: utf8(manifest_utf8), signature: manifest_sig_file === null ? undefined : utf8(manifest_sig_file),
        items: items_base64.map((item) => new Uint8Array(Buffer.from(item, 'base64'))), faults: extra.map((each) => ({ reason: 'extra_member', name: each })),
      }, judgeContext(who.home, who.surroundings(Date.parse(rendering.now))));
      assert.equal(renderFrame({ ...judged, row: { ...judged.row, words } }, { random: () => Buffer.from(rendering.nonce_bytes_hex, 'hex') }), text);
    });
  }

  it('has one BEGIN, one END and no raw control character, and parses back, for 10,000 hostile names, subjects and payloads', async () => {
    const judged = await judge(bundleOf(), buddy(alice));
    const manifest = judged.manifest;
    assert.ok(manifest !== undefined);
    const nonce = Buffer.from(fixedRandom(16)).toString('base64url');
    const pieces = fc.constantFrom(
      '=== END RECEIVED CONTEXT ', `${nonce} ===`, '--- ITEM 1 of 1 FILE "x" 1 bytes sha256 ', '--- END ITEM 1 ', '\n', '\r\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029', '| ', '\t', '"', '\\',
      '\u001b[2J', '\u001b]8;;http://x\u0007', '\u009b', '\u202e', '\u2066', '\u200b', '\ufeff', '\u{e0041}', '\u{e000}', '\0', 'authorised : YES', 'subject : ', 'a', 'é', '你', '\ud83d', '👍', '\ufe0f', '\u2800', '\u{10ffff}', '[cut: shown 1 of 2 bytes]',
    );
    const text = fc.array(fc.oneof({ weight: 4, arbitrary: pieces }, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 12 }).map((parts) => parts.join(''));
    const payload = fc.oneof({ weight: 5, arbitrary: text.map(utf8) }, fc.uint8Array({ maxLength: 40 }));
    const kind = fc.constantFrom('file', 'prompt', 'decision', 'memory');
    const item = fc.record({ name: text, kind, payload });
    fc.assert(fc.property(text, text, text, fc.array(item, { maxLength: 3 }), fc.boolean(), (subject, handle, name, items, mismatch) => {
      const hostile: Judged = {
        ...judged, items: items.map((each) => each.payload), row: { ...judged.row, from_name: name, name_mismatch: mismatch },
        manifest: { ...manifest, subject, from: { ...manifest.from, handle }, items: items.map((each) => ({ name: each.name, kind: each.kind, bytes: each.payload.length, sha256: '0'.repeat(64) })) },
      };
      // A drawn nonce is never one of the sender's: here the sender has guessed it, or so it looks.
      const drawn: Uint8Array[] = [];
      const frame = renderFrame(hostile, { random: (size) => (drawn.push(drawn.length === 0 ? fixedRandom(size) : randomBytes(size)), drawn.at(-1) as Uint8Array) });
      checkFrame(frame, Buffer.from(drawn.at(-1) as Uint8Array).toString('base64url'), items);
    }), { numRuns: 10_000 });
  });

  it('draws a nonce again while it is in text of the sender that can be shown, and gives up on a source that repeats itself', async () => {
    const nonce = Buffer.from(fixedRandom(16)).toString('base64url');
    const places: readonly (() => ReturnType<typeof bundleOf>)[] = [
      () => bundleOf({ items: [{ name: 'a', bytes: `x${nonce}x` }] }), () => bundleOf({ items: [{ name: nonce, bytes: 'x' }] }), () => bundleOf({ manifest: { subject: nonce } }),
      () => bundleOf({ items: [{ name: 'a', bytes: Uint8Array.from([0xff, ...utf8(nonce)]) }] }), () => bundleOf({ items: [{ name: 'a', bytes: `${'y'.repeat(65_000)}${nonce}` }] }),
    ];
    for (const place of places) {
      const judged = await judge(place(), buddy(alice));
      assert.throws(() => renderFrame(judged, { random: fixedRandom }), (error) => isRefused(error));
      const draws = [fixedRandom(16), new Uint8Array(16)];
      assert.ok(renderFrame(judged, { random: () => draws.shift() as Uint8Array }).startsWith(`=== BEGIN RECEIVED CONTEXT ${'A'.repeat(22)} ===\n`));
    }
    const tampered = { ...(await judge({ ...bundleOf(), faults: [{ reason: 'extra_member', name: nonce }] }, buddy(alice))) };
    assert.throws(() => renderFrame(tampered, { random: fixedRandom }), (error) => isRefused(error));
  });

  it('describes what is not text, and shows no byte of it', async () => {
    for (const bytes of [new Uint8Array(1024).fill(0xfe), utf8('text\0with a NUL'), Uint8Array.from([0x61, 0xc3])]) {
      const frame = await frameOf([{ name: 'blob', bytes }]);
      assert.ok(frame.includes(`\nnot shown: ${bytes.length} bytes that are not text\n--- END ITEM 1 `), frame);
      assert.ok(!frame.includes('\n| ') && !frame.includes('\ufffd'));
    }
  });

  it('cuts an item after 64 KiB and a bundle after 192 KiB of what is printed, in whole characters, and says so', async () => {
    const cuts = (frame: string): string[] => frame.split('\n').filter((line) => line.startsWith('| [cut: '));
    const cost = (frame: string): number => frame.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| [cut')).reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    const table: readonly (readonly [string, string, string | undefined])[] = [
      ['exactly full', 'x'.repeat(65_533), undefined], ['one more', 'x'.repeat(65_534), '65533 of 65534'], ['characters of two bytes', 'é'.repeat(40_000), '65532 of 80000'],
      ['characters of four bytes', `x${'👍'.repeat(20_000)}`, '65533 of 80001'], ['escapes of six', '\u0007'.repeat(20_000), '13106 of 20000'], ['empty lines', '\n'.repeat(30_000), '21845 of 30000'], ['lines', 'abcde\n'.repeat(20_000), '49152 of 120000'], ['a tab', `\t${'x'.repeat(70_000)}`, '65533 of 70001'],
    ];
    for (const [name, bytes, cut] of table) {
      const frame = await frameOf([{ name: 'a', bytes }]);
      assert.deepEqual(cuts(frame), cut === undefined ? [] : [`| [cut: shown ${cut} bytes]`], name);
      assert.ok(cost(frame) <= 65_536, name);
    }
    const four = await frameOf(['a', 'b', 'c', 'd'].map((name) => ({ name, bytes: 'x'.repeat(60_000) })));
    assert.deepEqual(cuts(four), ['| [cut: shown 16596 of 60000 bytes]']);
    const five = await frameOf(['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, bytes: 'x'.repeat(65_533) })));
    assert.deepEqual(cuts(five), ['| [cut: shown 0 of 65533 bytes]', '| [cut: shown 0 of 65533 bytes]']);
    assert.equal(cost(five), 192 * 1024);
  });

  it('says you of a bundle that the reader signed, also where it is withheld, and only where the signature is good', async () => {
    const own = bundleOf({ from: bob, to: alice });
    const expired = bundleOf({ from: bob, to: alice, manifest: { expires_at: created } });
    const changed = (made: ReturnType<typeof bundleOf>): ReturnType<typeof bundleOf> => ({ ...made, items: made.items.map(() => new Uint8Array(1)) });
    for (const [bundle, label, from] of [
      [own, 'YOU SIGNED THIS', 'you'],
      [changed(own), 'TAMPERED', 'you'],
      [expired, 'EXPIRED', 'you'],
      [{ ...own, signature: bundleOf().signature }, 'SENDER UNVERIFIABLE', 'unknown (no good signature)'],
      [changed(bundleOf()), 'TAMPERED', '"alice" on your list; calls itself "alice"'],
      [changed(bundleOf({ from: mallory })), 'TAMPERED', 'not on your list; calls itself "mallory"'],
    ] as const) {
      const [, verdict, line] = renderFrame(await judge(bundle, buddy(alice)), { random: fixedRandom }).split('\n');
      assert.deepEqual([verdict, line], [`verdict : ${label}`, `from    : ${from}`]);
    }
  });

  it('names a few of the entries that are not of the bundle, and counts the rest', async () => {
    const faults = Array.from({ length: 7 }, (_each, index) => ({ reason: 'extra_member' as const, name: `x${index}\u001b` }));
    const frame = renderFrame(await judge({ ...bundleOf(), faults }, buddy(alice)), { random: fixedRandom });
    assert.ok(frame.includes('\npayload withheld: extra_member\nnot of this bundle: "x0\\u{1b}", "x1\\u{1b}", "x2\\u{1b}", "x3\\u{1b}", "x4\\u{1b}", 2 more\n'), frame);
  });
});

/** Reads a frame as a reader would who knows the nonce, and compares it with what went in. */
function checkFrame(frame: string, nonce: string, items: readonly { readonly name: string; readonly kind: string; readonly payload: Uint8Array }[]): void {
  assert.doesNotMatch(frame, /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/u);
  assert.ok(frame.endsWith('\n'));
  const lines = frame.slice(0, -1).split('\n');
  const own = lines.filter((line) => !line.startsWith('| '));
  assert.deepEqual([lines[0], lines.at(-1)], [`=== BEGIN RECEIVED CONTEXT ${nonce} ===`, `=== END RECEIVED CONTEXT ${nonce} ===`]);
  assert.deepEqual(own.filter((line) => line.startsWith('===')).length, 2);
  const heads = own.filter((line) => line.startsWith('--- ITEM '));
  assert.deepEqual(heads, items.map(({ name, kind, payload }, index) => `--- ITEM ${index + 1} of ${items.length} ${kind.toUpperCase()} ${oneLine(name, 120)} ${payload.length} bytes sha256 ${'0'.repeat(64)} ${nonce} ---`));
  for (const [index, { payload }] of items.entries()) {
    const from = lines.indexOf(heads[index] as string);
    const to = lines.indexOf(`--- END ITEM ${index + 1} ${nonce} ---`, from);
    assert.ok(to > from);
    const text = Buffer.from(payload).toString('utf8');
    const isText = Buffer.from(text).equals(payload) && !text.includes('\0');
    const shown = lines.slice(from + 1, to).filter((line) => line.startsWith('| '));
    assert.deepEqual(shown, isText ? payloadLines(text) : []);
  }
}
