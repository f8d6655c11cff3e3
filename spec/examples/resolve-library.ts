// Loaded by `node --import`: examples import `toolwire`, which here means the unbundled library beside them.
import { register } from 'node:module';

const library = new URL('../../lib/index.js', import.meta.url).href;
const hook = `export const resolve = (specifier, context, next) => specifier === 'toolwire' ? { url: ${JSON.stringify(library)}, shortCircuit: true } : next(specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
