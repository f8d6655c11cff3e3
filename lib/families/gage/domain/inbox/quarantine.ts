import { rmSync } from 'node:fs';
import { writeFileAtomic } from '../../../../store/atomic-write.ts';
import { makeFolders } from '../../../../store/make-folders.ts';
import { messageIdOf } from '../crypto/seal.ts';
import type { Home } from '../home/home.ts';
import { formatTime } from '../identity/time.ts';
import type { Verdict } from '../verdict/verdict.types.ts';
import { namesIn } from './places.ts';

/** Why a message is no bundle for us: it could not be unsealed or unpacked, or the verdict on what was in it. */
export type QuarantineReason = 'unsealable' | Verdict;

/** A message that could not be taken in. `file` is its name in `inbox/quarantine`; `reason` is null where that name says none. */
export type Quarantined = { readonly at: string; readonly message_id: string; readonly reason: string | null; readonly file: string };

/** Anybody can send messages that nobody can read, so only a few are kept for looking at. */
const MAX_KEPT = 16;
const form = /^(\d{13})-([0-9a-f]{64})(?:\.([a-z_]{1,32}))?\.msg$/;

/** Keeps the sealed bytes of a message that is no bundle for us, the newest 16 of them; one that is there is not kept twice. */
export async function quarantine(home: Home, sealed: Uint8Array, { reason, now }: { readonly reason: QuarantineReason; readonly now: number }): Promise<void> {
  const id = messageIdOf(sealed);
  if (listQuarantine(home).some(({ message_id }) => message_id === id)) return;
  const folder = home.path('inbox', 'quarantine');
  makeFolders(folder, 0o700);
  await writeFileAtomic(home.path('inbox', 'quarantine', `${String(now).padStart(13, '0')}-${id}.${reason}.msg`), sealed, { mode: 0o600 });
  for (const { file } of listQuarantine(home).slice(MAX_KEPT)) rmSync(home.path('inbox', 'quarantine', file), { recursive: true, force: true });
}

/** What is in quarantine, the newest first. */
export function listQuarantine(home: Home): readonly Quarantined[] {
  return namesIn(home, 'quarantine').sort().reverse().flatMap((file) => {
    const [, ms, id, reason = null] = form.exec(file) ?? [];
    return ms === undefined || id === undefined ? [] : [{ at: formatTime(Number(ms)), message_id: id, reason, file }];
  });
}
