import { Arg, Mutation, type ClassType } from 'type-graphql';

import type { WriteWork } from '../../../database/work.js';
import type { Scope } from '../../../platform/caller.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import type { ErrorPolicy } from '../../../platform/requests/rows.js';
import type { GraphqlContext } from '../../execution/context.js';
import { resolvesArguments, type ResolveArguments } from '../arguments.js';
import { enumeration } from '../enumeration.js';
import type { UserErrorShape } from '../errors.js';
import { fieldName } from '../node.js';
import {
  int,
  listOf,
  nullable,
  object,
  untypedObjectType,
  type AnyField,
  type TypedField,
} from '../object-type.js';
import { payloadType, userErrors } from '../payload.js';
import { addMethod, type GraphqlModule, type Parameter, resolverClass } from './graphql-module.js';

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
  /** Values of the option `rowFields`. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** Whether the row is counted in `count`; by default, whether it has a record. */
  readonly counts?: boolean;
}

interface BulkOptions<Row, R extends object, Prepared> {
  /** Name of the mutation as a type, for example `DeviceBulkCreate`. */
  readonly name: string;
  readonly description: string;
  /** The argument with the rows. */
  readonly argument: string;
  readonly rows: TypedField<readonly Row[]>;
  /** The field of a row's result that shows its record. */
  readonly field: string;
  readonly record: TypedField<R>;
  /** Further fields of a row's result. */
  readonly rowFields?: Readonly<Record<string, AnyField>>;
  /** Further fields of the payload. */
  readonly payloadFields?: Readonly<Record<string, AnyField>>;
  readonly countDescription: string;
  /** Defaults to `write`. */
  readonly scope?: Scope;
  /** Fixed policy for invalid rows; absent if the client chooses. */
  readonly errorPolicy?: ErrorPolicy;
  /** Prepares the rows before the unit of work begins, so that no other change waits for it. */
  readonly prepare: (rows: readonly Row[]) => Promise<Prepared>;
  readonly run: (
    work: WriteWork,
    rows: Prepared,
    errorPolicy: ErrorPolicy,
  ) => Promise<readonly BulkResult<R>[]>;
}

/** A mutation that creates or sets many records, with one result for each row. */
export function bulkMutation<Row, R extends object, Prepared>(
  options: BulkOptions<Row, R, Prepared>,
): GraphqlModule {
  const { argument, rows, errorPolicy: fixed } = options;
  const Resolvers = resolverClass();
  const Payload = bulkPayload(options);
  const apply = applier(options);
  const resolve: ResolveArguments = (_source, args, ctx) =>
    apply(args[argument] as readonly Row[], ctx, fixed ?? (args.errorPolicy as ErrorPolicy | null));
  const decorate: MethodDecorator = (...method) => {
    Mutation(() => Payload, { description: options.description })(...method);
    resolvesArguments(resolve)(...method);
  };
  const rowsArg = Arg(argument, () => rows.type, { description: rows.description });
  const parameters = fixed === undefined ? [rowsArg, errorPolicyArg()] : [rowsArg];
  addMethod<unknown[]>(Resolvers, fieldName(options.name), decorate, parameters, () => undefined);
  return { nodes: [], resolvers: [Resolvers] };
}

/** Makes the change. Yields to the event loop between preparing, changing and rendering. */
function applier<Row, R extends object, Prepared>(options: BulkOptions<Row, R, Prepared>) {
  const { field, prepare, run, scope = 'write' } = options;
  return async (given: readonly Row[], ctx: GraphqlContext, policy: ErrorPolicy | null) => {
    const { results, ...payload } = await ctx.change(
      async (work, prepared) => {
        const all = await run(work, prepared, policy ?? 'REJECT_EVERYTHING');
        return {
          count: all.filter(({ record, counts = record !== null }) => counts).length,
          results: all.map(({ index, record, userErrors: errors, more }) => ({
            ...{ index, ...more, [field]: record },
            userErrors: errors,
          })),
        };
      },
      scope,
      [],
      async () => {
        await yieldToEventLoop();
        return await prepare(given);
      },
    );
    return results === undefined ? payload : { ...payload, results: ctx.loaders.rendered(results) };
  };
}

function errorPolicyArg(): Parameter {
  return Arg('errorPolicy', () => BulkErrorPolicy.values, {
    nullable: true,
    defaultValue: 'REJECT_EVERYTHING',
    description: 'What an invalid row does to the other rows.',
  });
}

function bulkPayload<Row, R extends object, Prepared>(options: BulkOptions<Row, R, Prepared>): ClassType {
  const { name, field, record, rowFields = {}, payloadFields = {}, countDescription } = options;
  const Result = untypedObjectType(`${name}Result`, 'Result of one row of a batch.', {
    index: int('Index of the row in the argument, from 0.'),
    [field]: nullable(record),
    ...rowFields,
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
    ...payloadFields,
  });
}
