import { UsageError } from '../../../terminal/usage-error.ts';

/** Forms of the public command line that are not built, and the nearest one that is. */
export const notBuilt: Readonly<Record<string, string>> = {
  'code cbom': 'gadriel code scan --json lists weak cryptography',
  'code status': 'gadriel code report --summary tells what is open',
  'hooks adapt': 'gadriel install cursor, gadriel install vscode and gadriel install claude set up a host',
  'code report --format': 'gadriel code report --html FILE writes a page, --sarif FILE a log',
  'code report --all-pillars': 'gadriel code report --summary covers every pillar',
  'code report --fail-on': 'gadriel code scan --severity LEVEL exits 1 at the threshold',
};

/** Refuses a form that is not built: wrong usage, exit code 2, with the nearest one. */
export function refuseNotBuilt(form: keyof typeof notBuilt, help: string): never {
  throw new UsageError(`${form} is not built; ${notBuilt[form]}`, { help });
}
