import type { ClassType } from 'type-graphql';

import type { WriteWork } from '../../database/work.js';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { type Scope, refuseTooManyRows, type BatchRow, type ErrorPolicy } from '../../platform/requests.js';
import { userErrorsOf, type Within } from './errors.js';
import { mutation, type GraphqlModule } from './fields.js';
import { fieldName } from './node.js';
import { payloadType, userErrors } from './payload.js';
import * as g from './types.js';

export const BulkErrorPolicy = g.enumeration<ErrorPolicy>(
  'BulkErrorPolicy',
  'What an invalid row of a batch does to the other rows.',
  {
    REJECT_EVERYTHING: 'One invalid row rejects the whole batch: nothing is changed.',
    REJECT_FAILED_ROWS: 'Valid rows are applied, invalid rows are rejected.',
  },
);

interface BulkResult<R> extends BatchRow<R> {
  /** Values of the option `rowFields`. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** True if the row is counted in `count`; by default, one that has a record. */
  readonly counts?: boolean;
}

interface BulkOptions<Row, R extends object, Prepared> {
  /** Name of the mutation as a type, for example `DeviceBulkCreate`. */
  readonly name: string;
  readonly description: string;
  readonly argument: string;
  readonly rows: g.TypedField<readonly Row[]>;
  readonly field: string;
  readonly record: g.TypedField<R>;
  readonly rowFields?: g.Fields;
  readonly countDescription: string;
  readonly scope?: Scope;
  /** Fixed policy for invalid rows; absent if the client chooses. */
  readonly errorPolicy?: ErrorPolicy;
  /** Prepares the rows before the unit of work begins, so that no other change waits for it. */
  readonly prepare: (rows: readonly Row[]) => Promise<Prepared> | Prepared;
  readonly run: (
    work: WriteWork,
    rows: Prepared,
    errorPolicy: ErrorPolicy,
  ) => Promise<readonly BulkResult<R>[]>;
}

/** A mutation of many records, with a result for each row. Yields between preparing, changing and rendering. */
export function bulkMutation<Row, R extends object, Prepared>(
  options: BulkOptions<Row, R, Prepared>,
): GraphqlModule {
  const { name, argument, rows, field, errorPolicy: fixed, prepare, run, scope = 'write' } = options;
  return mutation(fieldName(name), {
    field: g.object(bulkPayload(options), options.description),
    args: { [argument]: rows, ...(fixed === undefined ? { errorPolicy: ERROR_POLICY } : {}) },
    resolve: async (_source, ctx, args: Readonly<Record<string, unknown>>) => {
      const given = args[argument] as readonly Row[];
      const policy = fixed ?? (args.errorPolicy as ErrorPolicy | null) ?? 'REJECT_EVERYTHING';
      const change = async (work: WriteWork, prepared: Prepared) => {
        const all = await run(work, prepared, policy);
        return {
          count: all.filter(({ record, counts = record !== null }) => counts).length,
          results: all.map(({ record, problem, more }, index) => ({
            index,
            ...more,
            [field]: record,
            userErrors: userErrorsOf(problem, pathIn(given[index], [argument, String(index)])) ?? [],
          })),
        };
      };
      const { results, ...payload } = await ctx.change(change, scope, [], async () => {
        refuseTooManyRows(argument, given);
        await yieldToEventLoop();
        return await prepare(given);
      });
      return results === undefined ? payload : { ...payload, results: await ctx.loaders.rendered(results) };
    },
  });
}

/** The path of the fields of a row; a row that is no object has none. */
const pathIn = (row: unknown, path: readonly string[]): Within =>
  typeof row === 'object' ? path : () => path;

const ERROR_POLICY = {
  ...g.choice.orNull(BulkErrorPolicy, 'What an invalid row does to the other rows.'),
  defaultValue: 'REJECT_EVERYTHING',
};

function bulkPayload<Row, R extends object, Prepared>(options: BulkOptions<Row, R, Prepared>): ClassType {
  const { name, field, record, rowFields = {}, countDescription } = options;
  const Result = g.untypedObjectType(`${name}Result`, 'Result of one row of a batch.', {
    index: g.int('Index of the row in the argument, from 0.'),
    [field]: g.nullable(record),
    ...rowFields,
    userErrors: userErrors('What is wrong with the row. Empty for a valid row.'),
  });
  return payloadType(name, {
    count: g.int.orNull(`${countDescription} Null if the batch as a whole is invalid.`),
    results: g.nullable(
      g.object.list(
        Result,
        'One result for each row, in the same order. Null if the batch as a whole is invalid.',
      ),
    ),
  });
}
