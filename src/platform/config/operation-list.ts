import { createHash } from 'node:crypto';

/** Texts of operations by their SHA-256 in hexadecimal. */
export type OperationList = ReadonlyMap<string, string>;

/** As persisted operations go by. */
export function operationHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A JSON list of documents, or an object from SHA-256 to document. Throws an `Error` that says what is wrong. */
export function parseOperationList(json: string): OperationList {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null) throw shapeError();
  const operations = new Map<string, string>();
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== 'string') throw shapeError();
    const hash = operationHash(text);
    if (!Array.isArray(value) && name.toLowerCase() !== hash) {
      throw new Error(`"${name}" is not the SHA-256 of its document, which is ${hash}`);
    }
    operations.set(hash, text);
  }
  return operations;
}

function shapeError(): Error {
  return new Error('must hold a JSON list of documents, or an object from SHA-256 to document');
}
