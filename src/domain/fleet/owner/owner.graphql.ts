import { Field, ID, InputType, type ClassType } from 'type-graphql';
import type { z } from 'zod';

import {
  fields,
  graphqlModule,
  type GraphqlModule,
  type Input,
  listTypes,
  type ListTypes,
  many,
  mutations,
  numberIn,
  object,
  one,
  queries,
  type ResolvedField,
  WARNINGS,
} from '../../../graphql/index.js';
import { GroupList, GroupType } from '../group/group.graphql.js';
import { LogicalNumberList, LogicalNumberType } from '../logical-number/logical-number.graphql.js';
import type { OwnedRecord, OwnerIds } from './owner.model.js';
import { getOwnerByIds, type OwnedRecords } from './owner.service.js';

@InputType('OwnerInput', {
  description: 'The owner of a parameter or metacontent: either a logical number or a group.',
})
export class OwnerInput {
  @Field(() => ID, { nullable: true, description: 'Global id of the logical number.' })
  logicalNumberId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Global id of the group.' })
  groupId?: string | null;
}

/** The numbers in the global ids. */
export function ownerIdsOf({ logicalNumberId, groupId }: OwnerInput): OwnerIds {
  return {
    logicalNumberId: numberOf('LogicalNumber', logicalNumberId),
    groupId: numberOf('Group', groupId),
  };
}

/** The number of no record: a text that is not an id of the type is handled as an unknown id. */
const UNKNOWN = 0;

function numberOf(typeName: string, id: string | null | undefined): number | null {
  return id == null ? null : (numberIn(typeName, id) ?? UNKNOWN);
}

interface OwnedResource<R extends OwnedRecord> {
  readonly Record: ClassType<R>;
  readonly records: OwnedRecords<R>;
  readonly create: { readonly model: z.ZodObject; readonly descriptions?: Readonly<Record<string, string>> };
  readonly update: { readonly model: z.ZodObject; readonly descriptions?: Readonly<Record<string, string>> };
}

/** Properties that an owned record shows as the relations `logicalNumber` and `group`. */
export type OwnerKeys = 'logicalNumberId' | 'groupId';

/** GraphQL module of parameters or metacontents: queries, mutations, owner, and lists of each owner. */
export function ownedRecordGraphql<R extends OwnedRecord>(resource: OwnedResource<R>): GraphqlModule {
  const { name, all, ofLogicalNumber, ofGroup } = resource.records;
  const types = listTypes(all, resource.Record);
  return graphqlModule(
    queries(types, { listDescription: `All ${name}s of the company, of logical numbers and of groups.` }),
    ownedMutations(types, resource),
    fields(resource.Record, ownerFields(name)),
    fields(LogicalNumberType, {
      [`${name}s`]: many(
        types,
        ofLogicalNumber,
        'id',
        `The ${name}s of the logical number itself, without those of its group.`,
      ),
    }),
    fields(GroupType, {
      [`${name}s`]: many(types, ofGroup, 'id', `The ${name}s of the group.`),
    }),
  );
}

function ownedMutations<R extends OwnedRecord>(
  types: ListTypes<R>,
  { records, create, update }: OwnedResource<R>,
): GraphqlModule {
  const { name } = records;
  return mutations(types, {
    get: (work, id) => records.getById(work, id),
    create: {
      ...create,
      run: async (work, { owner, ...input }: Input) =>
        records.create(work, await getOwnerByIds(work, ownerIdsOf(owner as OwnerInput)), input),
      description: `Creates a ${name} of a logical number or of a group.`,
      fields: { owner: object(OwnerInput, `Owner of the ${name}.`) },
    },
    update: { ...update, run: (work, current, input) => records.update(work, current, input) },
    delete: { run: (work, current) => records.delete(work, current) },
    payloadFields: WARNINGS,
  });
}

function ownerFields(name: string): Readonly<Record<string, ResolvedField<OwnedRecord>>> {
  return {
    logicalNumber: one(
      LogicalNumberList,
      'logicalNumberId',
      `Logical number that owns the ${name}. Null if a group owns it.`,
    ),
    group: one(GroupList, 'groupId', `Group that owns the ${name}. Null if a logical number owns it.`),
  };
}
