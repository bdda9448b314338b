import type { ReadWork, WriteWork } from '../../database/work.js';
import { refuseTooManyRows, type ErrorPolicy } from '../../platform/batch.js';
import { DomainError, invalid } from '../../platform/errors.js';
import { parse } from '../../platform/validate.js';
import type { OwnedRecord, Owner, OwnerIds } from '../owner/owner.model.js';
import { findOwners } from '../owner/owner.service.js';
import { ParameterCreate, type Parameter, type ParameterRow } from './parameter.model.js';
import { selectByOwnersAndKeys, upsertParameters, type Setting } from './parameter.repository.js';

export interface ParameterSetting {
  readonly owner: OwnerIds;
  /** `{ key, value, description }` */
  readonly input: unknown;
}

/** A setting that is sound; without a description it leaves the one that is there. */
interface Wanted extends Omit<Setting, 'description'> {
  readonly description?: string | null | undefined;
}

/**
 * Sets parameters by owner and key, new ones and known ones alike: one row of the answer for each of the input,
 * in its order. REJECT_EVERYTHING sets nothing where any row has a problem; a row that says nothing new changes
 * nothing. A constant number of statements. Errors: `invalid` for too many rows.
 */
export async function setParameters(
  work: WriteWork,
  settings: readonly ParameterSetting[],
  errorPolicy: ErrorPolicy,
): Promise<readonly ParameterRow[]> {
  refuseTooManyRows('rows', settings);
  const checked = await checkEach(work, settings);
  const sound = checked.filter((row): row is Wanted => !(row instanceof DomainError));
  const stopped = errorPolicy === 'REJECT_EVERYTHING' && sound.length < checked.length;
  const set = stopped ? new Map<string, Parameter>() : await setAll(work, sound);
  return checked.map((row, index) =>
    row instanceof DomainError
      ? { index, parameter: null, problem: row }
      : { index, parameter: set.get(placeOf(row)) ?? null, problem: null },
  );
}

async function checkEach(
  work: ReadWork,
  settings: readonly ParameterSetting[],
): Promise<readonly (Wanted | DomainError)[]> {
  const owners = await findOwners(
    work,
    settings.map((setting) => setting.owner),
  );
  const first = new Map<string, number>();
  return settings.map(({ input }, index) => {
    const wanted = check(owners[index], input);
    if (wanted instanceof DomainError) return wanted;
    const place = placeOf(wanted);
    const earlier = first.get(place);
    if (earlier !== undefined) return invalid('key', 'is given twice');
    first.set(place, index);
    return wanted;
  });
}

function check(owner: Owner | DomainError | undefined, input: unknown): Wanted | DomainError {
  if (owner === undefined || owner instanceof DomainError) return owner ?? invalid('owner', 'is required');
  try {
    return { owner, ...parse(ParameterCreate, input) };
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** All of them, by place. */
async function setAll(work: WriteWork, wanted: readonly Wanted[]): Promise<ReadonlyMap<string, Parameter>> {
  const found = await selectByOwnersAndKeys(work, wanted);
  const before = new Map(found.map((parameter) => [placeOf(parameter), parameter]));
  const settings = wanted
    .map((row) => settingOf(row, before.get(placeOf(row))))
    .filter((setting) => saysSomethingNew(setting, before.get(placeOf(setting))));
  const changed = await upsertParameters(work, settings);
  const after = new Map(changed.map((parameter) => [placeOf(parameter), parameter]));
  for (const setting of settings) {
    const place = placeOf(setting);
    record(work, before.get(place), after.get(place));
  }
  return new Map([...before, ...after]);
}

function settingOf({ description, ...wanted }: Wanted, before: Parameter | undefined): Setting {
  return { ...wanted, description: description === undefined ? (before?.description ?? null) : description };
}

function saysSomethingNew({ value, description }: Setting, before: Parameter | undefined): boolean {
  return before?.value !== value || before.description !== description;
}

function record(work: WriteWork, before: Parameter | undefined, after: Parameter | undefined): void {
  if (after === undefined) throw new Error('A parameter was set and not returned');
  const entity = { entityType: 'parameter', entityId: after.id, after };
  if (before === undefined) work.ledger.append({ ...entity, action: 'create' });
  else work.ledger.append({ ...entity, action: 'update', before });
}

/** Owner and key as one text. */
function placeOf(of: { readonly owner: Owner; readonly key: string } | OwnedRecord): string {
  const { groupId, logicalNumberId } = 'owner' in of ? of.owner : of;
  return JSON.stringify([groupId, logicalNumberId, of.key]);
}
