import { open, rm } from 'node:fs/promises';

/**
 * Writes a file that must not be there yet and makes its bytes durable (not its folder's entry: `syncFolder` does); `mode` is
 * narrow from the first byte on, as a chmod afterwards would come too late. Throws the system's error, EEXIST where
 * something is there; then, and after a full disk, no file of its own is left.
 */
export async function writeNewFile(file: string, bytes: string | Uint8Array, mode = 0o600): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}
