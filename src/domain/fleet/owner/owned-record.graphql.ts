import type { z } from 'zod';

import {
  graphqlModule,
  fields,
  many,
  mutations,
  object,
  one,
  queries,
  WARNINGS,
  type ChildList,
  type GraphqlModule,
  type Input,
  type ListTypes,
  type ResolvedField,
} from '../../../graphql/index.js';
import { GroupList, GroupType } from '../group/group.graphql.js';
import { LogicalNumberList, LogicalNumberType } from '../logical-number/logical-number.graphql.js';
import type { OwnedRecords } from './owned-record.service.js';
import { OwnerInput, ownerIdsOf } from './owner.graphql.js';
import type { OwnedRecord } from './owner.model.js';
import { getOwnerByIds } from './owner.service.js';

interface OwnedResource<R extends OwnedRecord> {
  readonly types: ListTypes<R>;
  readonly name: 'parameter' | 'metacontent';
  readonly records: OwnedRecords<R>;
  readonly create: { readonly model: z.ZodObject; readonly descriptions?: Readonly<Record<string, string>> };
  readonly update: { readonly model: z.ZodObject; readonly descriptions?: Readonly<Record<string, string>> };
  readonly ofLogicalNumber: ChildList<R>;
  readonly ofGroup: ChildList<R>;
}

/** Properties that an owned record shows as the relations `logicalNumber` and `group`. */
export type OwnerKeys = 'logicalNumberId' | 'groupId';

/** GraphQL module of parameters or metacontents: queries, mutations, owner, and lists of each owner. */
export function ownedRecordGraphql<R extends OwnedRecord>(resource: OwnedResource<R>): GraphqlModule {
  const { types, name, ofLogicalNumber, ofGroup } = resource;
  return graphqlModule(
    queries(types, { listDescription: `All ${name}s of the company, of logical numbers and of groups.` }),
    ownedMutations(resource),
    fields(types.Record, ownerFields(name)),
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

function ownedMutations<R extends OwnedRecord>({
  types,
  name,
  records,
  create,
  update,
}: OwnedResource<R>): GraphqlModule {
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
