import type { OwnedRows } from '../../database/owned-rows.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { notFound, taken } from '../../platform/errors.js';
import type { Page, PageRequest } from '../../platform/page.js';
import type { OwnedRecord, Owner } from './owner.model.js';

/** The use cases that parameters and metacontents have in common. */
export interface OwnedRecords<R extends OwnedRecord> {
  /** Errors: `not_found`, also for a record of another owner (contract 2). */
  get(work: ReadWork, owner: Owner, id: number): Promise<R>;
  /** Whoever owns it. Errors: `not_found`. */
  getById(work: ReadWork, id: number): Promise<R>;
  /** Ascending by id. */
  list(work: ReadWork, owner: Owner, request: PageRequest): Promise<Page<R>>;
  /** Errors: `invalid`, `taken`. */
  create(work: WriteWork, owner: Owner, input: unknown): Promise<R>;
  /** Changes what is given. Errors: `invalid`, `taken`. */
  update(work: WriteWork, current: R, input: unknown): Promise<R>;
  delete(work: WriteWork, current: R): Promise<void>;
  /** For the owner's own end; one statement however many there are. */
  deleteAllOf(work: WriteWork, owner: Owner): Promise<void>;
}

interface OwnedKind<R extends OwnedRecord, Values extends { readonly key: string }> {
  /** The ledger's entity type, and what a message calls the record. */
  readonly name: string;
  readonly rows: OwnedRows<R, Values>;
  /** The values of a new record; refuses what is not valid. */
  readonly newValues: (input: unknown) => Values;
  /** The values of a record after a change. */
  readonly changedValues: (current: R, input: unknown) => Values;
}

export function ownedRecords<R extends OwnedRecord, Values extends { readonly key: string }>(
  kind: OwnedKind<R, Values>,
): OwnedRecords<R> {
  const { name, rows } = kind;
  const recordDeleted = (work: WriteWork, record: R): void =>
    work.ledger.append({
      action: 'delete',
      entityType: name,
      entityId: record.id,
      before: record,
      after: null,
    });
  return {
    get: async (work, owner, id) => {
      const record = await rows.find(work, owner, id);
      if (record === undefined) throw notFound(name);
      return record;
    },
    getById: async (work, id) => {
      const record = await rows.findById(work, id);
      if (record === undefined) throw notFound(name);
      return record;
    },
    list: async (work, owner, request) => {
      const total = await rows.count(work, owner);
      return { records: await rows.select(work, owner, request), total, request };
    },
    create: (work, owner, input) => createOwned(kind, work, owner, input),
    update: (work, current, input) => updateOwned(kind, work, current, input),
    delete: async (work, current) => {
      await rows.delete(work, current.id);
      recordDeleted(work, current);
    },
    deleteAllOf: async (work, owner) => {
      for (const record of await rows.deleteAllOf(work, owner)) recordDeleted(work, record);
    },
  };
}

async function createOwned<R extends OwnedRecord, Values extends { readonly key: string }>(
  kind: OwnedKind<R, Values>,
  work: WriteWork,
  owner: Owner,
  input: unknown,
): Promise<R> {
  const values = kind.newValues(input);
  await refuseTakenKey(kind, work, owner, values.key);
  const after = await kind.rows.insert(work, owner, values);
  work.ledger.append({ action: 'create', entityType: kind.name, entityId: after.id, after });
  return after;
}

async function updateOwned<R extends OwnedRecord, Values extends { readonly key: string }>(
  kind: OwnedKind<R, Values>,
  work: WriteWork,
  before: R,
  input: unknown,
): Promise<R> {
  const values = kind.changedValues(before, input);
  if (values.key !== before.key) await refuseTakenKey(kind, work, ownerOf(before), values.key);
  const after = await kind.rows.update(work, before, values);
  work.ledger.append({ action: 'update', entityType: kind.name, entityId: after.id, before, after });
  return after;
}

async function refuseTakenKey<R extends OwnedRecord, Values extends { readonly key: string }>(
  { name, rows }: OwnedKind<R, Values>,
  work: ReadWork,
  owner: Owner,
  key: string,
): Promise<void> {
  if ((await rows.findByKey(work, owner, key)) !== undefined) {
    throw taken('key', `This owner has a ${name} with this key already.`);
  }
}

function ownerOf(record: OwnedRecord): Owner {
  if (record.groupId !== null) return { groupId: record.groupId, logicalNumberId: null };
  if (record.logicalNumberId !== null) return { groupId: null, logicalNumberId: record.logicalNumberId };
  throw new Error(`The record ${record.id} has no owner`);
}
