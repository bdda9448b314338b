import { isStorable } from '../text.js';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const MAX_JSON_DEPTH = 32;
const MAX_JSON_NODES = 10_000;

/**
 * Why a parsed JSON value cannot be kept, or undefined. What is kept must come back as it was given and
 * must never break a later answer: deep nesting overflows a serializer, a number beyond 2^53 or 1e308 changes.
 */
export function problemOfJson(value: unknown): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  let nodes = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    nodes += 1;
    if (nodes > MAX_JSON_NODES) return `must have at most ${MAX_JSON_NODES} values`;
    if (next.depth > MAX_JSON_DEPTH) return `must be nested at most ${MAX_JSON_DEPTH} levels deep`;
    const problem = problemOfScalar(next.value);
    if (problem !== undefined) return problem;
    for (const child of childrenOf(next.value)) open.push({ value: child, depth: next.depth + 1 });
  }
  return undefined;
}

function problemOfScalar(value: unknown): string | undefined {
  if (typeof value === 'string' && !isStorable(value)) return 'must not contain NUL or broken characters';
  if (typeof value !== 'number') return undefined;
  if (!Number.isFinite(value)) return 'must not contain numbers too large to keep';
  if (Number.isInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) < 1e21) {
    return 'must not contain whole numbers beyond 2^53 - 1: send them as text';
  }
  return undefined;
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flat();
}
