import { CompanyTable } from '../../../database/company/company-table.js';
import { Records } from '../../../database/company/records.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { notFound, requireAtMost, taken } from '../../../platform/errors.js';
import { requireScope } from '../../../platform/requests.js';
import { changed, parse } from '../../../platform/validate.js';
import {
  type FilterKind,
  type SavedFilter,
  SavedFilterCreate,
  SavedFilterUpdate,
} from './saved-filter.model.js';

const filters = new CompanyTable<'saved_filters', SavedFilter>('saved_filters');
const records = new Records(filters);

/** Saved filters of one person. */
export const MAX_OWN = 200;
/** Filters of others in one list, the oldest ones. */
export const MAX_SHARED = 1_000;

/** Own and shared filters, of one list or of all, by name. Two statements. */
export async function listSavedFilters(
  work: ReadWork,
  kind: FilterKind | null,
): Promise<readonly SavedFilter[]> {
  const match = kind === null ? {} : { kind };
  const own = await filters.select(work, { ...match, created_by: work.caller.userId });
  const shared = await filters.select(work, { ...match, shared: true }, { page: 1, perPage: MAX_SHARED });
  const others = shared.filter((each) => !isOwn(work, each));
  return [...own, ...others].sort((one, other) => one.name.localeCompare(other.name));
}

const isOwn = ({ caller }: ReadWork, { createdBy }: SavedFilter): boolean => createdBy === caller.userId;

/** Errors: `not_found`, also for a filter of another person that is not shared. */
export async function getSavedFilter(work: ReadWork, id: number): Promise<SavedFilter> {
  const found = await records.get(work, id);
  if (found.shared || isOwn(work, found)) return found;
  throw notFound('saved filter');
}

/** Errors: `invalid`, `taken`. */
export async function createSavedFilter(work: WriteWork, input: unknown): Promise<SavedFilter> {
  const values = parse(SavedFilterCreate, input);
  const count = await filters.rows.count(work, { created_by: work.caller.userId });
  requireAtMost('savedFilters', count + 1, MAX_OWN);
  await refuseTaken(work, work.caller.userId, values);
  return await records.create(work, values);
}

/** Errors: `invalid`, `taken`; `forbidden` for a filter of another person, unless an administrator calls. */
export async function updateSavedFilter(
  work: WriteWork,
  current: SavedFilter,
  input: unknown,
): Promise<SavedFilter> {
  requireOwner(work, current);
  const values = changed(current, parse(SavedFilterUpdate, input));
  if (values.name !== current.name) await refuseTaken(work, current.createdBy, values);
  return await records.update(work, current, values);
}

/** Errors: `forbidden` for a filter of another person, unless an administrator calls. */
export async function deleteSavedFilter(work: WriteWork, current: SavedFilter): Promise<void> {
  requireOwner(work, current);
  await records.delete(work, current);
}

function requireOwner(work: WriteWork, current: SavedFilter): void {
  if (!isOwn(work, current)) requireScope(work.caller, 'admin');
}

async function refuseTaken(
  work: ReadWork,
  userId: number,
  { kind, name }: Pick<SavedFilter, 'kind' | 'name'>,
): Promise<void> {
  if (await filters.rows.exists(work, { created_by: userId, kind, name }))
    throw taken('name', 'exists already');
}
