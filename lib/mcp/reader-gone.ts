const codes: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'EOF']);

/** Whether a write failed because nobody reads any more (a closed pipe), which is the reader's right and no fault to report. */
export function isReaderGone(error: Error): boolean {
  return codes.has((error as { code?: unknown }).code);
}
