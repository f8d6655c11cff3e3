// The program as specs spawn it: the command line of bin/toolwire.js over the unbundled modules, so that coverage counts.
import { main } from '../../lib/cli.ts';

await main(process.argv.slice(2));
