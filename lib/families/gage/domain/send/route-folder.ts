import { statSync } from 'node:fs';
import { shellCommand } from '../../../../text/shell-command.ts';
import { hasUnsafe } from '../../../../text/unsafe.ts';
import { whereThere } from '../home/where-there.ts';
import { isRefused } from '../refused.ts';

/**
 * Why bundles can not be put into a folder for another home, said so that it follows its name; undefined where they can. What is
 * delivered is readable for the user that writes it alone, so a folder of another user is none.
 */
export function routeProblem(folder: string, uid: number | undefined = process.getuid?.()): string | undefined {
  let found;
  try {
    found = whereThere(folder, 'it', () => statSync(folder));
  } catch (error) {
    if (!isRefused(error)) throw error;
    return `can not be used: ${error.message}`;
  }
  if (found === undefined) return `can not be used: it does not exist; for a home of this user it is made with: ${hasUnsafe(folder) ? 'mkdir -p' : shellCommand('mkdir -p', folder)}`;
  if (!found.isDirectory()) return 'can not be used: it is a file';
  // Windows has no such owners.
  if (uid === undefined || found.uid === uid) return undefined;
  return 'belongs to another user of this machine, who could not read what is put there; without a route, gage push sends through a relay';
}
