import { Arg, Ctx, ID, Mutation, type ClassType } from 'type-graphql';
import type { z } from 'zod';

import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { Scope } from '../../../platform/caller.js';
import type { GraphqlContext } from '../../execution/context.js';
import type { Within } from '../errors.js';
import { inputOf, type Input, type InputOptions, type References } from '../input.js';
import type { ListTypes } from '../list.js';
import { fieldName, idOf, withArticle, withNumbers, words } from '../node.js';
import { id, nullable, type AnyField } from '../object-type.js';
import { payloadOf, payloadType, present } from '../payload.js';
import { changeWithForce, forceParameters, type Force, type Keeps } from './force.js';
import { addMethod, resolverClass, type GraphqlModule, type Parameter } from './graphql-module.js';
import { lockOf, UNLOCKED, type IfMatch, type Lock, type Revised } from './lock.js';

/** The input of a mutation and what it does. */
interface Change<Run> extends Pick<InputOptions, 'descriptions' | 'fields'> {
  /** The fields of the input. */
  readonly model: z.ZodObject;
  readonly run: Run;
  /** Description of the mutation; defaults to a standard sentence such as "Creates a device.". */
  readonly description?: string;
}

type RunOnRecord<R> = (work: WriteWork, current: R, input: Input) => Promise<object>;

/** A mutation of one record, such as `deviceAssign`. */
interface RecordChange<R> {
  readonly description: string;
  /** Arguments besides `id`, as fields of the model. All must be given; nullable ones accept null. */
  readonly args?: Readonly<Record<string, AnyField>>;
  /** Defaults to `write`; null if every valid token may call the mutation. */
  readonly scope?: Scope | null;
  /** Makes the change; `input` contains the arguments. */
  readonly run: RunOnRecord<R>;
  /** Check that `force` skips, see `changeWithForce`. */
  readonly keeps?: Keeps<R>;
}

interface RecordOptions<R> {
  /** Errors: `not_found`. */
  readonly get: (work: ReadWork, id: number) => Promise<R>;
  /** Types of the records that inputs and arguments refer to by id. */
  readonly references?: References;
  /** Further mutations of one record, by name. */
  readonly changes?: Readonly<Record<string, RecordChange<R>>>;
}

interface MutationOptions<R> extends RecordOptions<R> {
  readonly create: Change<(work: WriteWork, input: Input) => Promise<object>>;
  readonly update: Change<RunOnRecord<R>> & { readonly keeps?: Keeps<R> };
  readonly delete: {
    readonly run: (work: WriteWork, current: R) => Promise<void>;
    readonly keeps?: Keeps<R>;
    readonly description?: string;
  };
  /** Further fields of the payloads of `create` and `update`. */
  readonly payloadFields?: Readonly<Record<string, AnyField>>;
  /** Path in the arguments of the fields that errors of `create` and `update` name. */
  readonly within?: Within;
}

/**
 * The mutations that create, update and delete a record, such as `deviceCreate`, with their inputs and
 * payloads. All mutations of an existing record take `ifMatch`.
 */
export function mutations<T extends object, R extends Revised>(
  types: ListTypes<T>,
  options: MutationOptions<R>,
): GraphqlModule {
  const Resolvers = resolverClass();
  addCreate(Resolvers, types, options);
  addUpdate(Resolvers, types, options);
  addDelete(Resolvers, types.list.name, options);
  addChanges(Resolvers, types, options, lockOf(types.list.name));
  return { nodes: [], resolvers: [Resolvers] };
}

function addCreate<T extends object, R>(
  Resolvers: ClassType,
  types: ListTypes<T>,
  { create, references = {}, within, payloadFields }: MutationOptions<R>,
): void {
  const { list, enums } = types;
  const field = fieldName(list.name);
  const noun = words(list.name);
  const InputType = inputOf(`${list.name}CreateInput`, create.model, {
    ...{ ...create, references, enums },
    description: `Fields of a new ${noun}.`,
  });
  addMethod<[Input, GraphqlContext]>(
    Resolvers,
    `${field}Create`,
    recordMutation(
      types,
      `${list.name}Create`,
      create.description ?? `Creates ${withArticle(noun)}.`,
      payloadFields,
    ),
    [Arg('input', () => InputType, { description: `Fields of the new ${noun}.` }), Ctx()],
    (input, ctx) =>
      ctx.change(
        async (work) => ({ [field]: await create.run(work, withNumbers(input, references)) }),
        'write',
        within,
      ),
  );
}

function addUpdate<T extends object, R extends Revised>(
  Resolvers: ClassType,
  types: ListTypes<T>,
  options: MutationOptions<R>,
): void {
  const { list, enums } = types;
  const { update, references = {}, within, payloadFields } = options;
  const noun = withArticle(words(list.name));
  const InputType = inputOf(`${list.name}UpdateInput`, update.model, {
    ...{ ...update, references, enums },
    description: `Changes of ${noun}. Absent fields keep their values.`,
    isUpdate: true,
  });
  const lock = lockOf(list.name);
  const change = changeRecord(list.name, options, update, lock);
  addMethod<[string, GraphqlContext, Input, IfMatch, ...Force[]]>(
    Resolvers,
    `${fieldName(list.name)}Update`,
    recordMutation(types, `${list.name}Update`, update.description ?? `Updates ${noun}.`, payloadFields),
    [
      idArg(list.name),
      Ctx(),
      Arg('input', () => InputType, { description: 'New values.' }),
      ...lock.parameters,
      ...forceParameters(update.keeps),
    ],
    (globalId, ctx, input, ifMatch, force) =>
      ctx.change(
        change(globalId, ifMatch, () => input, force),
        'write',
        within,
      ),
  );
}

function addDelete<R extends Revised>(Resolvers: ClassType, name: string, options: MutationOptions<R>): void {
  const { run, keeps, description } = options.delete;
  const noun = words(name);
  const lock = lockOf(name);
  const Payload = payloadType(`${name}Delete`, {
    deletedId: nullable(id(`Global id of the deleted ${noun}. Null if nothing was deleted.`)),
  });
  addMethod<[string, GraphqlContext, IfMatch, ...Force[]]>(
    Resolvers,
    `${fieldName(name)}Delete`,
    Mutation(() => Payload, { description: description ?? `Deletes ${withArticle(noun)}.` }),
    [idArg(name), Ctx(), ...lock.parameters, ...forceParameters(keeps)],
    (globalId, ctx, ifMatch, force) =>
      ctx.change(async (work) => {
        const current = await options.get(work, idOf(name, globalId));
        lock.demand(current, ifMatch);
        await changeWithForce(force, keeps && (() => keeps(work, current, {})), () => run(work, current));
        return { deletedId: globalId };
      }),
  );
}

/**
 * Mutations of one record besides its update and deletion, such as `apiTokenRevoke`. They take `ifMatch` with a `lock`
 * only.
 */
export function recordMutations<T extends object, R>(
  types: ListTypes<T>,
  options: RecordOptions<R>,
  lock: Lock<R> = UNLOCKED,
): GraphqlModule {
  const Resolvers = resolverClass();
  addChanges(Resolvers, types, options, lock);
  return { nodes: [], resolvers: [Resolvers] };
}

function addChanges<T extends object, R>(
  Resolvers: ClassType,
  types: ListTypes<T>,
  options: RecordOptions<R>,
  lock: Lock<R>,
): void {
  for (const [name, recordChange] of Object.entries(options.changes ?? {})) {
    const { description, args = {}, scope, keeps } = recordChange;
    const change = changeRecord(types.list.name, options, recordChange, lock);
    const names = Object.keys(args);
    addMethod<[string, GraphqlContext, ...unknown[]]>(
      Resolvers,
      name,
      recordMutation(types, name.charAt(0).toUpperCase() + name.slice(1), description),
      [
        idArg(types.list.name),
        Ctx(),
        ...Object.entries(args).map(argOf),
        ...lock.parameters,
        ...forceParameters(keeps),
      ],
      (globalId, ctx, ...values) => {
        const input = (): Input =>
          Object.fromEntries(names.map((arg, index) => [arg, present(arg, values[index])]));
        const [ifMatch, force] =
          lock.parameters.length === 0 ? [null, values[names.length]] : values.slice(names.length);
        return ctx.change(change(globalId, ifMatch as IfMatch, input, force as Force), scope, []);
      },
    );
  }
}

/** Looks up and changes a record of the expected revision. Refuses to take software without `force`. */
function changeRecord<R>(
  name: string,
  { get, references = {} }: RecordOptions<R>,
  { run, keeps }: { readonly run: RunOnRecord<R>; readonly keeps?: Keeps<R> },
  lock: Lock<R>,
): (id: string, ifMatch: IfMatch, input: () => Input, force: Force) => (work: WriteWork) => Promise<object> {
  return (globalId, ifMatch, input, force) => async (work) => {
    const current = await get(work, idOf(name, globalId));
    lock.demand(current, ifMatch);
    const given = withNumbers(input(), references);
    const check = keeps && (() => keeps(work, current, given));
    return { [fieldName(name)]: await changeWithForce(force, check, () => run(work, current, given)) };
  };
}

/** Decorates a mutation that returns the record; `name` is its type name, for example `DeviceCreate`. */
export function recordMutation<T extends object>(
  { list, Record }: ListTypes<T>,
  name: string,
  description: string,
  payloadFields?: Readonly<Record<string, AnyField>>,
): MethodDecorator {
  const Payload = payloadOf(name, fieldName(list.name), Record, payloadFields);
  return Mutation(() => Payload, { description });
}

function idArg(typeName: string): Parameter {
  return Arg('id', () => ID, { description: `Global id of the ${words(typeName)}.` });
}

function argOf([name, { type, isNullable, description }]: readonly [string, AnyField]): Parameter {
  return Arg(name, () => type, { nullable: isNullable, description });
}
