import { createPrivateKey, X509Certificate } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, futimesSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { type Clock, SECOND } from './clock.js';

/** Messages for errors of the operating system about a file or folder: its path, and the cause. */

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

/** Path and cause, for example `/nope/x.db: the folder /nope does not exist`; null if the error is not about a file. */
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

/** Flushes a file, or the entries of a folder, to the disk, so that earlier writes survive a power failure. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const OWNER_ONLY = 0o600;

/** Sets the modification time of the file, which is the time of the last backup. Errors: those of the system. */
export function noteBackup(path: string, { now }: Pick<Clock, 'now'>): void {
  const descriptor = openSync(path, 'a', OWNER_ONLY);
  try {
    futimesSync(descriptor, now(), now());
  } finally {
    closeSync(descriptor);
  }
}

/** Time since a file was last changed; null if it does not exist. */
export function ageSeconds(path: string, { now }: Pick<Clock, 'now'>): number | null {
  const file = statSync(path, { throwIfNoEntry: false });
  return file === undefined ? null : Math.max(0, (now().getTime() - file.mtimeMs) / SECOND);
}

/** Errors: an `Error` with the path and the cause. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} cannot be read (${fileCause(error, file) ?? 'unknown'})`, { cause: error });
  }
}

/** Certificate chain and private key, as PEM texts. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

/** Null if neither file is given. Errors: an `Error` that says which file cannot be used, and why. */
export function readTls(certFile: string, keyFile: string): Tls | null {
  if (certFile === '' && keyFile === '') return null;
  if (certFile === '' || keyFile === '') throw new Error('set both TLS_CERT_FILE and TLS_KEY_FILE');
  const [cert, key] = [readText(certFile), readText(keyFile)];
  const certificate = parsed(certFile, 'a certificate', () => new X509Certificate(cert));
  const privateKey = parsed(keyFile, 'a private key without a password', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(`the key in ${keyFile} is not the key of the certificate in ${certFile}`);
  }
  return { cert, key };
}

/** Expiry date of the certificate, for example `Nov 22 02:00:00 2026 GMT`. */
export const expiryOf = ({ cert }: Tls): string => new X509Certificate(cert).validTo;

/** Errors: an `Error` that says that the file does not hold `what`. */
export function parsed<T>(file: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new Error(`${file} does not hold ${what} (PEM)`, { cause: error });
  }
}
