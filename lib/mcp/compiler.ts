import type { compileSchema } from '../schema/validate.ts';

/** Makes a validator of a schema; throws for one that it does not support. */
export type CompileSchema = typeof compileSchema;

/**
 * The schema compiler of a server, which may not be loaded yet: it is a third of what serving needs, and a program that is
 * asked for no call does without.
 */
export class Compiler {
  #compile: CompileSchema | undefined;
  readonly #load: () => Promise<CompileSchema>;
  #loading: Promise<void> | undefined;

  constructor(source: { readonly compile: CompileSchema } | { load(): Promise<CompileSchema> }) {
    this.#compile = 'compile' in source ? source.compile : undefined;
    this.#load = 'compile' in source ? async () => source.compile : () => source.load();
  }

  /** Whether `compile` may be called. */
  get loaded(): boolean {
    return this.#compile !== undefined;
  }

  /** Resolves when it may be called. */
  load(): Promise<void> {
    return (this.#loading ??= this.#load().then((compile) => void (this.#compile = compile)));
  }

  compile(schema: Parameters<CompileSchema>[0]): ReturnType<CompileSchema> {
    if (this.#compile === undefined) throw new Error('the schema compiler is not loaded');
    return this.#compile(schema);
  }
}
