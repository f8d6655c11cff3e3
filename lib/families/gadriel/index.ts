import type { Family } from '../../mcp/family.types.ts';
import type { Rescans } from './domain/repository/rescan-file.ts';
import type { Sessions } from './domain/tier2/sessions.ts';
import type { Scans } from './domain/validate.ts';
import { outcomeOf } from './outcome.ts';
import { gadrielTools } from './tools.ts';

/** gadriel: scans code for vulnerabilities and leaked secrets. Makes the family for `createServer`. */
export function gadriel(): Family {
  // What the tools do is loaded at the first call. Each family has scans of its own: closing one server leaves the others be.
  let scans: Promise<Scans> | undefined;
  const loadScans = (): Promise<Scans> => (scans ??= import('./domain/validate.ts').then((domain) => new domain.Scans()));
  let rescans: Promise<Rescans> | undefined;
  const loadRescans = (): Promise<Rescans> => (rescans ??= import('./domain/repository/rescan-file.ts').then((domain) => new domain.Rescans()));
  let sessions: Promise<Sessions> | undefined;
  const loadSessions = (): Promise<Sessions> => (sessions ??= import('./domain/tier2/sessions.ts').then((domain) => new domain.Sessions()));
  return {
    name: 'gadriel',
    apiVersion: 1,
    title: 'Gadriel code security',
    instructions:
      'Scan code for vulnerabilities and leaked secrets: validate_buffer before a file is saved, validate_file after. A finding names rule, ' +
      'CWE, line and remedy; fix what is found, then scan again. After gadriel code scan, findings_for_path tells what is known of a file, ' +
      'fix_finding proposes a diff for one finding, and start_remediation_campaign with campaign_advance goes through many: you apply each ' +
      'diff, no tool writes source. dismiss_false_positive is for what a person has judged to be no issue.',
    directInvocation: true,
    tools: (context) => gadrielTools({ context, loadScans, loadRescans, loadSessions }),
    cli: async () => (await import('./cli.ts')).cli,
    outcomeOf,
    close: async () => {
      const open = [scans, rescans];
      scans = rescans = sessions = undefined;
      for (const each of open) await (await each)?.close();
    },
  };
}
