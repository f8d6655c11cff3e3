import { checkFamily } from '../mcp/dispatch-table.ts';
import type { Family } from '../mcp/family.types.ts';
import { Compiler } from '../mcp/compiler.ts';
import { makeServer, type Server } from '../mcp/server.ts';
import { version as ownVersion } from '../version.ts';
import { findBuiltIn, selectFamilies } from './families.ts';
import { UsageError } from '../terminal/usage-error.ts';

/** How long plugins may take to load and to list their tools, in milliseconds. */
const pluginLimitMs = 30_000;
/** How long families may take to close, in milliseconds. */
const closeLimitMs = 2_000;

/**
 * Makes the server of the chosen families and the plugins. With plugins it waits until every tool table is known to be
 * good; without, tables may still be loading.
 */
export async function openServer(name: string, names: readonly string[], plugins: readonly string[]): Promise<Server> {
  // One that is served under the name of a family has its version too, as its --version says.
  const version = findBuiltIn(name)?.version ?? ownVersion;
  if (plugins.length === 0) {
    const families = selectFamilies(names, []);
    return makeServer({ name, version, families, proven: families }, schemaCompiler());
  }
  const load = async (): Promise<Server> => {
    const plugged = await loadPlugins(plugins);
    const families = selectFamilies(names, plugged);
    const compiler = schemaCompiler();
    try {
      const proven = families.filter((family) => !plugged.includes(family));
      await compiler.load();
      const server = makeServer({ name, version, families, proven }, compiler);
      await server.ready;
      return server;
    } catch (error) {
      throw pluginError(plugins.join(', '), error);
    }
  };
  return withinLimit(load(), plugins);
}

/** A compiler that is read at the first call. */
function schemaCompiler(): Compiler {
  return new Compiler({ load: async () => (await import('../schema/validate.ts')).compileSchema });
}

/** The families of plugins, in their order. Throws a UsageError that names the plugin and the reason. */
export async function loadPlugins(plugins: readonly string[]): Promise<readonly Family[]> {
  const { loadPlugin } = await import('./plugins.ts');
  const families: Family[] = [];
  for (const plugin of plugins) {
    try {
      families.push(...(await loadPlugin(plugin, process.cwd(), checkFamily)));
    } catch (error) {
      throw pluginError(plugin, error);
    }
  }
  return families;
}

/** Closes a server or a family, but waits no longer than two seconds: one that never finishes must not keep the program. */
export async function closeInTime(closable: { close?(): unknown }): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, closeLimitMs)));
  await Promise.race([closable.close?.(), late]);
  clearTimeout(timer);
}

function pluginError(plugin: string, error: unknown): UsageError {
  return new UsageError(`plugin ${plugin}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

async function withinLimit<T>(promise: Promise<T>, plugins: readonly string[]): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const message = `plugin ${plugins.join(', ')}: not loaded within ${pluginLimitMs / 1_000} seconds`;
    timer = setTimeout(() => reject(new UsageError(message)), pluginLimitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
