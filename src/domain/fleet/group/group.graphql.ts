import * as g from '../../../graphql/index.js';
import { auditedType } from '../../people/user/user.graphql.js';
import { type Group, GroupCreate, GroupUpdate } from './group.model.js';
import { createGroup, deleteGroup, getGroup, getGroupByName, groups, updateGroup } from './group.service.js';

export const GroupType = auditedType<Group>(
  'Group',
  'Logical numbers that share app versions, parameters and metacontents.',
  { name: g.text('Name, unique in the company.') },
);

export const GroupList = g.listTypes(groups, GroupType);

export const groupGraphql = g.graphqlModule(
  g.queries(GroupList, { keys: { name: { get: getGroupByName, description: 'Name of the group.' } } }),
  g.mutations(GroupList, {
    get: getGroup,
    create: { model: GroupCreate, run: createGroup },
    update: { model: GroupUpdate, run: updateGroup },
    delete: {
      run: deleteGroup,
      description:
        'Deletes a group with its parameters and metacontents. NOT_EMPTY if it has logical numbers or app versions.',
    },
  }),
);
