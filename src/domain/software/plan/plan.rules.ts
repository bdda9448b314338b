import { createHash } from 'node:crypto';

import type { Json } from '../../../platform/encoding/json.js';
import { isObject } from '../../../platform/validate.js';
import type { FleetDocument, Path, PlanChange } from './plan.model.js';

type Records = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A state without the kinds of which it has no records. */
export const writtenState = (state: FleetDocument): object =>
  Object.fromEntries(Object.entries(state).filter(([, records]) => Object.keys(records).length > 0));

/** The values of a state by their paths as JSON texts; a section of values by name has several. */
function valuesIn(state: FleetDocument): ReadonlyMap<string, Json> {
  const values = new Map<string, Json>();
  const add = (path: Path, value: unknown): void => void values.set(JSON.stringify(path), value as Json);
  for (const [kind, records] of Object.entries<Records>(state)) {
    for (const [name, record] of Object.entries(records)) {
      for (const [section, value] of Object.entries(record)) {
        const path = [kind, name, section];
        if (!isObject(value)) add(path, value);
        else for (const [key, own] of Object.entries(value)) add([...path, key], own);
      }
    }
  }
  return values;
}

/** The differences that turn one state into another, in the order of the second, removals last. */
export function differences(present: FleetDocument, desired: FleetDocument): readonly PlanChange[] {
  const [old, now] = [valuesIn(present), valuesIn(desired)];
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((key): readonly PlanChange[] => {
    const [before, after] = [old.get(key), now.get(key)];
    if (canonical(before) === canonical(after)) return [];
    const action = before === undefined ? 'ADD' : after === undefined ? 'REMOVE' : 'CHANGE';
    return [{ path: JSON.parse(key) as Path, action, before: before ?? null, after: after ?? null }];
  });
}

/** JSON text with the names of each object in one order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, given: unknown) =>
    isObject(given)
      ? Object.fromEntries(Object.entries(given).sort(([one], [other]) => (one < other ? -1 : 1)))
      : given,
  );

/** Hash of the present and the desired state, 64 hexadecimal digits. */
export const hashOf = (present: FleetDocument, desired: FleetDocument): string =>
  createHash('sha256')
    .update(canonical([present, desired]))
    .digest('hex');
