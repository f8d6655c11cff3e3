// A process of processes.spec.ts: works a campaign off with a runner that fails at everything, until it is killed or done.
import { advanceCampaign } from '../../../../lib/families/gadriel/domain/campaign/advance.ts';
import { scanText } from './campaign-kit.ts';

const [root = '', campaignId = ''] = process.argv.slice(2);
process.stdout.write('ready\n');
const answer = await advanceCampaign(
  { root, campaignId, applied: undefined, afterHash: undefined, reason: undefined },
  {
    env: { GADRIEL_HOME: `${root}/.git/home` }, cwd: root, now: Date.now, random: (size) => new Uint8Array(size), log: () => undefined,
    signal: new AbortController().signal, progress: () => undefined, exclusive: (work) => work(),
    rescanFile: async (_root, file, text) => scanText(file, text),
    proposeFix: async ({ runnerId, findingId }) => ({
      status: 'runner_failed', runner_id: runnerId, finding_id: findingId, diff: null, rationale: 'no', iterations_used: 1, tool_calls: [], cost_usd: 0.001,
    }),
  },
);
process.stdout.write(`${JSON.stringify(answer)}\n`);
