/** A time in the one form that gage writes: `YYYY-MM-DDTHH:MM:SSZ`, from milliseconds since 1970, fractions cut off. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds since 1970 of such a time; undefined for another form and for a date that no calendar has. */
export function parseTime(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text)) return undefined;
  const ms = Date.parse(text);
  // Date.parse takes the 30th of February for the 2nd of March.
  return Number.isNaN(ms) || formatTime(ms) !== text ? undefined : ms;
}
