import { isDeepStrictEqual } from 'node:util';

import type { ReadWork } from '../../../database/work.js';
import type { Json } from '../../../platform/encoding/json.js';
import type { FieldChange } from '../../base/ledger/ledger.service.js';
import { groups } from '../group/group.service.js';
import { logicalNumbers } from '../logical-number/logical-number.service.js';
import { parametersOf } from '../setting/parameter.service.js';
import type { Planned } from './import.service.js';

export type ImportAction = 'create' | 'update' | 'none';

/** A row with what its import would change. */
export interface PreviewRow {
  readonly line: number;
  readonly serialNumber: string;
  readonly action: ImportAction;
  /** True if its logical number does not exist yet. */
  readonly createsNumber: boolean;
  readonly changes: readonly FieldChange[];
}

type Values = Readonly<Record<string, Json | undefined>>;

/** Some rows with what they would change of the records as they are. Three statements. */
export async function previewOf(
  work: ReadWork,
  planned: readonly (Planned & { readonly line: number })[],
): Promise<readonly PreviewRow[]> {
  const numbers = planned.flatMap(({ number }) => number ?? []);
  const ids = numbers.map(({ id }) => id);
  const former = await logicalNumbers.byIds(
    work,
    planned.flatMap(({ device }) => device?.logicalNumberId ?? []),
  );
  const named = await groups.byIds(
    work,
    numbers.flatMap(({ groupId }) => groupId ?? []),
  );
  const settings = Map.groupBy(await parametersOf(work, ids, []), (each) => each.logicalNumberId);
  return planned.map(({ line, row, device, number }) => {
    const { serialNumber, parameters, ...given } = row;
    const present = settings.get(number?.id ?? 0) ?? [];
    const before: Values = {
      logicalNumber: former.get(device?.logicalNumberId ?? 0)?.number,
      enabled: device?.enabled,
      tags: device?.tags,
      notes: device?.notes,
      group: named.get(number?.groupId ?? 0)?.name,
      merchantName: number?.merchantName,
      merchantAddress: number?.merchantAddress,
      numberTags: number?.tags,
      numberNotes: number?.notes,
      ...underParameters(present.map(({ key, value }) => [key, value])),
    };
    const changes = changesBetween(before, {
      ...given,
      ...underParameters(Object.entries(parameters ?? {})),
    });
    const isNone = changes.length === 0;
    const action = device === undefined ? 'create' : isNone ? 'none' : 'update';
    const createsNumber = given.logicalNumber !== undefined && number === undefined;
    return { line, serialNumber, action, createsNumber, changes };
  });
}

/** Values of parameters under names that no other field has. */
const underParameters = (values: readonly (readonly [string, string])[]): Values =>
  Object.fromEntries(values.map(([key, value]) => [`parameters.${key}`, value]));

/** The given values that differ from those before; a list without entries is none. */
function changesBetween(before: Values, given: Values): readonly FieldChange[] {
  const valueOf = (value: Json | undefined): Json =>
    Array.isArray(value) && value.length === 0 ? null : (value ?? null);
  return Object.entries(given).flatMap(([field, after]) => {
    const change = { field, before: valueOf(before[field]), after: valueOf(after) };
    return isDeepStrictEqual(change.before, change.after) ? [] : [change];
  });
}
