import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { BundleBytes } from '../../../../lib/families/gage/domain/bundle/bundle.types.ts';
import { readBundleFolder } from '../../../../lib/families/gage/domain/bundle/folder.ts';
import { renderFrame } from '../../../../lib/families/gage/domain/render/frame.ts';
import { judgeContext, type JudgeContext } from '../../../../lib/families/gage/domain/verdict/context.ts';
import { judgeBundle } from '../../../../lib/families/gage/domain/verdict/judge.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { alice, buddy, bundleOf, fixedRandom, reader, secret, writeRaw } from './kit.ts';

/** Fails unless nothing of a bundle is believed or shown, whether the reader asks for the payload or not. */
function checkDistrusted(bytes: BundleBytes, context: JudgeContext, what: string): void {
  const judged = judgeBundle(bytes, context);
  const { verdict, attributable, payload_withheld, items, authorised } = judged.row;
  assert.ok(['malformed', 'unsupported_version', 'unverifiable', 'tampered'].includes(verdict), `${what}: ${verdict}`);
  assert.deepEqual({ attributable, payload_withheld, items, authorised, bytes: judged.items.length }, { attributable: false, payload_withheld: true, items: null, authorised: false, bytes: 0 }, what);
  for (const reveal of [false, true]) assert.ok(!renderFrame(judged, { random: fixedRandom, reveal }).includes(secret.slice(0, 8)), what);
}

describe('gage: a bundle that was changed anywhere', async () => {
  const temp = tempFolder();
  const good = bundleOf();
  const parts = ['manifest', 'signature', '0', '1'] as const;
  const part = (name: (typeof parts)[number]): Uint8Array => (name === 'manifest' || name === 'signature' ? good[name] : (good.items[Number(name)] as Uint8Array));
  const withPart = (name: (typeof parts)[number], bytes: Uint8Array): BundleBytes =>
    name === 'manifest' || name === 'signature' ? { ...good, [name]: bytes } : { ...good, items: good.items.map((item, index) => (index === Number(name) ? bytes : item)) };
  const contextOf = async (): Promise<JudgeContext> => {
    const who = await reader(temp);
    await who.list(buddy(alice));
    return judgeContext(who.home, who.surroundings());
  };

  for (const name of parts) {
    it(`is never believed and never shown: each bit of each byte of ${name.length === 1 ? `item ${name}` : name}`, async () => {
      const context = await contextOf();
      assert.equal(judgeBundle(good, context).row.verdict, 'verified');
      const whole = part(name);
      for (let at = 0; at < whole.length; at += 1) {
        for (let bit = 0; bit < 8; bit += 1) checkDistrusted(withPart(name, whole.map((byte, index) => (index === at ? byte ^ (1 << bit) : byte))), context, `byte ${at} bit ${bit}`);
      }
    });

    it(`is never believed and never shown: ${name.length === 1 ? `item ${name}` : name} shorter, longer or empty`, async () => {
      const context = await contextOf();
      const whole = part(name);
      for (const bytes of [whole.slice(1), whole.slice(0, -1), new Uint8Array(), Uint8Array.from([...whole, 0x0a]), Uint8Array.from([0x20, ...whole])]) checkDistrusted(withPart(name, bytes), context, `${bytes.length} bytes`);
    });
  }

  it('is never believed and never shown: each entry removed, replaced by a folder, or moved; each place with one entry more', async () => {
    const context = await contextOf();
    const entries = ['manifest.json', 'manifest.sig', 'items', 'items/0000', 'items/0001'];
    const changes: readonly (readonly [string, (folder: string) => void])[] = [
      ...entries.map((entry) => [`without ${entry}`, (folder: string) => rmSync(path.join(folder, entry), { recursive: true })] as const),
      ...entries.filter((entry) => entry !== 'items').map((entry) => [`folder for ${entry}`, (folder: string) => {
        rmSync(path.join(folder, entry));
        mkdirSync(path.join(folder, entry));
      }] as const),
      ...['x', 'items/0002', 'items/x', 'items/.hidden', 'manifest.json~', '.DS_Store'].map((entry) => [`with ${entry}`, (folder: string) => writeFileSync(path.join(folder, entry), secret)] as const),
      ['items swapped', (folder) => {
        renameSync(path.join(folder, 'items/0000'), path.join(folder, 'items/x'));
        renameSync(path.join(folder, 'items/0001'), path.join(folder, 'items/0000'));
        renameSync(path.join(folder, 'items/x'), path.join(folder, 'items/0001'));
      }],
      ['a folder more', (folder) => mkdirSync(path.join(folder, 'more'))],
    ];
    for (const [index, [what, change]] of changes.entries()) {
      const folder = writeRaw(temp.at(`bundle-${index}`), good);
      assert.equal(judgeBundle(readBundleFolder(folder), context).row.verdict, 'verified');
      change(folder);
      checkDistrusted(readBundleFolder(folder), context, what);
    }
  });

  it('is never believed and never shown: with parts of another good bundle of the same sender', async () => {
    const context = await contextOf();
    const other = bundleOf({ manifest: { subject: 'other' }, items: [{ name: 'a', bytes: secret.padEnd(30) }, { name: 'b', bytes: secret }] });
    for (const name of parts) checkDistrusted(withPart(name, name === 'manifest' || name === 'signature' ? other[name] : (other.items[Number(name)] as Uint8Array)), context, name);
  });
});
