/** Codes of failed file operations in words, said behind what failed ("X can not be read: permission denied"). */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the limit for the size of files is reached',
  EIO: 'the disk reports an error',
  EMFILE: 'too many files are open',
  EBUSY: 'it is in use',
  EISDIR: 'it is a folder',
  EINVAL: 'it is no regular file',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is no folder',
  EEXIST: 'something else is in its place',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  ERR_INVALID_ARG_VALUE: 'its name holds a NUL character',
};

/** The code of a system error (`ENOENT`); undefined for every other error. */
export const systemErrorCode = (error: unknown): string | undefined => {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
};

/** Whether the error says that there is nothing at a path. */
export const isMissing = (error: unknown): boolean => systemErrorCode(error) === 'ENOENT';

/** Whether an error, or one that it was made from, says that the disk, its table of files or the quota on it is used up. */
export function isDiskFull(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) if (['ENOSPC', 'EDQUOT'].includes(systemErrorCode(each) ?? '')) return true;
  return false;
}

/**
 * Why a file operation failed, without the absolute path that the system's own message has; the bare code where there are no words.
 * `own` says it better where the caller knows more than the system.
 */
export function systemReason(error: unknown, own: Readonly<Record<string, string>> = {}): string {
  const code = systemErrorCode(error) ?? 'unknown error';
  return own[code] ?? reasons[code] ?? code;
}
