import { writeFileAtomic } from '../../../../store/atomic-write.ts';
import { makeFolders } from '../../../../store/make-folders.ts';
import { canonicalJson } from '../../../../text/canonical-json.ts';
import { systemErrorCode, systemReason } from '../../../../text/system-error.ts';
import type { Home } from '../home/home.ts';
import { readOrigin } from '../home/relay-origin.ts';
import { parseTime } from '../identity/time.ts';
import { readNote } from '../inbox/places.ts';

/** When, where and to which key a bundle was pushed last; `to` is a signing key in base64. */
export type PushNote = { readonly at: string; readonly message_id: string; readonly relay: string; readonly to: string };

/**
 * Writes `outbox/<id>.push.json`. The message has left by then, so a disk that says no is a warning and no failure: a second try
 * would send it twice.
 */
export async function notePush(home: Home, id: string, note: PushNote): Promise<readonly string[]> {
  try {
    makeFolders(home.path('outbox'), 0o700);
    await writeFileAtomic(home.path('outbox', `${id}.push.json`), `${canonicalJson(note)}\n`, { mode: 0o600 });
    return [];
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return [`the bundle was pushed, but outbox/${id}.push.json can not be written: ${systemReason(error)}`];
  }
}

/** When and through which relay a bundle was pushed last, as its note says; undefined where there is none, or none of ours. */
export function lastPush(home: Home, id: string): Pick<PushNote, 'at' | 'relay'> | undefined {
  const { at, relay } = readNote(home.path('outbox', `${id}.push.json`)) ?? {};
  if (typeof at !== 'string' || parseTime(at) === undefined || typeof relay !== 'string') return undefined;
  const read = readOrigin(relay);
  return 'origin' in read ? { at, relay: read.origin } : undefined;
}
