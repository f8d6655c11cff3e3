import { UsageError } from '../../../terminal/usage-error.ts';

/** The one path that a verb takes, undefined where none was given; more, and an empty one (a variable that is not set), are wrong usage. */
export function onePath([given, extra]: readonly string[], verb: string, help: string): string | undefined {
  if (extra !== undefined) throw new UsageError(`${verb} takes one path`, { help });
  if (given === '') throw new UsageError(`${verb}: the path is empty; leave it out for the working folder`, { help });
  return given;
}
