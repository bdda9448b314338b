import { isStorable, NOT_STORABLE } from './text.js';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const MAX_JSON_DEPTH = 32;
const MAX_JSON_NODES = 10_000;

/**
 * The reason why a parsed JSON value cannot be stored; undefined if it can. A stored value must be read back
 * unchanged and must never break a response: deep nesting overflows a serializer, and numbers beyond 2^53 or
 * 1e308 change.
 */
export function problemOfJson(value: unknown): string | undefined {
  const pending: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  let nodes = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    nodes += 1;
    if (nodes > MAX_JSON_NODES) return `must have at most ${MAX_JSON_NODES} values`;
    if (next.depth > MAX_JSON_DEPTH) return `must be nested at most ${MAX_JSON_DEPTH} levels deep`;
    const problem = problemOfScalar(next.value);
    if (problem !== undefined) return problem;
    for (const child of childrenOf(next.value)) pending.push({ value: child, depth: next.depth + 1 });
  }
  return undefined;
}

function problemOfScalar(value: unknown): string | undefined {
  if (typeof value === 'string' && !isStorable(value)) return NOT_STORABLE;
  if (typeof value !== 'number') return undefined;
  if (!Number.isFinite(value)) return 'must not contain numbers beyond 1e308';
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return 'must not contain whole numbers beyond 2^53 - 1: send them as strings';
  }
  return undefined;
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flat();
}

/** The value of a JSON text; undefined for any other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
