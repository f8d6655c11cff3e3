/** Names that the user's settings give a meaning, and the ways in which code may say them. */

const brackets = /(?:\(\)|\[\])+$/;

/**
 * Own sources, sinks and sanitizers by name. They are written absolute (`pkg.web.ask`); code also says them relative to its
 * package, and the module that defines one says its name alone.
 */
export class OwnNames {
  /** By last segment before any call. */
  private readonly byLast = new Map<string, string[]>();

  private readonly isSink: ReadonlySet<string>;

  constructor(names: readonly string[], sinks: readonly string[]) {
    this.isSink = new Set(sinks);
    for (const name of new Set([...names, ...sinks])) {
      const plain = plainPart(name);
      const last = plain.slice(plain.lastIndexOf('.') + 1);
      const list = this.byLast.get(last);
      if (list === undefined) this.byLast.set(last, [name]);
      else list.push(name);
    }
  }

  /** The own name, as far as its first call, that an import in `file` says: `..web.ask` for `pkg.web.ask`. */
  said(path: string, file: string): string | undefined {
    if (this.byLast.size === 0) return undefined;
    const names = this.byLast.get(path.slice(path.lastIndexOf('.') + 1));
    const absolute = names === undefined || !path.startsWith('.') ? path : absoluteName(path, file);
    const own = names?.find((name) => absolute === plainPart(name) || path !== absolute && absolute.endsWith(`.${plainPart(name)}`));
    return own === undefined ? undefined : plainPart(own);
  }

  /**
   * The own source or sanitizer that a function `name` of the module at `file` is; a name without a module is that of every
   * module. (A sink is looked into by its own module as any function.)
   */
  definedIn(file: string, name: string): string | undefined {
    return this.byLast.get(name)?.find((own) => {
      const dot = own.lastIndexOf('.');
      // A class whose method is meant is looked into as any class.
      if (this.isSink.has(own) || own.replace(brackets, '').slice(dot + 1) !== name) return false;
      return dot < 0 || isModule(file, own.slice(0, dot));
    });
  }
}

/** `pkg.Client` of `pkg.Client().fetch`. */
const plainPart = (name: string): string => {
  const at = name.search(/[([]/);
  return at < 0 ? name : name.slice(0, at);
};

/** A relative import's name from the top of the tree: `..web.ask` in `src/pkg/sub/a.py` is `src.pkg.web.ask`. */
const absoluteName = (path: string, file: string): string => {
  const dots = /^\.+/.exec(path)?.[0].length ?? 0;
  return [...file.split('/').slice(0, -dots), path.slice(dots)].join('.');
};

/** Whether the file is what `module` names, from wherever its packages begin: `src/pkg/web.py` is `pkg.web`. */
export const isModule = (file: string, module: string): boolean => {
  const dotted = file.replace(/\.pyw?$/, '').replace(/\/__init__$/, '').replaceAll('/', '.');
  return dotted === module || dotted.endsWith(`.${module}`);
};
