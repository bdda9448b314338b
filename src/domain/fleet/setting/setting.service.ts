import type { Match } from '../../../database/company/company-rows.js';
import { CompanyTable, type ValuesOf } from '../../../database/company/company-table.js';
import { Records } from '../../../database/company/records.js';
import { auditedList } from '../../../database/list/list.js';
import type { ListColumn } from '../../../database/list/listing.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { warningOfCardData } from '../../../platform/card-data/card-data.js';
import {
  DomainError,
  errorAt,
  invalid,
  invalidFields,
  MAX_DELETED_BYTES,
  MAX_DELETED_TOGETHER,
  notFound,
  tooManyRecords,
} from '../../../platform/errors.js';
import type { PageRequest } from '../../../platform/requests.js';
import { problemOf, rule } from '../../../platform/rules.js';
import { type Ids, isNameLike, changed, newValues, parse } from '../../../platform/validate.js';
import { getGroupByName, groups } from '../group/group.service.js';
import { getLogicalNumberByNumber, logicalNumbers } from '../logical-number/logical-number.service.js';
import {
  type OwnedRecord,
  type Owner,
  type OwnerIds,
  OwnerSelector,
  type Metacontent,
  MetacontentCreate,
  MetacontentUpdate,
} from './setting.model.js';

/** Owner that `{ number }` or `{ name }` selects. Errors: `invalid` for neither or both, `not_found`. */
export async function getOwner(work: ReadWork, selector: unknown): Promise<Owner> {
  const { number, name } = parse(OwnerSelector, selector);
  if (typeof number === 'string' && typeof name !== 'string') {
    if (!isNameLike(number)) throw notFound('logical number');
    return { logicalNumberId: (await getLogicalNumberByNumber(work, number)).id, groupId: null };
  }
  if (typeof name === 'string' && typeof number !== 'string') {
    if (!isNameLike(name)) throw notFound('group');
    return { logicalNumberId: null, groupId: (await getGroupByName(work, name)).id };
  }
  const choices = 'the number of a logical number or the name of a group';
  const problems = [problemOf(rule('give either {choices}', { choices }))];
  throw invalidFields({ number: problems, name: problems });
}

/** The owner with this id. Errors: `invalid` if neither or both are given, `not_found`. */
export async function getOwnerByIds(work: ReadWork, ids: OwnerIds): Promise<Owner> {
  const [owner] = await findOwners(work, [ids]);
  if (owner === undefined || owner instanceof DomainError) throw owner ?? notFound('owner');
  return owner;
}

/** Owner of each entry, or the error that `getOwnerByIds` would throw. Two statements. */
export async function findOwners(work: ReadWork, wanted: readonly OwnerIds[]) {
  const idsIn = (name: keyof OwnerIds) => wanted.flatMap((ids) => ids[name] ?? []);
  const numbers = await logicalNumbers.byIds(work, idsIn('logicalNumberId'));
  const known = await groups.byIds(work, idsIn('groupId'));
  return wanted.map(({ logicalNumberId, groupId }) => {
    if (logicalNumberId !== null && groupId === null) {
      return numbers.has(logicalNumberId) ? { logicalNumberId, groupId } : noOwner('logical number');
    }
    if (logicalNumberId === null && groupId !== null) {
      return known.has(groupId) ? { logicalNumberId, groupId } : noOwner('group');
    }
    return invalid('owner', 'must be either {choices}', { choices: 'a logical number or a group' });
  });
}

const noOwner = (what: string): DomainError => errorAt('owner', 'not_found', `No such ${what}.`);

type OwnedTableName = 'parameters' | 'metacontents';

type Model = Parameters<typeof newValues>[0];

interface OwnedKind<Name extends OwnedTableName, R extends OwnedRecord> {
  /** Entity type in the ledger, and the name of the record in messages. */
  readonly name: 'parameter' | 'metacontent';
  readonly typeName: string;
  readonly table: CompanyTable<Name, R>;
  readonly models: { readonly create: Model; readonly update: Model };
}

function listOfAll<Name extends OwnedTableName, R extends OwnedRecord>(kind: OwnedKind<Name, R>) {
  return auditedList(kind.table, {
    name: kind.typeName,
    isLarge: true,
    orders: { KEY: 'key' as ListColumn<Name> },
    filters: {
      key: { column: 'key', kind: 'text', order: 'ID' },
      groupId: { column: 'group_id', kind: 'id', order: 'ID' },
      logicalNumberId: { column: 'logical_number_id', kind: 'id', order: 'ID' },
    },
  });
}

/** The use cases and lists that parameters and metacontents have in common. */
export type OwnedRecords<R extends OwnedRecord> = ReturnType<typeof ownedRecords<OwnedTableName, R>>;

export function ownedRecords<Name extends OwnedTableName, R extends OwnedRecord>(kind: OwnedKind<Name, R>) {
  const { name, table, models } = kind;
  const records = new Records<Name, R>(table, {
    field: 'key' as string & keyof ValuesOf<R>,
    match: (values) => matching<Name>(values, { key: values.key }),
    message: `This owner has a ${name} with this key already.`,
  });
  const all = listOfAll(kind);
  return {
    name,
    models,
    all,
    ofGroup: all.of({ column: 'group_id' }),
    ofLogicalNumber: all.of({ column: 'logical_number_id' }),
    /** Errors: `not_found`, also for a record of another owner (contract 2). */
    get: (work: ReadWork, owner: Owner, id: number) => records.getBy(work, matching(owner, { id })),
    /** A record of any owner. Errors: `not_found`. */
    getById: records.get,
    /** Ascending by id. */
    list: (work: ReadWork, owner: Owner, page: PageRequest) => records.listBy(work, matching(owner), page),
    /** Errors: `invalid`, `taken`. */
    create: (work: WriteWork, owner: Owner, input: unknown) => {
      const values = { ...newValues(models.create, input, {}), ...owner };
      warnOfValue(work, values);
      return records.create(work, values as unknown as ValuesOf<R>);
    },
    /** Errors: `invalid`, `taken`. */
    update: (work: WriteWork, current: R, input: unknown) => {
      const values = changed<object, object>(current, parse(models.update, input)) as R;
      warnOfValue(work, values, current);
      return records.change(work, current, values);
    },
    delete: records.delete,
    deleteByIds: (work: WriteWork, ids: Ids) =>
      records.deleteAll(work, { id: ids } as unknown as Match<Name>),
    /** Records of these logical numbers and groups, in undefined order. Two statements. */
    ofOwners: async (work: ReadWork, numberIds: Ids, groupIds: Ids): Promise<readonly R[]> => [
      ...(await table.select(work, { logical_number_id: numberIds } as unknown as Match<Name>)),
      ...(await table.select(work, { group_id: groupIds } as unknown as Match<Name>)),
    ],
    countOf: (work: ReadWork, owner: Owner) => table.rows.count(work, matching(owner)),
    bytesOf: (work: ReadWork, owner: Owner) => table.rows.bytesOf(work, matching(owner), 'value'),
    deleteAllOf: (work: WriteWork, owner: Owner) => records.deleteAll(work, matching(owner)),
  };
}

/** Deletes what an owner has; `what` is for example `The group north`. Errors: `too_many_records`. */
export async function deleteOwned(
  work: WriteWork,
  what: string,
  owner: Owner,
  kinds: readonly Pick<OwnedRecords<OwnedRecord>, 'countOf' | 'bytesOf' | 'deleteAllOf'>[],
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

function warnOfValue(work: WriteWork, after: object, before: object = {}): void {
  const value = valueIn(after);
  const warning = value === valueIn(before) ? undefined : warningOfCardData(value);
  if (warning !== undefined) work.warnings.push(`value: ${warning}`);
}

const valueIn = (record: object): unknown => ('value' in record ? record.value : undefined);

function matching<Name extends OwnedTableName>(
  { groupId, logicalNumberId }: Pick<OwnedRecord, 'groupId' | 'logicalNumberId'>,
  more: { readonly id?: number; readonly key?: string } = {},
): Match<Name> {
  const owner = groupId === null ? { logical_number_id: logicalNumberId } : { group_id: groupId };
  return { ...owner, ...more } as unknown as Match<Name>;
}

/** JSON values that terminals read by key, of a logical number or of a group. */
export const metacontents = ownedRecords({
  name: 'metacontent',
  typeName: 'Metacontent',
  table: new CompanyTable<'metacontents', Metacontent>('metacontents'),
  models: { create: MetacontentCreate, update: MetacontentUpdate },
});
