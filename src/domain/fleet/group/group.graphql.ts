import { graphqlModule, id, listOf, listTypes, mutations, queries, text } from '../../../graphql/index.js';
import { auditedType } from '../../people/user/audited.graphql.js';
import { setDefaultVersions } from './default-versions.service.js';
import { GroupCreate, GroupUpdate, type Group } from './group.model.js';
import { deleteGroup } from './group.removal.service.js';
import { createGroup, getGroup, getGroupByName, groups, updateGroup } from './group.service.js';

export const GroupType = auditedType<Group>(
  'Group',
  'Logical numbers that share app versions, parameters and metacontents.',
  { name: text('Name, unique in the company.') },
);

export const GroupList = listTypes(groups, GroupType);

export const groupGraphql = graphqlModule(
  queries(GroupList, { keys: { name: { get: getGroupByName, description: 'Name of the group.' } } }),
  mutations(GroupList, {
    get: getGroup,
    create: { model: GroupCreate, run: createGroup },
    update: { model: GroupUpdate, run: updateGroup },
    delete: {
      run: deleteGroup,
      description:
        'Deletes a group with its parameters and metacontents. NOT_EMPTY if it has logical numbers or app versions.',
    },
    references: { appVersionIds: 'AppVersion' },
    changes: {
      groupSetDefaultAppVersions: {
        description:
          'Replaces the app versions that logical numbers get when they are created in the group or moved to it. Logical numbers that the group has already do not change: see `appVersionGrant`.',
        args: {
          appVersionIds: listOf(
            id(
              'Global ids of app versions that are attached to the group, at most one of each app. At most 1000.',
            ),
          ),
        },
        run: setDefaultVersions,
      },
    },
  }),
);
