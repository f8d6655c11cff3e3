import { compileSchema } from '../schema/validate.ts';
import { Compiler } from './compiler.ts';
import { makeServer, type Server, type ServerOptions } from './server.ts';

/**
 * Makes a server of families. Returns at once; tools/* wait for families that load their tools asynchronously.
 *
 * Throws a TypeError for a family, tool or schema that does not keep the contract.
 */
export function createServer(options: ServerOptions): Server {
  return makeServer(options, new Compiler({ compile: compileSchema }));
}
