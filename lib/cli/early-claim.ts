import { claimStdout, type StdoutClaim } from '../mcp/claim-stdout.ts';

/**
 * The claim on stdout, made when this module is evaluated. The command line imports it first of all, so that nothing a
 * family's or a plugin's module writes while it loads can reach stdout.
 */
export const stdoutClaim: StdoutClaim = claimStdout();
