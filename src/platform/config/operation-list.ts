import { createHash } from 'node:crypto';

/** GraphQL documents by their SHA-256 in lower-case hexadecimal. */
export type OperationList = ReadonlyMap<string, string>;

/** Id of a persisted operation: SHA-256 of its document, in lower-case hexadecimal. */
export function operationHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Parses `["{ viewer { role } }"]` or `{"<SHA-256>": "{ viewer { role } }"}`. Errors: an `Error` with the
 * reason.
 */
export function parseOperationList(json: string): OperationList {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null) throw shapeError();
  const operations = new Map<string, string>();
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== 'string') throw shapeError();
    const hash = operationHash(text);
    if (!Array.isArray(value) && name.toLowerCase() !== hash) {
      throw new Error(`"${name}" is not the SHA-256 of its document; that is ${hash}`);
    }
    operations.set(hash, text);
  }
  return operations;
}

function shapeError(): Error {
  return new Error('must hold a JSON list of documents, or an object from SHA-256 to document');
}
