import { z } from 'zod';

import { auditShape, byName, fieldsOf, resourceRoutes } from '../../../rest/index.js';
import { type Group, GroupCreate, GroupUpdate } from './group.model.js';
import { createGroup, deleteGroup, getGroupByName, listGroups, updateGroup } from './group.service.js';

const GroupShape = z
  .strictObject({ id: z.int(), name: z.string(), ...auditShape })
  .meta({ id: 'Group', description: 'Logical numbers that share applications and settings.' });

/** /v1/groups (contract 19): one group is addressed by its name. */
export const groupRoutes = resourceRoutes<Group>({
  path: '/groups',
  name: 'group',
  key: byName('group_name', 'group', getGroupByName),
  fields: fieldsOf(GroupShape).from<Group>({}),
  list: { summary: 'List groups', handle: listGroups },
  read: { summary: 'Read a group' },
  create: { summary: 'Create a group', body: GroupCreate, handle: createGroup },
  update: { summary: 'Rename a group', body: GroupUpdate, handle: updateGroup },
  delete: {
    summary: 'Delete an empty group',
    description:
      'Also deletes its parameters and metacontents. 409 while it has logical numbers or app versions.',
    handle: deleteGroup,
  },
});
