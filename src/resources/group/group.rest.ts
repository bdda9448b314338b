import { z } from 'zod';

import {
  auditShape,
  EMPTY,
  EmptyShape,
  listResponse,
  listShape,
  recordResponse,
  recordShape,
} from '../../rest/envelope.js';
import type { Route } from '../../rest/route.js';
import { auditFields } from '../../rest/timestamp.js';
import { GroupCreate, GroupUpdate, type Group } from './group.model.js';
import { createGroup, getGroupByName, listGroups, updateGroup } from './group.service.js';
import { deleteGroup } from './group.removal.service.js';

const GroupShape = z
  .strictObject({ id: z.int(), name: z.string(), ...auditShape })
  .meta({ id: 'Group', description: 'Logical numbers that share applications and settings.' });

function groupFields(group: Group) {
  return { id: group.id, name: group.name, ...auditFields(group) };
}

const answer = (group: Group, status?: 201) => recordResponse('group', groupFields(group), group, status);

/** /v1/groups (contract 19): one group goes by its name. */
export const groupRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/groups',
    scope: 'read',
    summary: 'List groups',
    paged: true,
    response: listShape('groups', 'group', GroupShape),
    read: async (work, call) =>
      listResponse('groups', 'group', await listGroups(work, call.page), groupFields),
  },
  {
    method: 'GET',
    path: '/groups/{group_name}',
    scope: 'read',
    summary: 'Read a group',
    response: recordShape('group', GroupShape),
    read: async (work, call) => answer(await getGroupByName(work, call.name('group_name', 'group'))),
  },
  {
    method: 'POST',
    path: '/groups',
    scope: 'write',
    summary: 'Create a group',
    body: GroupCreate,
    status: 201,
    response: recordShape('group', GroupShape),
    write: async (work, call) => answer(await createGroup(work, call.input), 201),
  },
  {
    method: 'PUT',
    path: '/groups/{group_name}',
    scope: 'write',
    summary: 'Rename a group',
    body: GroupUpdate,
    response: recordShape('group', GroupShape),
    write: async (work, call) => {
      const group = await getGroupByName(work, call.name('group_name', 'group'));
      call.ifMatch('group', group);
      return answer(await updateGroup(work, group, call.input));
    },
  },
  {
    method: 'DELETE',
    path: '/groups/{group_name}',
    scope: 'write',
    summary: 'Delete an empty group',
    description:
      'Its parameters and metacontents go with it. 409 while logical numbers or app versions belong to it.',
    response: EmptyShape,
    write: async (work, call) => {
      const group = await getGroupByName(work, call.name('group_name', 'group'));
      call.ifMatch('group', group);
      await deleteGroup(work, group);
      return EMPTY;
    },
  },
];
