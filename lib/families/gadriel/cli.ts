import type { Cli, Verb } from '../../mcp/family.types.ts';
import { campaignAdvanceHelp, campaignStartHelp } from './cli/help/campaign.ts';
import { findingsHelp } from './cli/help/findings.ts';
import { fixHelp } from './cli/help/fix.ts';
import { hooksHelp } from './cli/help/hooks.ts';
import { initHelp } from './cli/help/init.ts';
import { reportHelp } from './cli/help/report.ts';
import { rulesHelp } from './cli/help/rules.ts';
import { scanHelp } from './cli/help/scan.ts';
import { submitHelp } from './cli/help/submit.ts';
import { validateHelp } from './cli/help/validate.ts';
import { watchHelp } from './cli/help/watch.ts';
import { notBuilt, refuseNotBuilt } from './cli/not-built.ts';

/** A form of the public command line that is not built: it is listed, and names the nearest one. */
const unbuilt = (form: string): Verb => ({
  summary: 'not built; it names the nearest command',
  help: `Usage: gadriel ${form}\n\nNot built: ${notBuilt[form]}.\nExit code: 2.\n\nExample:\n  gadriel --help\n`,
  run: () => refuseNotBuilt(form, 'gadriel --help'),
});

/**
 * The verbs of `toolwire gadriel …` and of the bin `gadriel`, in the order of their use. What they do is loaded when one is
 * asked for.
 */
export const cli: Cli = {
  verbs: {
    'code scan': {
      summary: 'scan a repository, or a part of it',
      help: scanHelp,
      run: async (words, terminal) => (await import('./cli/scan.ts')).runScan(words, terminal),
    },
    'code findings': {
      summary: 'show what the last scan found',
      help: findingsHelp,
      run: async (words, terminal) => (await import('./cli/findings.ts')).runFindings(words, terminal),
    },
    'code validate': {
      summary: 'scan one file or standard input',
      help: validateHelp,
      run: async (words, terminal) => (await import('./cli/validate.ts')).runValidate(words, terminal),
    },
    'code fix': {
      summary: 'print a diff that fixes a finding, or dismiss it',
      help: fixHelp,
      run: async (words, terminal) => (await import('./cli/fix.ts')).runFix(words, terminal),
    },
    'code campaign start': {
      summary: 'start fixing what the last scan found, one after the other',
      help: campaignStartHelp,
      run: async (words, terminal) => (await import('./cli/campaign.ts')).runCampaignStart(words, terminal),
    },
    'code campaign advance': {
      summary: 'verify the fix in progress and print the next one',
      help: campaignAdvanceHelp,
      run: async (words, terminal) => (await import('./cli/campaign.ts')).runCampaignAdvance(words, terminal),
    },
    'code submit': {
      summary: 'join what a model found with a scan',
      help: submitHelp,
      run: async (words, terminal) => (await import('./cli/submit.ts')).runSubmit(words, terminal),
    },
    'code report': {
      summary: 'the last scan in numbers, as a page or as SARIF',
      help: reportHelp,
      run: async (words, terminal) => (await import('./cli/report.ts')).runReport(words, terminal),
    },
    'code rules': {
      summary: 'list the rules, or explain one',
      help: rulesHelp,
      run: async (words, terminal) => (await import('./cli/rules.ts')).runRules(words, terminal),
    },
    'code watch': {
      summary: 'scan again whenever a file changes',
      help: watchHelp,
      run: async (words, terminal) => (await import('./cli/watch.ts')).runWatch(words, terminal),
    },
    'code init': {
      summary: 'prepare a repository and say what else to add',
      help: initHelp,
      run: async (words, terminal) => (await import('./cli/init.ts')).runInit(words, terminal),
    },
    hooks: {
      summary: "run from an agent's hooks: post-edit scans the edited file",
      help: hooksHelp,
      run: async (words, terminal) => (await import('./cli/hooks.ts')).runHooks(words, terminal),
    },
    scan: {
      summary: 'the same as code scan',
      help: scanHelp,
      run: async (words, terminal) => (await import('./cli/scan.ts')).runScan(words, terminal),
    },
    'code cbom': unbuilt('code cbom'),
    'code status': unbuilt('code status'),
  },
};
