import type { Search } from '../../../database/list/request-class.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { warningOfCardData } from '../../../platform/card-data/card-data.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { DomainError, invalid } from '../../../platform/errors.js';
import type { BatchRow, ErrorPolicy } from '../../../platform/requests.js';
import { orProblem, parse } from '../../../platform/validate.js';
import type { LogicalNumberHead } from '../logical-number/logical-number.model.js';
import * as store from './parameter.repository.js';
import {
  type Owner,
  type OwnerIds,
  type EffectiveParameter,
  type Parameter,
  ParameterCreate,
  ParameterUpdate,
} from './setting.model.js';
import { findOwners, ownedRecords } from './setting.service.js';

export {
  effectiveEntries,
  selectParametersOfOwners as parametersOf,
  selectValueBytes as effectiveBytes,
} from './parameter.repository.js';

/** Texts that terminals read by key, of a logical number or of a group. */
export const parameters = ownedRecords({
  name: 'parameter',
  typeName: 'Parameter',
  table: store.parameterTable,
  models: { create: ParameterCreate, update: ParameterUpdate },
});

/** `input` is `{ key, value, description }`. */
interface ParameterSetting {
  readonly owner: OwnerIds;
  readonly input: unknown;
}

/** A valid setting. Without a description (undefined) it keeps the present one. */
type Wanted = Omit<store.Setting, 'description'> & { readonly description?: string | null | undefined };

/** Sets parameters by owner and key; one row for each, in order. Unchanged ones are not recorded. Constant number of statements. */
export async function setParameters(
  work: WriteWork,
  settings: readonly ParameterSetting[],
  errorPolicy: ErrorPolicy,
): Promise<readonly BatchRow<Parameter>[]> {
  const checked = await checkEach(work, settings);
  const valid = checked.filter((row): row is Wanted => !(row instanceof DomainError));
  const stopped = errorPolicy === 'REJECT_EVERYTHING' && valid.length < checked.length;
  const set = stopped ? new Map<string, Parameter>() : await setAll(work, valid);
  return checked.map((row) =>
    row instanceof DomainError
      ? { record: null, problem: row }
      : { record: set.get(ownerAndKey(row)) ?? null, problem: null },
  );
}

/** Checking a row takes some 20 µs, and searching 64 Ki characters for card data some 10 ms. */
const ROWS_PER_TURN = 250;
const CHARACTERS_PER_TURN = 65_536;

async function checkEach(work: WriteWork, settings: readonly ParameterSetting[]) {
  const given = settings.map(({ owner }) => owner);
  const owners = await findOwners(work, given);
  const seen = new Set<string>();
  const checked: (Wanted | DomainError)[] = [];
  let searched = 0;
  for (const [index, { input }] of settings.entries()) {
    if ((index > 0 && index % ROWS_PER_TURN === 0) || searched > CHARACTERS_PER_TURN) {
      await yieldToEventLoop();
      searched = 0;
    }
    const wanted = check(owners[index], input);
    if (wanted instanceof DomainError) checked.push(wanted);
    else if (seen.has(ownerAndKey(wanted))) checked.push(invalid('key', 'is given twice'));
    else {
      seen.add(ownerAndKey(wanted));
      checked.push(wanted);
      searched += wanted.value.length;
      const warning = warningOfCardData(wanted.value);
      if (warning !== undefined) work.warnings.push(`rows.${index}.value: ${warning}`);
    }
  }
  return checked;
}

function check(owner: Owner | DomainError | undefined, input: unknown): Wanted | DomainError {
  if (owner === undefined || owner instanceof DomainError) return owner ?? invalid('owner', 'is required');
  return orProblem(() => ({ ...owner, ...parse(ParameterCreate, input) }));
}

/** All parameters of the batch after the change, by `ownerAndKey`. */
async function setAll(work: WriteWork, wanted: readonly Wanted[]): Promise<ReadonlyMap<string, Parameter>> {
  const found = await store.selectByOwnersAndKeys(work, wanted);
  const before = new Map(found.map((parameter) => [ownerAndKey(parameter), parameter]));
  const settings = wanted.flatMap((row): store.Setting[] => {
    const { description: held = null, value } = before.get(ownerAndKey(row)) ?? {};
    const { description = held } = row;
    return value === row.value && held === description ? [] : [{ ...row, description }];
  });
  const set = await store.upsertParameters(work, settings);
  const after = new Map(set.map((parameter) => [ownerAndKey(parameter), parameter]));
  for (const setting of settings) {
    const [current, changed] = [before, after].map((all) => all.get(ownerAndKey(setting)));
    if (changed === undefined) throw new Error('A parameter was set and not returned');
    if (current === undefined) work.ledger.created('parameter', changed);
    else work.ledger.updated('parameter', current, changed);
  }
  return new Map([...before, ...after]);
}

/** Key of an owner and a parameter, for example `[null,17,"timeout"]`. */
const ownerAndKey = ({ groupId, logicalNumberId, key }: store.OwnedKey): string =>
  JSON.stringify([groupId, logicalNumberId, key]);

export const EFFECTIVE_SEARCH: Search = { rows: 'parameters', isLimited: true };

/** Parameters merged per turn of the event loop: takes about 5 ms. */
const MERGED_PER_TURN = 2_000;

/** Effective parameters by id of the logical number. One statement. */
export async function listEffectiveParameters(
  work: ReadWork,
  numbers: readonly Pick<LogicalNumberHead, 'id' | 'groupId'>[],
): Promise<ReadonlyMap<number, readonly EffectiveParameter[]>> {
  const ids = numbers.map((number) => number.id);
  const groupIds = new Set(numbers.flatMap((number) => number.groupId ?? []));
  const found = await store.selectParametersOfOwners(work, ids, [...groupIds]);
  const own = Map.groupBy(found, (parameter) => parameter.logicalNumberId);
  const ofGroups = Map.groupBy(found, (parameter) => parameter.groupId);
  const all = new Map<number, readonly EffectiveParameter[]>();
  let merged = 0;
  for (const { id, groupId } of numbers) {
    const inherited = groupId === null ? [] : (ofGroups.get(groupId) ?? []);
    const effective = effectiveParameters(own.get(id) ?? [], inherited);
    all.set(id, effective);
    merged += effective.length;
    if (merged <= MERGED_PER_TURN) continue;
    merged = 0;
    await yieldToEventLoop();
  }
  return all;
}

/** Parameters of a terminal, ordered by key: those of the logical number override those of its group. */
export function effectiveParameters(own: readonly Parameter[], ofGroup: readonly Parameter[]) {
  const inherited = new Map(ofGroup.map((parameter) => [parameter.key, parameter]));
  const effective = new Map<string, EffectiveParameter>();
  for (const { key, value, description } of ofGroup) {
    effective.set(key, { key, value, description, source: 'GROUP', overridden: null });
  }
  for (const { key, value, description } of own) {
    const overridden = inherited.get(key) ?? null;
    effective.set(key, { key, value, description, source: 'LOGICAL_NUMBER', overridden });
  }
  return [...effective.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}
