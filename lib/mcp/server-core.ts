import type { Compiler } from './compiler.ts';
import { buildTable, checkFamily, type DispatchTable, type FamilyEntry, type Row } from './dispatch-table.ts';
import { makeResults, type Results, type ServerInfo } from './eras/results.ts';
import type { Family, FamilyContext, Log, Tool } from './family.types.ts';
import { FamilyQueue, Scheduler } from './schedule.ts';
import { ToolsList } from './tools-list.ts';

/** What families get from the surroundings of the server. */
export type Surroundings = Omit<FamilyContext, 'listChanged'>;

/** What a core is made of. `onListChanged` is told when the set of tools differs. */
export type CoreOptions = {
  readonly families: readonly Family[];
  readonly proven: readonly Family[];
  readonly surroundings: Surroundings;
  readonly compiler: Compiler;
  readonly pageSize: number;
  readonly onListChanged: () => void;
};

type Loaded = { readonly table: DispatchTable; readonly list: ToolsList };

/** What all sessions of a server share: the tables, the scheduler and the families' queues. */
export class ServerCore {
  readonly entries: readonly FamilyEntry[];
  readonly results: Results;
  readonly compiler: Compiler;
  readonly scheduler = new Scheduler();
  readonly log: Log;
  /** Set once the server is closed: nothing is started any more. */
  closed = false;
  /** Whether some family may know tools that it does not list. */
  readonly findsUnknownTools: boolean;
  /** Resolves when the tool tables are loaded; rejects with the reason when a family's table is no good. */
  readonly ready: Promise<void>;
  readonly #pageSize: number;
  readonly #queues = new Map<FamilyEntry, FamilyQueue>();
  readonly #onListChanged: () => void;
  #loaded: Loaded | undefined;
  #reloading: Promise<void> | undefined;
  #reloadAgain = false;

  constructor(info: ServerInfo, { families, proven, surroundings, compiler, pageSize, onListChanged }: CoreOptions) {
    for (const family of families) checkFamily(family);
    const names = families.map((family) => family.name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new TypeError(`family ${twice} is registered twice`);
    this.log = surroundings.log;
    this.compiler = compiler;
    this.#pageSize = pageSize;
    this.#onListChanged = onListChanged;
    this.results = makeResults(info, families);
    this.findsUnknownTools = families.some((family) => family.unknownTool !== undefined);
    this.entries = families.map((family) => ({ family, context: this.#contextOf(family, surroundings), proven: proven.includes(family) }));
    for (const entry of this.entries) this.#queues.set(entry, new FamilyQueue());
    const loading = this.#load();
    if (loading instanceof Promise) {
      this.ready = loading.then((loaded) => {
        this.#loaded = loaded;
      });
      // A server that nobody awaits must not end the process: each tools/* request tells of the failure.
      this.ready.catch(() => undefined);
    } else {
      this.#loaded = loading;
      this.ready = Promise.resolve();
    }
  }

  /** The tools by name; undefined until they are loaded. */
  get table(): DispatchTable | undefined {
    return this.#loaded?.table;
  }

  /** The pages of tools/list; only to be asked for once the table is there. */
  get list(): ToolsList {
    if (this.#loaded === undefined) throw new Error('the tool tables are not loaded');
    return this.#loaded.list;
  }

  /** The queue of a family's ordered calls. */
  queueOf(entry: FamilyEntry): FamilyQueue {
    const queue = this.#queues.get(entry);
    if (queue === undefined) throw new Error(`family ${entry.family.name} is not registered`);
    return queue;
  }

  /** The log of one tool: each line names the family and the tool. */
  toolLog(row: Row): Log {
    const name = `${row.entry.family.name}/${row.tool.name}`;
    return (level, message, data) => this.log(level, `${name}: ${message}`, data);
  }

  /** Calls each family's `close`. */
  async close(): Promise<void> {
    for (const { family } of this.entries) {
      try {
        await family.close?.();
      } catch (error) {
        this.log('error', `family ${family.name} failed to close`, error instanceof Error ? error.message : String(error));
      }
    }
  }

  #contextOf(family: Family, surroundings: Surroundings): FamilyContext {
    const log: Log = (level, message, data) => surroundings.log(level, `${family.name}: ${message}`, data);
    return { ...surroundings, log, listChanged: () => void this.#reload() };
  }

  /** Asks every family for its tools; synchronous where all of them answer so, which spares a cold start the wait. */
  #load(): Loaded | Promise<Loaded> {
    const tools = this.entries.map((entry) => entry.family.tools(entry.context));
    const finish = (lists: readonly (readonly Tool[])[]): Loaded => {
      const table = buildTable(this.entries.map((entry, index) => ({ entry, tools: lists[index] as readonly Tool[] })), this.compiler);
      return { table, list: new ToolsList(table, this.#pageSize) };
    };
    return tools.some((list) => list instanceof Promise) ? Promise.all(tools).then(finish) : finish(tools as (readonly Tool[])[]);
  }

  async #reload(): Promise<void> {
    if (this.#reloading !== undefined) {
      this.#reloadAgain = true;
      return this.#reloading;
    }
    this.#reloading = this.#reloadUntilQuiet();
    await this.#reloading;
    this.#reloading = undefined;
  }

  async #reloadUntilQuiet(): Promise<void> {
    do {
      this.#reloadAgain = false;
      try {
        await this.ready;
        const before = this.#loaded;
        this.#loaded = await this.#load();
        if (before !== undefined && !sameNames(before.table, this.#loaded.table)) this.#onListChanged();
      } catch (error) {
        this.log('error', 'the changed list of tools could not be loaded; the old one stays', error instanceof Error ? error.message : String(error));
      }
    } while (this.#reloadAgain);
  }
}

function sameNames(a: DispatchTable, b: DispatchTable): boolean {
  return a.rows.size === b.rows.size && [...a.rows.keys()].every((name) => b.rows.has(name));
}
