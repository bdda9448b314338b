import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { fileCause } from '../storage/file-errors.js';

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
export function expiryOf({ cert }: Tls): string {
  return new X509Certificate(cert).validTo;
}

function parsed<T>(file: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new Error(`${file} does not hold ${what} (PEM)`, { cause: error });
  }
}
