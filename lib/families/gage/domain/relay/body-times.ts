/** How long a body may take, in milliseconds: `bodyMs`, and a second more for each `bytesASecond` that have come. */
export type BodyTimes = { readonly bodyMs: number; readonly bytesASecond: number };

/** 60 s + 1 s per 64 KiB (design section 0, Relay): a sender slower than that holds a socket for nothing. */
export const bodyTimes: BodyTimes = { bodyMs: 60_000, bytesASecond: 64 * 1024 };
