import { Arg, Ctx, Field, Int, Mutation, ObjectType, Resolver } from 'type-graphql';

import type { GraphqlContext } from '../../graphql/execution/context.js';
import type { UserErrorCode, UserErrorShape } from '../../graphql/schema/errors.js';
import { BULK_ERROR_POLICIES, UserError } from '../../graphql/schema/payload.js';
import { refuseTooManyRows, type ErrorPolicy } from '../../platform/batch.js';
import { DeviceType } from './device.graphql.js';
import { createDevices } from './device.import.service.js';
import type { DeviceRow } from './device.model.js';

@ObjectType({ simpleResolvers: true, description: 'What became of one row of a batch.' })
class DeviceBulkCreateResult {
  @Field(() => Int, { description: 'Place in the batch, from 0.' })
  index!: number;

  @Field(() => DeviceType, { nullable: true, description: 'The new device; null where none was created.' })
  device!: DeviceRow['device'];

  @Field(() => [UserError], { description: 'What is wrong with the row; empty where nothing is.' })
  userErrors!: readonly UserErrorShape[];
}

@ObjectType({ simpleResolvers: true, description: 'What DeviceBulkCreate did.' })
class DeviceBulkCreatePayload {
  @Field(() => Int, {
    nullable: true,
    description: 'Number of devices created: 0 where one bad row kept all from it.',
  })
  count!: number | null;

  @Field(() => [DeviceBulkCreateResult], { nullable: true, description: 'One for each row, in their order.' })
  results!: readonly DeviceBulkCreateResult[] | null;

  @Field(() => [UserError], { description: 'What is wrong with the batch as a whole.' })
  userErrors!: readonly UserErrorShape[];
}

function resultOf({ index, device, problems, isTaken }: DeviceRow) {
  const code: UserErrorCode = isTaken ? 'TAKEN' : 'INVALID';
  const path = ['serialNumbers', String(index)];
  return { index, device, userErrors: problems.map((message) => ({ message, path, code })) };
}

@Resolver()
export class DeviceBulkResolver {
  @Mutation(() => DeviceBulkCreatePayload, { description: 'Creates up to 1000 devices.' })
  deviceBulkCreate(
    @Arg('serialNumbers', () => [String], { description: 'Their serial numbers.' }) serialNumbers: string[],
    @Arg('errorPolicy', () => BULK_ERROR_POLICIES, {
      nullable: true,
      defaultValue: 'REJECT_EVERYTHING',
      description: 'What one bad row does to the others.',
    })
    errorPolicy: ErrorPolicy | null,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(
      async (work) => {
        refuseTooManyRows('serialNumbers', serialNumbers);
        const rows = await createDevices(work, serialNumbers, errorPolicy ?? 'REJECT_EVERYTHING');
        return { count: rows.filter((row) => row.device !== null).length, results: rows.map(resultOf) };
      },
      'write',
      [],
    );
  }
}
