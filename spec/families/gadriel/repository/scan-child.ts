// Scans a folder again and again without the cache, so that it can be killed at any point of it.
import process from 'node:process';
import { scanRepository } from '../../../../lib/families/gadriel/domain/repository/scan-repository.ts';

const [, , folder = '.'] = process.argv;
await scanRepository({ path: folder, cache: false }, { env: process.env, cwd: folder, now: () => Date.now(), random: (size) => new Uint8Array(size), log: () => undefined });
