import { Arg, Ctx, ID, Resolver } from 'type-graphql';

import {
  face,
  fields,
  IdArg,
  listTypes,
  many,
  mutations,
  one,
  present,
  queries,
  RecordMutation,
  text,
  type GraphqlContext,
} from '../../graphql/index.js';
import { GroupType } from '../group/group.graphql.js';
import { groups } from '../group/group.service.js';
import { auditedType } from '../user/audited.graphql.js';
import { LogicalNumberCreate, LogicalNumberUpdate, type LogicalNumberHead } from './logical-number.model.js';
import { deleteLogicalNumber } from './logical-number.removal.service.js';
import {
  createLogicalNumber,
  getLogicalNumber,
  getLogicalNumberByNumber,
  logicalNumbers,
  logicalNumbersOfGroup,
  updateLogicalNumber,
} from './logical-number.service.js';

export const LogicalNumberType = auditedType<LogicalNumberHead, 'groupId'>(
  'LogicalNumber',
  'A number that devices work under. Determines the app versions, parameters and metacontents that they get.',
  { number: text('The number, unique in the company.') },
);

export const LogicalNumberList = listTypes(logicalNumbers, LogicalNumberType);

const numberMutations = mutations(LogicalNumberList, {
  get: getLogicalNumber,
  create: { model: LogicalNumberCreate, run: createLogicalNumber },
  update: {
    model: LogicalNumberUpdate,
    run: updateLogicalNumber,
    description:
      'Updates a logical number. In another group it keeps only the app versions that are attached to that group.',
  },
  delete: {
    run: deleteLogicalNumber,
    description:
      'Deletes a logical number with its parameters and metacontents. Its devices stay, without a logical number.',
  },
  references: { groupId: 'Group', appVersionIds: 'AppVersion' },
});

@Resolver()
class LogicalNumberIntents {
  @RecordMutation(
    LogicalNumberList,
    'Moves a logical number to a group, or out of its group. It keeps only the app versions that are attached to the new group.',
  )
  logicalNumberMove(
    @IdArg('LogicalNumber') id: string,
    @Ctx() ctx: GraphqlContext,
    @Arg('groupId', () => ID, {
      nullable: true,
      description: 'Global id of the new group. Required; null leaves the number without a group.',
    })
    groupId?: string | null,
  ) {
    return numberMutations.update(ctx, id, () => ({ groupId: present('groupId', groupId) }), []);
  }

  @RecordMutation(LogicalNumberList, 'Replaces the app versions that a logical number may access.')
  logicalNumberSetAppVersions(
    @IdArg('LogicalNumber') id: string,
    @Arg('appVersionIds', () => [ID], {
      description: 'Global ids of app versions that are attached to the group of the number. At most 1000.',
    })
    appVersionIds: string[],
    @Ctx() ctx: GraphqlContext,
  ) {
    return numberMutations.update(ctx, id, () => ({ appVersionIds }), []);
  }
}

export const logicalNumberFace = face(
  queries(LogicalNumberList, {
    keys: { number: { get: getLogicalNumberByNumber, description: 'The number itself.' } },
  }),
  numberMutations,
  LogicalNumberIntents,
  fields(LogicalNumberType, {
    group: one(GroupType, groups, 'groupId', 'Group that the number belongs to. Null if it has none.'),
  }),
  fields(GroupType, {
    logicalNumbers: many(LogicalNumberList, logicalNumbersOfGroup, 'id', 'Logical numbers of the group.'),
  }),
);
