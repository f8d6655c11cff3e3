import type { Cli } from '../../mcp/family.types.ts';
import { acceptHelp } from './cli/help/accept.ts';
import { authorityHelp } from './cli/help/authority.ts';
import { buddiesHelp } from './cli/help/buddies.ts';
import { configHelp } from './cli/help/config.ts';
import { exportHelp } from './cli/help/export.ts';
import { inboxHelp } from './cli/help/inbox.ts';
import { initHelp } from './cli/help/init.ts';
import { openHelp } from './cli/help/open.ts';
import { pairHelp } from './cli/help/pair.ts';
import { pullHelp } from './cli/help/pull.ts';
import { pushHelp } from './cli/help/push.ts';
import { rejectHelp } from './cli/help/reject.ts';
import { relayHelp } from './cli/help/relay.ts';
import { restoreHelp } from './cli/help/restore.ts';
import { routeHelp } from './cli/help/route.ts';
import { sendHelp } from './cli/help/send.ts';
import { verifyHelp } from './cli/help/verify.ts';
import { whoamiHelp } from './cli/help/whoami.ts';
import { wordsHelp } from './cli/help/words.ts';

/**
 * The verbs of `toolwire gage …` and of the bin `gage`, in the order of their use. What they do is loaded when one is
 * asked for.
 */
export const cli: Cli = {
  doctor: async (terminal) => (await import('./cli/doctor.ts')).checkGage(terminal),
  verbs: {
    init: {
      summary: 'make your identity',
      help: initHelp,
      run: async (words, terminal) => (await import('./cli/init.ts')).runInit(words, terminal),
    },
    whoami: {
      summary: 'print your handle and token',
      help: whoamiHelp,
      run: async (words, terminal) => (await import('./cli/whoami.ts')).runWhoami(words, terminal),
    },
    pair: {
      summary: 'add somebody, words compared',
      help: pairHelp,
      run: async (words, terminal) => (await import('./cli/pair.ts')).runPair(words, terminal),
    },
    words: {
      summary: 'the eight words of a token, to read out',
      help: wordsHelp,
      run: async (words, terminal) => (await import('./cli/words.ts')).runWords(words, terminal),
    },
    buddies: {
      summary: 'who is on your list; confirm, rename, block, remove',
      help: buddiesHelp,
      run: async (words, terminal) => (await import('./cli/buddies.ts')).runBuddies(words, terminal),
    },
    send: {
      summary: 'build a signed bundle for a buddy',
      help: sendHelp,
      run: async (words, terminal) => (await import('./cli/send.ts')).runSend(words, terminal),
    },
    push: {
      summary: 'send a built bundle through the relay',
      help: pushHelp,
      run: async (words, terminal) => (await import('./cli/push.ts')).runPush(words, terminal),
    },
    pull: {
      summary: 'collect what waits on the relay',
      help: pullHelp,
      run: async (words, terminal) => (await import('./cli/pull.ts')).runPull(words, terminal),
    },
    inbox: {
      summary: 'what has come, with verdicts',
      help: inboxHelp,
      run: async (words, terminal) => (await import('./cli/inbox.ts')).runInbox(words, terminal),
    },
    open: {
      summary: 'show one bundle inside its frame',
      help: openHelp,
      run: async (words, terminal) => (await import('./cli/open.ts')).runOpen(words, terminal),
    },
    verify: {
      summary: 'the verdict of a bundle alone, for scripts',
      help: verifyHelp,
      run: async (words, terminal) => (await import('./cli/verify.ts')).runVerify(words, terminal),
    },
    accept: {
      summary: 'take a bundle in',
      help: acceptHelp,
      run: async (words, terminal) => (await import('./cli/accept.ts')).runAccept(words, terminal),
    },
    reject: {
      summary: 'refuse a bundle and delete it',
      help: rejectHelp,
      run: async (words, terminal) => (await import('./cli/reject.ts')).runReject(words, terminal),
    },
    route: {
      summary: 'local folders that bundles are delivered to',
      help: routeHelp,
      run: async (words, terminal) => (await import('./cli/route.ts')).runRoute(words, terminal),
    },
    config: {
      summary: 'show and set the relay and the send roots',
      help: configHelp,
      run: async (words, terminal) => (await import('./cli/config.ts')).runConfig(words, terminal),
    },
    authority: {
      summary: 'which grants there are, and which would apply',
      help: authorityHelp,
      run: async (words, terminal) => (await import('./cli/authority.ts')).runAuthority(words, terminal),
    },
    'export-identity': {
      summary: 'write the identity to a file under a passphrase',
      help: exportHelp,
      run: async (words, terminal) => (await import('./cli/export.ts')).runExportIdentity(words, terminal),
    },
    'restore-identity': {
      summary: 'make the identity from such a file',
      help: restoreHelp,
      run: async (words, terminal) => (await import('./cli/restore.ts')).runRestoreIdentity(words, terminal),
    },
    'relay serve': {
      summary: 'run a relay',
      help: relayHelp,
      run: async (words, terminal) => (await import('./cli/relay.ts')).runRelay(words, terminal),
    },
  },
};
