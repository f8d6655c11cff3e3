/** The part of a terminal's output stream that this folder uses; specs hand in their own. */
export type OutputStream = {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
};
