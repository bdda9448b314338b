import { Arg, Ctx, Mutation, type ClassType } from 'type-graphql';
import type { z } from 'zod';

import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { GraphqlContext } from '../../execution/context.js';
import type { Within } from '../errors.js';
import { inputOf, type Input, type References } from '../input.js';
import type { ListTypes } from '../list.js';
import { fieldName, idOf, withArticle, withNumbers, words } from '../node.js';
import { id, nullable, type AnyField } from '../object-type.js';
import { payloadOf, payloadType } from '../payload.js';
import { IdArg } from './intent.js';
import { resolverClass, type Face } from './face.js';
import { addMethod } from './method.js';

/** The input of a mutation and what it does. */
interface Change<Run> {
  /** The fields of the input. */
  readonly model: z.ZodObject;
  readonly run: Run;
  /** What the mutation does, in place of a standard sentence such as "Creates a device.". */
  readonly description?: string;
  /** Descriptions of fields in place of the model's. */
  readonly descriptions?: Readonly<Record<string, string>>;
  /** Fields of the input that the model does not have. */
  readonly fields?: Readonly<Record<string, AnyField>>;
}

interface MutationOptions<R> {
  /** Errors: `not_found`. */
  readonly get: (work: ReadWork, id: number) => Promise<R>;
  readonly create: Change<(work: WriteWork, input: Input) => Promise<object>>;
  readonly update: Change<(work: WriteWork, current: R, input: Input) => Promise<object>>;
  readonly delete: {
    readonly run: (work: WriteWork, current: R) => Promise<void>;
    readonly description?: string;
  };
  /** Types of the records that inputs refer to by id. */
  readonly references?: References;
  /** Where in the arguments the fields stand that the errors of `create` and `update` name. */
  readonly within?: Within;
}

/** The mutations of a resource, and its update for mutations written by hand. */
export interface Mutations extends Face {
  /** Updates the record with the global id `id`. Paths of errors begin with `within`: ["input"] unless given. */
  readonly update: (ctx: GraphqlContext, id: string, input: () => Input, within?: Within) => Promise<object>;
}

/** The mutations that create, update and delete a record, such as `deviceCreate`, with their inputs and payloads. */
export function mutations<T extends object, R>(types: ListTypes<T>, options: MutationOptions<R>): Mutations {
  const { name } = types.list;
  const Resolvers = resolverClass(types.Record);
  const update = updateWith(name, options);
  addCreate(Resolvers, types, options);
  addUpdate(Resolvers, types, options, update);
  addDelete(Resolvers, name, options);
  return { nodes: [], resolvers: [Resolvers], update };
}

function updateWith<R>(name: string, options: MutationOptions<R>): Mutations['update'] {
  const { get, references = {}, within = ['input'] } = options;
  return (ctx, globalId, input, inputWithin = within) =>
    ctx.change(
      async (work) => {
        const current = await get(work, idOf(name, globalId));
        const changed = await options.update.run(work, current, withNumbers(input(), references));
        return { [fieldName(name)]: changed };
      },
      'write',
      inputWithin,
    );
}

function addCreate<T extends object, R>(
  Resolvers: ClassType,
  types: ListTypes<T>,
  options: MutationOptions<R>,
): void {
  const { list, Record, enums } = types;
  const { create, references = {}, within } = options;
  const noun = words(list.name);
  const InputType = inputOf(`${list.name}CreateInput`, create.model, {
    ...create,
    description: `Fields of a new ${noun}.`,
    references,
    enums,
  });
  const Payload = payloadOf(`${list.name}Create`, fieldName(list.name), Record);
  addMethod<[Input, GraphqlContext]>(
    Resolvers,
    `${fieldName(list.name)}Create`,
    Mutation(() => Payload, { description: create.description ?? `Creates ${withArticle(noun)}.` }),
    [Arg('input', () => InputType, { description: `Fields of the new ${noun}.` }), Ctx()],
    (input, ctx) =>
      ctx.change(
        async (work) => ({ [fieldName(list.name)]: await create.run(work, withNumbers(input, references)) }),
        'write',
        within,
      ),
  );
}

function addUpdate<T extends object, R>(
  Resolvers: ClassType,
  types: ListTypes<T>,
  options: MutationOptions<R>,
  run: Mutations['update'],
): void {
  const { list, Record, enums } = types;
  const { update, references = {} } = options;
  const noun = words(list.name);
  const InputType = inputOf(`${list.name}UpdateInput`, update.model, {
    ...update,
    description: `Changes of ${withArticle(noun)}. Absent fields keep their values.`,
    references,
    enums,
    isUpdate: true,
  });
  const Payload = payloadOf(`${list.name}Update`, fieldName(list.name), Record);
  addMethod<[string, Input, GraphqlContext]>(
    Resolvers,
    `${fieldName(list.name)}Update`,
    Mutation(() => Payload, { description: update.description ?? `Updates ${withArticle(noun)}.` }),
    [IdArg(list.name), Arg('input', () => InputType, { description: 'New values.' }), Ctx()],
    (globalId, input, ctx) => run(ctx, globalId, () => input),
  );
}

function addDelete<R>(Resolvers: ClassType, name: string, options: MutationOptions<R>): void {
  const { run, description } = options.delete;
  const noun = words(name);
  const Payload = payloadType(`${name}Delete`, {
    deletedId: nullable(id(`Global id of the deleted ${noun}. Null if nothing was deleted.`)),
  });
  addMethod<[string, GraphqlContext]>(
    Resolvers,
    `${fieldName(name)}Delete`,
    Mutation(() => Payload, { description: description ?? `Deletes ${withArticle(noun)}.` }),
    [IdArg(name), Ctx()],
    (globalId, ctx) =>
      ctx.change(async (work) => {
        await run(work, await options.get(work, idOf(name, globalId)));
        return { deletedId: globalId };
      }),
  );
}
