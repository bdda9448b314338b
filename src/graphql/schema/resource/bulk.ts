import { Arg, Ctx, Mutation, type ClassType } from 'type-graphql';

import type { WriteWork } from '../../../database/work.js';
import type { ErrorPolicy } from '../../../platform/batch.js';
import type { GraphqlContext } from '../../execution/context.js';
import { enumeration } from '../enumeration.js';
import type { UserErrorShape } from '../errors.js';
import { fieldName } from '../node.js';
import { int, listOf, nullable, object, untypedObjectType, type TypedField } from '../object-type.js';
import { payloadType, userErrors } from '../payload.js';
import { addMethod, type Face, type Parameter, resolverClass } from './face.js';

const BulkErrorPolicy = enumeration<ErrorPolicy>(
  'BulkErrorPolicy',
  'What an invalid row of a batch does to the other rows.',
  {
    REJECT_EVERYTHING: 'One invalid row rejects the whole batch: nothing is changed.',
    REJECT_FAILED_ROWS: 'Valid rows are applied, invalid rows are rejected.',
  },
);

/** The result of one row of a batch. */
export interface BulkResult<R> {
  /** Index of the row in the argument. */
  readonly index: number;
  /** Null if the row was not applied. */
  readonly record: R | null;
  readonly userErrors: readonly UserErrorShape[];
}

interface BulkOptions<Row, R extends object> {
  /** Name of the mutation as a type, for example `DeviceBulkCreate`. */
  readonly name: string;
  readonly description: string;
  /** The argument with the rows. */
  readonly argument: string;
  readonly rows: TypedField<readonly Row[]>;
  /** The field of a row's result that shows its record. */
  readonly field: string;
  readonly record: TypedField<R>;
  readonly countDescription: string;
  readonly run: (
    work: WriteWork,
    rows: readonly Row[],
    errorPolicy: ErrorPolicy,
  ) => Promise<readonly BulkResult<R>[]>;
}

/** A mutation that creates or sets many records, with one result for each row. */
export function bulkMutation<Row, R extends object>(options: BulkOptions<Row, R>): Face {
  const { argument, rows, field, run } = options;
  const Resolvers = resolverClass();
  const Payload = bulkPayload(options);
  addMethod<[readonly Row[], ErrorPolicy | null, GraphqlContext]>(
    Resolvers,
    fieldName(options.name),
    Mutation(() => Payload, { description: options.description }),
    [Arg(argument, () => rows.type, { description: rows.description }), errorPolicyArg(), Ctx()],
    (given, errorPolicy, ctx) =>
      ctx.change(
        async (work) => {
          const results = await run(work, given, errorPolicy ?? 'REJECT_EVERYTHING');
          return {
            count: results.filter(({ record }) => record !== null).length,
            results: results.map(({ index, record, userErrors: errors }) => ({
              index,
              [field]: record,
              userErrors: errors,
            })),
          };
        },
        'write',
        [],
      ),
  );
  return { nodes: [], resolvers: [Resolvers] };
}

function errorPolicyArg(): Parameter {
  return Arg('errorPolicy', () => BulkErrorPolicy.values, {
    nullable: true,
    defaultValue: 'REJECT_EVERYTHING',
    description: 'What an invalid row does to the other rows.',
  });
}

function bulkPayload<Row, R extends object>(options: BulkOptions<Row, R>): ClassType {
  const { name, field, record, countDescription } = options;
  const Result = untypedObjectType(`${name}Result`, 'Result of one row of a batch.', {
    index: int('Index of the row in the argument, from 0.'),
    [field]: nullable(record),
    userErrors: userErrors('What is wrong with the row. Empty for a valid row.'),
  });
  return payloadType(name, {
    count: nullable(int(`${countDescription} Null if the batch as a whole is invalid.`)),
    results: nullable(
      listOf(
        object(
          Result,
          'One result for each row, in the same order. Null if the batch as a whole is invalid.',
        ),
      ),
    ),
  });
}
