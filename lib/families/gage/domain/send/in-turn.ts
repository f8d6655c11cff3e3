/** Runs a short piece of reading and writing when it is its turn among the calls of a session; the command line has no others. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** For who has no calls beside this one. */
export const atOnce: InTurn = (work) => work();
