import type { GraphQLError } from 'graphql';

import type { Key } from '../../database/list/slice.js';
import { parsedJson } from '../../platform/encoding/json.js';
import { requestError } from './errors.js';

/**
 * The cursor of a record: its order, its value in that order and its id, as base64url of JSON, for example
 * `["SERIAL_NUMBER","SN-0042",17]`. The id makes the order total. Opaque to clients.
 */
export function encodeCursor(order: string, key: Key): string {
  return Buffer.from(JSON.stringify([order, key.value, key.id])).toString('base64url');
}

/** The key in a cursor. Refuses a text that is not a cursor, and a cursor of a list in another order. */
export function decodeCursor(text: string, order: string): Key {
  const parts = parsedJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (!Array.isArray(parts) || parts.length !== 3) throw notACursor();
  const [ofOrder, value, id] = parts as unknown[];
  if (ofOrder !== order) {
    throw requestError(`This cursor belongs to another order of the list; this one is ordered by ${order}.`);
  }
  if ((typeof value !== 'string' && !Number.isFinite(value)) || !Number.isSafeInteger(id)) {
    throw notACursor();
  }
  return { value: value as string | number, id: id as number };
}

function notACursor(): GraphQLError {
  return requestError(
    'This is not a cursor of this list. Pass endCursor or startCursor of one of its pages.',
  );
}
