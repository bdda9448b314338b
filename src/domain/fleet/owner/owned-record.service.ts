import type { Match } from '../../../database/company/company-rows.js';
import type { CompanyTable, ValuesOf } from '../../../database/company/company-table.js';
import { Records } from '../../../database/company/records.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { warningOfCardData } from '../../../platform/card-data/card-data.js';
import {
  MAX_DELETED_BYTES,
  MAX_DELETED_TOGETHER,
  tooManyRecords,
} from '../../../platform/limits/many-records.js';
import type { Page, PageRequest } from '../../../platform/requests/page.js';
import type { OwnedRecord, Owner } from './owner.model.js';

/** The use cases that parameters and metacontents have in common. */
export interface OwnedRecords<R extends OwnedRecord> {
  /** Errors: `not_found`, also for a record of another owner (contract 2). */
  get(work: ReadWork, owner: Owner, id: number): Promise<R>;
  /** A record of any owner. Errors: `not_found`. */
  getById(work: ReadWork, id: number): Promise<R>;
  /** Ascending by id. */
  list(work: ReadWork, owner: Owner, request: PageRequest): Promise<Page<R>>;
  /** Errors: `invalid`, `taken`. */
  create(work: WriteWork, owner: Owner, input: unknown): Promise<R>;
  /** Errors: `invalid`, `taken`. */
  update(work: WriteWork, current: R, input: unknown): Promise<R>;
  delete(work: WriteWork, current: R): Promise<void>;
  countOf(work: ReadWork, owner: Owner): Promise<number>;
  /** Sum of the bytes of their values. */
  bytesOf(work: ReadWork, owner: Owner): Promise<number>;
  deleteAllOf(work: WriteWork, owner: Owner): Promise<void>;
}

type OwnedTableName = 'parameters' | 'metacontents';

interface OwnedKind<Name extends OwnedTableName, R extends OwnedRecord> {
  /** Entity type in the ledger, and the name of the record in messages. */
  readonly name: string;
  readonly table: CompanyTable<Name, R>;
  /** The values of a new record. Errors: `invalid`. */
  readonly newValues: (input: unknown) => Omit<ValuesOf<R>, keyof Owner>;
  /** The record after a change. Errors: `invalid`. */
  readonly changed: (current: R, input: unknown) => R;
}

export function ownedRecords<Name extends OwnedTableName, R extends OwnedRecord>(
  kind: OwnedKind<Name, R>,
): OwnedRecords<R> {
  const records = new Records<Name, R>({
    entityType: kind.name,
    table: kind.table,
    unique: {
      field: 'key' as string & keyof ValuesOf<R>,
      match: (values) => matching<Name>(values, { key: values.key }),
      message: `This owner has a ${kind.name} with this key already.`,
    },
  });
  return {
    get: (work, owner, id) => records.getBy(work, matching(owner, { id })),
    getById: records.get,
    list: (work, owner, request) => records.listBy(work, matching(owner), request),
    create: (work, owner, input) => {
      const values = kind.newValues(input);
      warnOfValue(work, values);
      return records.create(work, { ...values, ...owner } as unknown as ValuesOf<R>);
    },
    update: (work, current, input) => {
      const values = kind.changed(current, input);
      warnOfValue(work, values, current);
      return records.change(work, current, values);
    },
    delete: records.delete,
    countOf: (work, owner) => kind.table.count(work, matching(owner)),
    bytesOf: (work, owner) => kind.table.bytesOf(work, matching(owner), 'value'),
    deleteAllOf: (work, owner) => records.deleteAll(work, matching(owner)),
  };
}

type Deletable = Pick<OwnedRecords<OwnedRecord>, 'countOf' | 'bytesOf' | 'deleteAllOf'>;

/**
 * Deletes the parameters and metacontents of an owner that is being deleted; `what` is for example `The group
 * north`. Errors: `too_many_records`.
 */
export async function deleteOwned(
  work: WriteWork,
  what: string,
  owner: Owner,
  kinds: readonly Deletable[],
): Promise<void> {
  const instead = 'first delete some of them (parameterDelete, metacontentDelete, or DELETE in /v1)';
  let total = 0;
  for (const { countOf } of kinds) total += await countOf(work, owner);
  if (total > MAX_DELETED_TOGETHER) {
    throw tooManyRecords(what, `${total} parameters and metacontents`, MAX_DELETED_TOGETHER, instead);
  }
  let bytes = 0;
  for (const { bytesOf } of kinds) bytes += await bytesOf(work, owner);
  if (bytes > MAX_DELETED_BYTES) {
    throw tooManyRecords(what, `${bytes} bytes of parameters and metacontents`, MAX_DELETED_BYTES, instead);
  }
  for (const { deleteAllOf } of kinds) await deleteAllOf(work, owner);
}

/** Adds a warning if the value changed and looks like card data. */
function warnOfValue(work: WriteWork, after: object, before: object = {}): void {
  const value = valueIn(after);
  const warning = value === valueIn(before) ? undefined : warningOfCardData(value);
  if (warning !== undefined) work.warnings.push(`value: ${warning}`);
}

const valueIn = (record: object): unknown => ('value' in record ? record.value : undefined);

/** Condition for the records of an owner that also match `more`. */
function matching<Name extends OwnedTableName>(
  { groupId, logicalNumberId }: Pick<OwnedRecord, 'groupId' | 'logicalNumberId'>,
  more: { readonly id?: number; readonly key?: string } = {},
): Match<Name> {
  const owner = groupId === null ? { logical_number_id: logicalNumberId } : { group_id: groupId };
  return { ...owner, ...more } as unknown as Match<Name>;
}
