/** The last piece of work of each key that is not over yet. */
const tails = new Map<string, Promise<unknown>>();

/** Runs `work` after all earlier work of the same key in this process is over, however that ended. */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = tails.get(key);
  const mine = before === undefined ? work() : before.then(work);
  const tail = mine.catch(() => undefined);
  tails.set(key, tail);
  try {
    return await mine;
  } finally {
    if (tails.get(key) === tail) tails.delete(key);
  }
}
