import { exitCodes } from '../../../terminal/exit-codes.ts';

/** The exit codes of gage: the shared ones, a bad verdict that was shown, and a relay that could not be used. */
export const gageExit = { ...exitCodes, verdict: 3, network: 4 } as const;
