import * as g from '../../../graphql/index.js';
import { auditedType } from '../../people/user/user.graphql.js';
import { GroupList, GroupType } from '../group/group.graphql.js';
import { DESCRIBED_FIELDS, TAGS_FILTER } from '../tag/tag.graphql.js';
import { LogicalNumberCreate, type LogicalNumberHead, LogicalNumberUpdate } from './logical-number.model.js';
import * as service from './logical-number.service.js';
import { refuseLossByMove } from './version-links.service.js';

export const LogicalNumberType = auditedType<LogicalNumberHead, 'groupId'>(
  'LogicalNumber',
  'A number that devices work under. Determines the app versions, parameters and metacontents that they get.',
  {
    number: g.text('The number, unique in the company.'),
    merchantName: g.text.orNull('Name of the merchant. Null if it is not known.'),
    merchantAddress: g.text.orNull(
      'Address of the merchant, in one line or several. Null if it is not known.',
    ),
    ...DESCRIBED_FIELDS,
  },
);

export const LogicalNumberList = g.listTypes(
  service.logicalNumbers,
  LogicalNumberType,
  {},
  {},
  {
    changedByJob:
      'Jobs that have changed the logical number or its parameters. As long as the ledger is kept.',
    hasDevice: 'Whether a device works under the logical number.',
    tags: TAGS_FILTER,
    version: 'App versions that the logical number has.',
  },
);

export const logicalNumberGraphql = g.graphqlModule(
  g.queries(LogicalNumberList, {
    keys: { number: { get: service.getLogicalNumberByNumber, description: 'The number itself.' } },
  }),
  g.mutations(LogicalNumberList, {
    get: service.getLogicalNumber,
    create: { model: LogicalNumberCreate, run: service.createLogicalNumber },
    update: {
      model: LogicalNumberUpdate,
      run: service.updateLogicalNumber,
      keeps: refuseLossByMove,
      description:
        'Updates a logical number. In another group it keeps only the app versions that are attached to that group, or those of `appVersionIds`.',
    },
    delete: {
      run: service.deleteLogicalNumber,
      description:
        'Deletes a logical number with its parameters and metacontents. Its devices stay, without a logical number.',
    },
    references: { groupId: 'Group', appVersionIds: 'AppVersion' },
    changes: {
      logicalNumberMove: {
        description:
          'Moves a logical number to a group, or out of its group. It keeps only the app versions that are attached to the new group.',
        args: {
          groupId: g.id.orNull(
            'Global id of the new group. Required; null leaves the number without a group.',
          ),
        },
        run: service.updateLogicalNumber,
        keeps: refuseLossByMove,
      },
      logicalNumberSetAppVersions: {
        description: 'Replaces the app versions that a logical number may access.',
        args: {
          appVersionIds: g.id.list(
            'Global ids of app versions that are attached to the group of the number. At most 1000.',
          ),
        },
        run: service.updateLogicalNumber,
      },
    },
  }),
  g.fields(LogicalNumberType, {
    group: g.one(GroupList, 'groupId', 'Group that the number belongs to. Null if it has none.'),
  }),
  g.fields(GroupType, {
    logicalNumbers: g.many(LogicalNumberList, service.logicalNumbersOfGroup, 'Logical numbers of the group.'),
  }),
);
