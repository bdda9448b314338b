import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Makes an empty folder; the global setup removes it after the run if the test does not. */
export function scratchFolder(): string {
  return mkdtempSync(join(inject('scratch'), 'test-'));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

const COMMAND =
  'openssl req -x509 -newkey rsa:2048 -nodes -keyout "$0" -out "$1" -subj /CN=localhost -days 1';

/** Makes a self-signed certificate and its key, as files in the folder. */
export function selfSigned(folder: string): { readonly cert: string; readonly key: string } {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  execFileSync('sh', ['-c', COMMAND, key, cert], { stdio: 'ignore' });
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}
