// A process of processes.spec.ts: adds buddies to a home one after the other, and says so after each. Arguments: home, name, how many.
import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { addBuddy, renameBuddy } from '../../../../lib/families/gage/domain/buddies/edit.ts';
import { signingKeyOf } from '../../../../lib/families/gage/domain/crypto/ed25519.ts';
import { boxKeyOf } from '../../../../lib/families/gage/domain/crypto/x25519.ts';
import { openHome } from '../../../../lib/families/gage/domain/home/home.ts';
import { formatToken } from '../../../../lib/families/gage/domain/identity/token.ts';

const [root, who, count] = process.argv.slice(2) as [string, string, string];
const home = openHome({ GAGE_HOME: root });
const surroundings = { env: {}, cwd: '/', now: Date.now, random: (size: number) => new Uint8Array(size), log: () => {} };

for (let index = 0; index < Number(count); index += 1) {
  const name = `${who}-${index}`;
  const seed = createHash('sha256').update(name).digest();
  const token = formatToken(signingKeyOf(seed), boxKeyOf(seed));
  await addBuddy(home, { token, name: `new ${name}`, by: 'cli', confirmed: false }, surroundings);
  await renameBuddy(home, `new ${name}`, name);
  // Synchronously: a line that was written must count even if the process is killed at once.
  writeSync(1, `${name}\n`);
}
