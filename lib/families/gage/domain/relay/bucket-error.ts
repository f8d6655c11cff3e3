/** The bucket did not do what it was asked, in words without keys; carries the status, null without an answer or when it broke off. */
export class BucketError extends Error {
  static {
    this.prototype.name = 'BucketError';
  }
  readonly status: number | null;

  constructor(message: string, status: number | null, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
  }
}

/** It answered with a status that is no success. */
export const saysNo = (method: string, status: number): BucketError => new BucketError(`the bucket answered ${status} (${method})`, status);

/** It says that all is well, but not as every S3 server does: something else answers, or only a part of the answer came. */
export const isNoS3 = (method: string, what: string, status: number): BucketError =>
  new BucketError(`the bucket answered as no S3 server does (${method}: ${what}); check the URL of --bucket`, status);

/** No answer came. */
export const isUnreachable = (method: string, cause: unknown): BucketError => new BucketError(`the bucket cannot be reached (${[method, ...reasonOf(cause)].join(', ')})`, null, cause);

/** An answer began, and not all of it came. */
export const brokeOff = (method: string, cause: unknown): BucketError => new BucketError(`the answer of the bucket broke off (${[method, ...reasonOf(cause)].join(', ')})`, null, cause);

/** The code of the system, which fetch keeps in a cause; codes are safe words. */
function reasonOf(error: unknown): readonly string[] {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each.name === 'TimeoutError') return ['not in time'];
    const { code } = each as NodeJS.ErrnoException;
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code)) return [code];
  }
  return [];
}
