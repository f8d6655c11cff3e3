import { main } from '../../lib/cli.ts';

// The bins run the bundle; specs run this, so that coverage sees the modules. TOOLWIRE_FAMILY fixes a family as a bin does.
const family = process.env['TOOLWIRE_FAMILY'];
void main(process.argv.slice(2), family === undefined ? {} : { family });
