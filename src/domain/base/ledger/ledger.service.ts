import { isDeepStrictEqual } from 'node:util';

import { recordMapping } from '../../../database/company/company-table.js';
import { getFrom } from '../../../database/company/records.js';
import type { Comparison, Condition } from '../../../database/list/condition.js';
import { listOf } from '../../../database/list/list.js';
import { firstIn } from '../../../database/list/listing.js';
import type { EntityTypeName, LedgerActionName, ReadWork } from '../../../database/work.js';
import type { Json } from '../../../platform/encoding/json.js';
import { type Channel, OF_PAYMENTS } from '../../../platform/requests.js';
import { rule } from '../../../platform/rules.js';
import { type Ids, isObject } from '../../../platform/validate.js';

export interface LedgerEntry {
  /** The sequence: it counts the entries of the company from 1, without gaps. */
  readonly id: number;
  readonly sequence: number;
  readonly at: Date;
  readonly companyId: number | null;
  readonly userId: number | null;
  /** The API token with which it was made; null for other credentials, and for the server itself. */
  readonly tokenId: number | null;
  /** Null for changes that no request asked for. */
  readonly requestId: string | null;
  /** The job that made the change; 0 for the change of a request, and `OF_PAYMENTS` for a payment that it records. */
  readonly jobId: number;
  readonly channel: Channel;
  readonly action: LedgerActionName;
  readonly entityType: EntityTypeName;
  readonly entityId: number | null;
  readonly before: object | null;
  readonly after: object | null;
}

const HIDDEN = ['company_id', 'position', 'ip', 'hash'] as const;
type Shown = Omit<LedgerEntry, 'id' | 'companyId'>;
const { columns, recordOf } = recordMapping<'ledger', Shown, (typeof HIDDEN)[number]>('ledger', HIDDEN);

/** Changes of requests have the job 0, payments that they record `OF_PAYMENTS`. */
function meaningOfJob(given: Comparison): Condition {
  if (given.operator !== 'isNull') return given;
  const isOfRequest = { ...given, operator: 'in', value: [0, OF_PAYMENTS] } as const;
  return given.value === true ? isOfRequest : { not: isOfRequest };
}

function meaningOfRoutine({ value }: Comparison): Condition {
  const isNone: Comparison = { field: 'jobId', operator: 'eq', value: 0 };
  return value === true ? { not: isNone } : isNone;
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
    routine: { column: 'job_id', kind: 'flag', order: 'SEQUENCE', meaning: meaningOfRoutine },
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

/** Records that terminals change with their own tokens. */
const OF_TERMINALS: readonly EntityTypeName[] = ['device', 'device_token', 'transaction'];

/** Records that the server never changes by itself: without a user, its operator did. */
const OF_OPERATORS: readonly EntityTypeName[] = [
  'access_token',
  'company',
  'database',
  'invitation',
  'membership',
  'passkey',
  'user',
];

export type ActorKind = 'person' | 'token' | 'terminal' | 'command_line' | 'server' | 'unknown';

/** Who made a change. A token of a device, and the command line, act for a user too. */
export function actorKindOf({ userId, tokenId, channel, requestId, entityType }: LedgerEntry): ActorKind {
  if (userId === null && entityType === 'sign_in') return 'unknown';
  if (userId === null) return OF_OPERATORS.includes(entityType) ? 'command_line' : 'server';
  if (tokenId !== null) return 'token';
  if (channel === 'interface') return 'person';
  if (requestId === null) return 'command_line';
  return OF_TERMINALS.includes(entityType) ? 'terminal' : 'person';
}

/** Fields by which people know a record, the first that it has. */
const NAMES = ['name', 'serialNumber', 'number', 'key', 'url', 'content', 'email'];

/** The name of the record before or after a change; null if the entry has none. */
export function nameIn({ before, after }: Pick<LedgerEntry, 'before' | 'after'>): string | null {
  const known: Readonly<Record<string, unknown>> = { ...before, ...after };
  const name = NAMES.map((field) => known[field]).find((value) => typeof value === 'string');
  return typeof name === 'string' ? name : null;
}

/** Names of records of one type by their last entries, also of those that were deleted. One statement, two for versions. */
export async function lastNames(work: ReadWork, entityType: string, ids: Ids): Promise<Map<number, string>> {
  const slices = await historyOf(entityType).slices(work, ids, NEWEST);
  const last = [...slices].flatMap(([id, { records }]) => records.map((entry) => [id, entry] as const));
  const appOf = ({ before, after }: LedgerEntry): { readonly appId?: number } | null => after ?? before;
  const appIds = [...new Set(last.flatMap(([, entry]) => appOf(entry)?.appId ?? []))];
  const apps =
    appIds.length === 0 || entityType !== 'app_version' ? null : await lastNames(work, 'app', appIds);
  return new Map(
    last.flatMap(([id, entry]) => {
      const [name, app] = [nameIn(entry), apps?.get(appOf(entry)?.appId ?? 0)];
      return name === null ? [] : [[id, app === undefined ? name : `${app} ${name}`] as const];
    }),
  );
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
    const [oldPart, newPart] = [from ?? {}, to ?? {}];
    const hasParts = prefix === '' && isObject(oldPart) && isObject(newPart);
    const parts = hasParts ? differences(oldPart, newPart, `${name}.`) : [];
    // Nothing became an empty object, or the other way round.
    return parts.length > 0 ? parts : [{ field: prefix + name, before: from, after: to }];
  });
}

export const ledgerNewRows = ledgerEntries.newRows('ledger_of_company');
