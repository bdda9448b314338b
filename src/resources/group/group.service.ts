import { countOf } from '../../database/count.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { notFound, taken } from '../../platform/errors.js';
import type { Page, PageRequest } from '../../platform/page.js';
import { normalized } from '../../platform/text.js';
import { parse } from '../../platform/validate.js';
import { GroupCreate, GroupUpdate, type Group } from './group.model.js';
import { findGroup, findGroupByName, insertGroup, selectGroups, updateGroupRow } from './group.repository.js';

export { groups, groupsOfAppVersion } from './group.repository.js';

export async function getGroup(work: ReadWork, id: number): Promise<Group> {
  const group = await findGroup(work, id);
  if (group === undefined) throw notFound('group');
  return group;
}

export async function getGroupByName(work: ReadWork, name: string): Promise<Group> {
  const group = await findGroupByName(work, normalized(name));
  if (group === undefined) throw notFound('group');
  return group;
}

export async function hasGroup(work: ReadWork, id: number): Promise<boolean> {
  return (await findGroup(work, id)) !== undefined;
}

/** Ascending by id. */
export async function listGroups(work: ReadWork, request: PageRequest): Promise<Page<Group>> {
  const total = await countOf(work, 'groups');
  return { records: await selectGroups(work, request), total, request };
}

/** Errors: `invalid`, `taken`. */
export async function createGroup(work: WriteWork, input: unknown): Promise<Group> {
  const { name } = parse(GroupCreate, input);
  await refuseTakenName(work, name);
  const group = await insertGroup(work, { name });
  work.ledger.append({ action: 'create', entityType: 'group', entityId: group.id, after: group });
  return group;
}

/** Errors: `invalid`, `taken`. */
export async function updateGroup(work: WriteWork, current: Group, input: unknown): Promise<Group> {
  const { name = current.name } = parse(GroupUpdate, input);
  if (name !== current.name) await refuseTakenName(work, name);
  const group = await updateGroupRow(work, current, { name });
  work.ledger.append({
    action: 'update',
    entityType: 'group',
    entityId: group.id,
    before: current,
    after: group,
  });
  return group;
}

async function refuseTakenName(work: ReadWork, name: string): Promise<void> {
  if ((await findGroupByName(work, name)) !== undefined) {
    throw taken('name', 'A group with this name exists already.');
  }
}
