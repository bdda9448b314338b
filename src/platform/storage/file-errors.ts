/** Messages for errors of the operating system about a file or folder: its path, and the cause. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

type Cause = (path: string, syscall: string) => string;

const NO_PERMISSION: Cause = () => 'this user has no permission for it';
const NO_ROOM: Cause = () => 'its disk is full';
const IS_FOLDER: Cause = () => 'it is a folder, not a file';

/** Causes by error code of the operating system. */
const CAUSES: Readonly<Record<string, Cause>> = {
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EROFS: () => 'its file system is read-only',
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
  EFBIG: () => 'it would be larger than a file may be here',
  EIO: () => 'its disk failed to read or write',
  ENOENT: missing,
  ENOTDIR: () => 'a part of this path is a file, not a folder',
  EISDIR: IS_FOLDER,
  ERR_FS_EISDIR: IS_FOLDER,
  EEXIST: (_path, syscall) => (syscall === 'mkdir' ? 'it is a file, not a folder' : 'it exists already'),
  ELOOP: () => 'its symbolic links lead back to it',
  ENAMETOOLONG: () => 'its name is too long',
  EMFILE: () => 'this process has too many files open',
};

/** The cause of an error, for example `the folder /nope does not exist`; null if it is not about a file. */
export function fileCause(error: unknown, known?: string): string | null {
  if (!(error instanceof Error)) return null;
  const { code = '', path = known ?? '', syscall = '' } = error as NodeJS.ErrnoException;
  return syscall === '' ? null : (CAUSES[code]?.(path, syscall) ?? null);
}

/**
 * The path and the cause of an error, for example `/nope/x.db: the folder /nope does not exist`; null if it
 * is not about a file. `known` is the path for errors without one.
 */
export function fileProblem(error: unknown, known?: string): string | null {
  const cause = fileCause(error, known);
  const { path = known } = (cause === null ? {} : error) as NodeJS.ErrnoException;
  return cause === null || path === undefined ? cause : `${path}: ${cause}`;
}

/** Runs `use`. Adds the path to errors about a file, because errors of reading have none. */
export function namingPath<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw withPath(error, path);
  }
}

export function withPath(error: unknown, path: string): unknown {
  if (fileCause(error) !== null) (error as NodeJS.ErrnoException).path ??= path;
  return error;
}

function missing(path: string): string {
  let folder = dirname(resolve(path));
  if (existsSync(folder)) return 'it does not exist';
  while (!existsSync(dirname(folder))) folder = dirname(folder);
  return `the folder ${folder} does not exist`;
}
