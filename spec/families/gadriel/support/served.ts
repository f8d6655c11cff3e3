import { gadriel } from '../../../../lib/families/gadriel/index.ts';
import { servedFamily, type Reply, type Served } from '../../../support/served.ts';

export type { Reply };

/** A server of this family alone, in this process; closed after the specs around. */
export const served = (cwd: string = process.cwd(), env: Readonly<Record<string, string>> = {}): Served => servedFamily(gadriel(), cwd, env);
