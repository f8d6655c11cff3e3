// A process of export-verbs.spec.ts: exports an identity with the passphrase from descriptor 3. Arguments: file, home.
import { randomBytes } from 'node:crypto';
import { cli } from '../../../../lib/families/gage/cli.ts';
import { runVerbOf } from '../../../support/run-verb.ts';

const [file, root] = process.argv.slice(2) as [string, string];
const { code, stdout, stderr } = await runVerbOf(cli, ['export-identity', file, '--passphrase-fd', '3'], { cwd: '/', env: { GAGE_HOME: root }, random: (size) => randomBytes(size) });
console.log(`code ${code}${stdout}`);
if (code !== 0) console.error(stderr);
