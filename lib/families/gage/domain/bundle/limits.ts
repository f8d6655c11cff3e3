/** Limits of a bundle: items by number, all else in bytes. */
export const limits = {
  items: 256,
  itemBytes: 8 * 1024 * 1024,
  totalBytes: 16 * 1024 * 1024,
  nameBytes: 255,
  subjectBytes: 200,
  manifestBytes: 256 * 1024,
} as const;
