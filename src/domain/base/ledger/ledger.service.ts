import { isDeepStrictEqual } from 'node:util';

import { recordMapping } from '../../../database/company/company-table.js';
import { getFrom } from '../../../database/company/records.js';
import type { Comparison, Condition } from '../../../database/list/condition.js';
import { listOf } from '../../../database/list/list.js';
import { firstIn } from '../../../database/list/listing.js';
import type { EntityTypeName, LedgerActionName, ReadWork } from '../../../database/work.js';
import type { Json } from '../../../platform/encoding/json.js';
import type { Channel } from '../../../platform/requests.js';
import { rule } from '../../../platform/rules.js';
import { isObject } from '../../../platform/validate.js';

export interface LedgerEntry {
  /** The sequence: it counts the entries of the company from 1, without gaps. */
  readonly id: number;
  readonly sequence: number;
  readonly at: Date;
  readonly companyId: number | null;
  readonly userId: number | null;
  /** The job that made the change; 0 for the change of a request. */
  readonly jobId: number;
  readonly channel: Channel;
  readonly action: LedgerActionName;
  readonly entityType: EntityTypeName;
  readonly entityId: number | null;
  readonly before: object | null;
  readonly after: object | null;
}

const HIDDEN = ['company_id', 'position', 'token_id', 'request_id', 'ip', 'hash'] as const;
type Shown = Omit<LedgerEntry, 'id' | 'companyId'>;
const { columns, recordOf } = recordMapping<'ledger', Shown, (typeof HIDDEN)[number]>('ledger', HIDDEN);

/** Changes of requests have the job 0. */
function meaningOfJob(given: Comparison): Condition {
  if (given.operator !== 'isNull') return given;
  const isOfRequest = { ...given, operator: 'eq', value: 0 } as const;
  return given.value === true ? isOfRequest : { not: isOfRequest };
}

/** The recorded changes of the caller's company, oldest first. */
export const ledgerEntries = listOf<'ledger', LedgerEntry>({
  name: 'LedgerEntry',
  isLarge: true,
  columns: { ...columns, companyId: 'company_id' },
  table: 'ledger',
  rows: 'ledger',
  id: 'sequence',
  orders: { SEQUENCE: 'sequence' },
  filters: {
    entityType: { column: 'entity_type', kind: 'text', order: 'SEQUENCE' },
    action: { column: 'action', kind: 'text', order: 'SEQUENCE' },
    entityKind: { column: 'entity_type', kind: 'choice', order: 'SEQUENCE' },
    actionKind: { column: 'action', kind: 'choice', order: 'SEQUENCE' },
    entityId: { column: 'entity_id', kind: 'integer', narrows: true },
    jobId: { column: 'job_id', kind: 'id', order: 'SEQUENCE', meaning: meaningOfJob },
    actorId: { column: 'user_id', kind: 'id', order: 'SEQUENCE' },
    channel: { column: 'channel', kind: 'choice' },
    at: { column: 'at', kind: 'instant' },
  },
  recordOf: (row) => ({ ...recordOf(row), id: row.sequence, companyId: row.company_id }),
});

/** Condition for the changes of records of some types. */
export const entriesOf = (entityTypes: readonly string[]): Condition => ({
  field: 'entityType',
  operator: 'in',
  value: entityTypes,
});

/** The changes of records of one type, given by their ids. */
export const historyOf = (entityType: string) =>
  ledgerEntries.of({
    column: 'entity_id',
    also: { column: 'entity_type', value: entityType, order: 'SEQUENCE' },
  });

/** The entry with this sequence. Errors: `not_found`. */
export async function getLedgerEntry(work: ReadWork, sequence: number): Promise<LedgerEntry> {
  return await getFrom(ledgerEntries, work, sequence, 'ledger entry');
}

const NEWEST = firstIn('SEQUENCE', 1, { descending: true });

/** The sequence of the last change of the record of an entry. */
export async function lastSequenceOf(work: ReadWork, { entityType, entityId, sequence }: LedgerEntry) {
  if (entityId === null) return sequence;
  const slices = await historyOf(entityType).slices(work, [entityId], NEWEST);
  return slices.get(entityId)?.records[0]?.sequence ?? sequence;
}

/** A record that was changed since a client read it, for example `logical number 1001`. */
export const changedAgain = (what: string, sequence: number) =>
  rule('The {what} was changed again, by entry {sequence} of the ledger.', { what, sequence });

/** A field that a change gave another value; null for one that the record did not have. */
export interface FieldChange {
  /** For example `enabled`, or `meta.battery_level` for a part of an object. */
  readonly field: string;
  readonly before: Json;
  readonly after: Json;
}

/** Fields that every change sets, or none. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'id',
  'revision',
  'createdAt',
  'updatedAt',
  'createdBy',
  'createdVia',
]);

/** The fields in which the record differs before and after a change. */
export function changesOf({ before, after }: Pick<LedgerEntry, 'before' | 'after'>): readonly FieldChange[] {
  return differences(before ?? {}, after ?? {}, '').filter(({ field }) => !BOOKKEEPING.has(field));
}

function differences(before: object, after: object, prefix: string): readonly FieldChange[] {
  const [old, now] = [before, after] as readonly Readonly<Record<string, Json | undefined>>[];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [from, to] = [old?.[name] ?? null, now?.[name] ?? null];
    if (isDeepStrictEqual(from, to)) return [];
    const hasParts = prefix === '' && isObject(from) && isObject(to);
    if (hasParts) return differences(from, to, `${name}.`);
    return [{ field: prefix + name, before: from, after: to }];
  });
}

export const ledgerNewRows = ledgerEntries.newRows('ledger_of_company');
