import { Mutation, type ClassType } from 'type-graphql';
import type { z } from 'zod';

import type { ReadWork, WriteWork } from '../../database/work.js';
import type { Scope } from '../../platform/caller.js';
import { demandUnchanged } from '../../platform/changes.js';
import type { GraphqlContext } from '../execution/context.js';
import type { Within } from './errors.js';
import { resolvedFields, type GraphqlModule, type ResolvedField } from './fields.js';
import { inputOf, type Input, type InputOptions, type References } from './input.js';
import type { ListTypes } from './list.js';
import { fieldName, idOf, withArticle, withNumbers, words } from './node.js';
import { payloadOf, payloadType, present } from './payload.js';
import { flag, id, int, nullable, object, type Fields } from './types.js';

/** A record that optimistic locking can guard. */
interface Revised {
  readonly revision: number;
}

type RunOnRecord<R> = (work: WriteWork, current: R, input: Input) => Promise<object>;

/** Refuses a change of a record that takes software from terminals. Errors: `in_use`. */
type Keeps<R> = (work: ReadWork, current: R, input: Input) => Promise<void>;

/** The input of a mutation and what it does. */
interface Change<Run> extends Pick<InputOptions, 'descriptions' | 'fields'> {
  /** The fields of the input. */
  readonly model: z.ZodObject;
  readonly run: Run;
  /** Description of the mutation; defaults to a standard sentence such as "Creates a device.". */
  readonly description?: string;
}

/** A mutation of one record, such as `deviceAssign`. */
interface RecordChange<R> {
  readonly description: string;
  /** Arguments besides `id`, as fields of the model. All must be given; nullable ones accept null. */
  readonly args?: Fields;
  /** Defaults to `write`; null if every valid token may call the mutation. */
  readonly scope?: Scope | null;
  /** Makes the change; `input` contains the arguments. */
  readonly run: RunOnRecord<R>;
  /** Check that `force` skips, see `changeUnlessRefused`. */
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
  readonly payloadFields?: Fields;
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
  const field = fieldName(types.list.name);
  return resolvedFields(Mutation, {
    [`${field}Create`]: creation(types, options),
    [`${field}Update`]: update(types, options),
    [`${field}Delete`]: deletion(types, options),
    ...furtherChanges(types, options, true),
  });
}

/**
 * Mutations of one record besides its update and deletion, such as `apiTokenRevoke`; `isLocked`: they take `ifMatch`.
 */
export function recordMutations<T extends object, R>(
  types: ListTypes<T>,
  options: RecordOptions<R>,
  isLocked = false,
): GraphqlModule {
  return resolvedFields(Mutation, furtherChanges(types, options, isLocked));
}

/** A mutation with arguments and a payload of its own, such as `memberAdd`. `P` is what `prepare` makes. */
interface OwnMutation<A, P> {
  readonly description: string;
  readonly args: Fields;
  /** Fields of the payload besides `userErrors`. */
  readonly payload: Fields;
  /** Defaults to `write`; null if every valid token may call the mutation. */
  readonly scope?: Scope | null;
  readonly within?: Within;
  /** Runs before the unit of work begins, so that no other change waits for it. */
  readonly prepare?: (ctx: GraphqlContext) => Promise<P>;
  /** Resolves to the fields of the payload. */
  readonly run: (work: WriteWork, args: A, ctx: GraphqlContext, prepared: P) => Promise<object>;
}

/** Adds a mutation; `name` is its name as a type, for example `MemberAdd`. */
export function ownMutation<A, P = undefined>(name: string, own: OwnMutation<A, P>): GraphqlModule {
  const { description, args, payload, scope, within, prepare, run } = own;
  return resolvedFields(Mutation, {
    [fieldName(name)]: {
      field: object(payloadType(name, payload), description),
      args,
      resolve: (_source: never, ctx: GraphqlContext, given: A) =>
        ctx.change(
          (work, prepared: P) => run(work, given, ctx, prepared),
          scope,
          within,
          prepare && (() => prepare(ctx)),
        ),
    },
  });
}

type DeclaredMutation = ResolvedField<unknown, RecordArgs>;

/** Arguments of declared mutations, as far as a mutation has them. */
interface RecordArgs extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly input: Input;
  /** The revision that the record must have. Absent and null: any. */
  readonly ifMatch?: number | null;
  /** Whether a change is made although terminals lose software. Absent and null: not. */
  readonly force?: boolean | null;
}

function creation<T extends object, R>(
  { list, Record, enums }: ListTypes<T>,
  { create, references = {}, within, payloadFields }: MutationOptions<R>,
): DeclaredMutation {
  const field = fieldName(list.name);
  const noun = words(list.name);
  const InputType = inputOf(`${list.name}CreateInput`, create.model, {
    ...create,
    references,
    enums,
    description: `Fields of a new ${noun}.`,
  });
  const Payload = payloadOf(`${list.name}Create`, field, Record, payloadFields);
  return {
    field: object(Payload, create.description ?? `Creates ${withArticle(noun)}.`),
    args: { input: object(InputType, `Fields of the new ${noun}.`) },
    resolve: (_source, ctx, { input }) =>
      ctx.change(
        async (work) => ({ [field]: await create.run(work, withNumbers(input, references)) }),
        'write',
        within,
      ),
  };
}

function update<T extends object, R extends Revised>(
  { list, Record, enums }: ListTypes<T>,
  options: MutationOptions<R>,
): DeclaredMutation {
  const { update: change, references = {}, within, payloadFields } = options;
  const noun = withArticle(words(list.name));
  const InputType = inputOf(`${list.name}UpdateInput`, change.model, {
    ...change,
    references,
    enums,
    description: `Changes of ${noun}. Absent fields keep their values.`,
    isUpdate: true,
  });
  const field = fieldName(list.name);
  return recordChange(list.name, options, {
    Payload: payloadOf(`${list.name}Update`, field, Record, payloadFields),
    description: change.description ?? `Updates ${noun}.`,
    args: { input: object(InputType, 'New values.') },
    isLocked: true,
    within,
    inputOf: ({ input }) => input,
    keeps: change.keeps,
    run: async (work, current, input) => ({ [field]: await change.run(work, current, input) }),
  });
}

function deletion<T extends object, R extends Revised>(
  { list: { name } }: ListTypes<T>,
  options: MutationOptions<R>,
): DeclaredMutation {
  const { run, keeps, description } = options.delete;
  const noun = words(name);
  return recordChange(name, options, {
    Payload: payloadType(`${name}Delete`, {
      deletedId: nullable(id(`Global id of the deleted ${noun}. Null if nothing was deleted.`)),
    }),
    description: description ?? `Deletes ${withArticle(noun)}.`,
    isLocked: true,
    inputOf: () => ({}),
    keeps,
    run: async (work, current, _input, globalId) => {
      await run(work, current);
      return { deletedId: globalId };
    },
  });
}

function furtherChanges<T extends object, R>(
  { list, Record }: ListTypes<T>,
  options: RecordOptions<R>,
  isLocked: boolean,
): Readonly<Record<string, DeclaredMutation>> {
  const field = fieldName(list.name);
  const entries = Object.entries(options.changes ?? {}).map(([name, { run, args = {}, ...change }]) => {
    const given = recordChange(list.name, options, {
      ...change,
      args,
      isLocked,
      Payload: payloadOf(name.charAt(0).toUpperCase() + name.slice(1), field, Record),
      within: [],
      inputOf: (all) => Object.fromEntries(Object.keys(args).map((arg) => [arg, present(arg, all[arg])])),
      run: async (work, current, input) => ({ [field]: await run(work, current, input) }),
    });
    return [name, given] as const;
  });
  return Object.fromEntries(entries);
}

interface ChangeParts<R> {
  readonly Payload: ClassType;
  readonly description: string;
  /** Arguments besides `id`, `ifMatch` and `force`. */
  readonly args?: Fields;
  /** Whether the mutation takes `ifMatch`. */
  readonly isLocked: boolean;
  readonly scope?: Scope | null | undefined;
  readonly within?: Within | undefined;
  readonly inputOf: (args: RecordArgs) => Input;
  readonly keeps?: Keeps<R> | undefined;
  /** Resolves to the fields of the payload. */
  readonly run: (work: WriteWork, current: R, input: Input, globalId: string) => Promise<object>;
}

/** A mutation that looks up and changes a record. */
function recordChange<R>(
  typeName: string,
  { get, references = {} }: RecordOptions<R>,
  { Payload, description, args, isLocked, scope, within, inputOf: inputIn, keeps, run }: ChangeParts<R>,
): DeclaredMutation {
  const noun = words(typeName);
  const ifMatch = int(
    `Revision that the ${noun} must have: STALE and no change if it has another. Any revision if absent.`,
  );
  return {
    field: object(Payload, description),
    args: {
      id: id(`Global id of the ${noun}.`),
      ...args,
      ...(isLocked ? { ifMatch: nullable(ifMatch) } : {}),
      ...(keeps === undefined ? {} : { force: FORCE }),
    },
    resolve: (_source, ctx, given) => {
      const change = async (work: WriteWork): Promise<object> => {
        const current = await get(work, idOf(typeName, given.id));
        if (given.ifMatch != null) demandRevision(noun, current as Revised, given.ifMatch);
        const input = withNumbers(inputIn(given), references);
        const check = given.force === true ? undefined : keeps?.(work, current, input);
        return await changeUnlessRefused(check, () => run(work, current, input, given.id));
      };
      return ctx.change(change, scope, within);
    },
  };
}

/** Errors: `stale`. */
function demandRevision(noun: string, { revision }: Revised, ifMatch: number): void {
  const message = `The ${noun} was changed: its revision is ${revision}, not ${ifMatch}. Read it again.`;
  demandUnchanged(revision, [ifMatch], message);
}

/** The argument of mutations that may take software from terminals. */
const FORCE = {
  ...nullable(
    flag(
      'Without it, a change that takes app versions from terminals is refused: IN_USE, with the number of terminals. True makes it.',
    ),
  ),
  defaultValue: false,
};

/**
 * Makes a change that may take software from terminals, and refuses it if `check` rejects. Errors in the input
 * have priority: the refusal is thrown after the change, and the unit of work rolls back. Only for changes that
 * take software as a side effect; changes that list the app versions of a logical number do not need it, nor
 * does `appVersionGrant`, which has `expectCount`.
 */
async function changeUnlessRefused<T>(
  check: Promise<void> | undefined,
  change: () => Promise<T>,
): Promise<T> {
  const refusal = await check?.then(
    () => null,
    (error: unknown) => ({ error }),
  );
  const changed = await change();
  if (refusal != null) throw refusal.error;
  return changed;
}
