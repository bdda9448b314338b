import type { Key } from '../../database/list/slice.js';
import { requestError } from './errors.js';

/** A place in a list in one order: opaque to clients. */
export function encodeCursor(order: string, key: Key): string {
  return Buffer.from(JSON.stringify([order, key.value, key.id])).toString('base64url');
}

/** Refuses what is no cursor, or one of a list in another order. */
export function decodeCursor(text: string, order: string): Key {
  const parts = parse(text);
  if (!Array.isArray(parts) || parts.length !== 3) throw requestError('This is no cursor of such a list.');
  const [of, value, id] = parts as unknown[];
  if (of !== order) throw requestError('This cursor is of a list in another order.');
  if ((typeof value !== 'string' && !Number.isFinite(value)) || !Number.isSafeInteger(id)) {
    throw requestError('This is no cursor of such a list.');
  }
  return { value: value as string | number, id: id as number };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
