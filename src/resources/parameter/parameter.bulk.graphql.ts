import { Arg, Ctx, Field, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql';

import type { GraphqlContext } from '../../graphql/execution/context.js';
import { userErrorsOf, type UserErrorShape } from '../../graphql/schema/errors.js';
import { BULK_ERROR_POLICIES, UserError } from '../../graphql/schema/payload.js';
import type { ErrorPolicy } from '../../platform/batch.js';
import { OwnerInput, ownerIdsOf } from '../owner/owner.graphql.js';
import { setParameters } from './parameter.bulk.service.js';
import { ParameterType } from './parameter.graphql.js';
import type { ParameterRow } from './parameter.model.js';

@InputType({ description: 'One row of a batch: the value that a key of an owner shall have.' })
class ParameterBulkSetRow {
  @Field(() => OwnerInput, { description: 'Whose it is.' })
  owner!: OwnerInput;

  @Field(() => String, { description: 'Key: 1 to 255 characters.' })
  key!: string;

  @Field(() => String, { description: 'Value, up to 64 KiB.' })
  value!: string;

  @Field(() => String, { nullable: true, description: 'What it is for; absent keeps what is there.' })
  description?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'What became of one row of a batch.' })
class ParameterBulkSetResult {
  @Field(() => Int, { description: 'Place in the batch, from 0.' })
  index!: number;

  @Field(() => ParameterType, { nullable: true, description: 'As it is now; null where it was not set.' })
  parameter!: ParameterRow['parameter'];

  @Field(() => [UserError], { description: 'What is wrong with the row; empty where nothing is.' })
  userErrors!: readonly UserErrorShape[];
}

@ObjectType({ simpleResolvers: true, description: 'What ParameterBulkSet did.' })
class ParameterBulkSetPayload {
  @Field(() => Int, {
    nullable: true,
    description: 'Number of rows that are as asked for now: 0 where one bad row kept all from it.',
  })
  count!: number | null;

  @Field(() => [ParameterBulkSetResult], { nullable: true, description: 'One for each row, in their order.' })
  results!: readonly ParameterBulkSetResult[] | null;

  @Field(() => [UserError], { description: 'What is wrong with the batch as a whole.' })
  userErrors!: readonly UserErrorShape[];
}

function resultOf({ index, parameter, problem }: ParameterRow) {
  return { index, parameter, userErrors: userErrorsOf(problem, ['rows', String(index)]) ?? [] };
}

@Resolver()
export class ParameterBulkResolver {
  @Mutation(() => ParameterBulkSetPayload, {
    description: 'Sets up to 1000 parameters by owner and key: creates what is new, changes what is there.',
  })
  parameterBulkSet(
    @Arg('rows', () => [ParameterBulkSetRow], { description: 'What shall be set.' })
    rows: ParameterBulkSetRow[],
    @Arg('errorPolicy', () => BULK_ERROR_POLICIES, {
      nullable: true,
      defaultValue: 'REJECT_EVERYTHING',
      description: 'What one bad row does to the others.',
    })
    errorPolicy: ErrorPolicy | null,
    @Ctx() ctx: GraphqlContext,
  ) {
    const settings = rows.map((row) => ({ owner: ownerIdsOf(row.owner), input: row }));
    return ctx.change(
      async (work) => {
        const set = await setParameters(work, settings, errorPolicy ?? 'REJECT_EVERYTHING');
        return { count: set.filter((row) => row.parameter !== null).length, results: set.map(resultOf) };
      },
      'write',
      [],
    );
  }
}
