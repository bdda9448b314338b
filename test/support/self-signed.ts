import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const COMMAND =
  'openssl req -x509 -newkey rsa:2048 -nodes -keyout "$0" -out "$1" -subj /CN=localhost -days 1';

/** Makes a self-signed certificate and its key, as files in the folder. */
export function selfSigned(folder: string): { readonly cert: string; readonly key: string } {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  execFileSync('sh', ['-c', COMMAND, key, cert], { stdio: 'ignore' });
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}
