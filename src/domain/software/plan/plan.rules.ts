import { createHash } from 'node:crypto';

import type { Json } from '../../../platform/encoding/json.js';
import { isObject } from '../../../platform/validate.js';
import type { FleetDocument, ParameterState, Path, PlanChange } from './plan.model.js';

type Records = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Sections with values by name, of which each is compared alone. */
const SECTIONS: ReadonlySet<string> = new Set([
  'appVersions',
  'defaultAppVersions',
  'parameters',
  'metacontents',
]);

const mapped = <V, W>(values: Readonly<Record<string, V>>, map: (value: V) => W) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));

/** A parameter as documents have it: its value alone, if it has no description. */
const written = ({ value, description }: ParameterState): Json =>
  description === null ? value : { value, description };

/** A state in the form in which clients write it. */
export function writtenState(state: FleetDocument): Record<string, Records> {
  return mapped(state as Record<string, Records>, (records) =>
    mapped(records, (record) =>
      record.parameters === undefined
        ? record
        : { ...record, parameters: mapped(record.parameters as Record<string, ParameterState>, written) },
    ),
  );
}

/** The values of a written state by their paths as JSON texts. */
function valuesIn(state: Record<string, Records>): ReadonlyMap<string, Json> {
  const values = new Map<string, Json>();
  const add = (path: Path, value: unknown): void => void values.set(JSON.stringify(path), value as Json);
  for (const [kind, records] of Object.entries(state)) {
    for (const [name, record] of Object.entries(records)) {
      for (const [section, value] of Object.entries(record)) {
        const path = [kind, name, section];
        if (!SECTIONS.has(section)) add(path, value);
        else for (const [key, own] of Object.entries(value as object)) add([...path, key], own);
      }
    }
  }
  return values;
}

/** The differences that turn one state into another, in the order of the second, removals last. */
export function differences(present: FleetDocument, desired: FleetDocument): readonly PlanChange[] {
  const [old, now] = [valuesIn(writtenState(present)), valuesIn(writtenState(desired))];
  const changes: PlanChange[] = [];
  for (const [key, after] of now) {
    const before = old.get(key);
    if (before !== undefined && canonical(before) === canonical(after)) continue;
    const path = JSON.parse(key) as Path;
    changes.push({ path, action: before === undefined ? 'ADD' : 'CHANGE', before: before ?? null, after });
  }
  for (const [key, before] of old) {
    if (!now.has(key)) changes.push({ path: JSON.parse(key) as Path, action: 'REMOVE', before, after: null });
  }
  return changes;
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
