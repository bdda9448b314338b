import type { GraphQLResolveInfo } from 'graphql';
import type { z } from 'zod';

import type { ReadWork, WriteWork } from '../../database/work.js';
import type { Scope } from '../../platform/requests.js';
import { rule } from '../../platform/rules.js';
import { requireUnchanged } from '../../platform/validate.js';
import type { GraphqlContext } from '../execution/context.js';
import type { Within } from './errors.js';
import { graphqlModule, mutation, type GraphqlModule, type Reversal } from './fields.js';
import { inputOf, type Input, type InputOptions, type References } from './input.js';
import type { ListTypes } from './list.js';
import { fieldName, globalId, idOf, withArticle, withNumbers, words } from './node.js';
import { changedRecord, payloadType, present } from './payload.js';
import { flag, id, int, object, type Fields, type ValuesOf } from './types.js';

/** A mutation with arguments and a payload of its own, such as `memberAdd`. `P` is what `prepare` makes. */
interface OwnMutation<F extends Fields, P> {
  readonly description: string;
  readonly args: F;
  readonly payload: Fields;
  /** Defaults to `write`; null if every valid token may call the mutation. */
  readonly scope?: Scope | null | undefined;
  /** Path in the arguments of the fields that errors name. Defaults to `['input']`. */
  readonly within?: Within | undefined;
  /** Runs before the unit of work begins, so that no other change waits for it. */
  readonly prepare?: (ctx: GraphqlContext, args: ValuesOf<F>, info: GraphQLResolveInfo) => Promise<P>;
  readonly run: (
    work: WriteWork,
    args: ValuesOf<F>,
    ctx: GraphqlContext,
    prepared: P,
    info: GraphQLResolveInfo,
  ) => Promise<object>;
}

/** Adds a mutation; `name` is its name as a type, for example `MemberAdd`. */
export function ownMutation<F extends Fields, P = undefined>(
  name: string,
  own: OwnMutation<F, P>,
): GraphqlModule {
  const { description, args, payload, scope, within, prepare, run } = own;
  return mutation(fieldName(name), {
    field: object(payloadType(name, payload), description),
    args,
    resolve: (_source, ctx, given, info) =>
      ctx.change(
        (work, prepared: P) => run(work, given, ctx, prepared, info),
        scope,
        within,
        prepare && (() => prepare(ctx, given, info)),
      ),
  });
}

interface Revised {
  readonly id: number;
  readonly revision: number;
}

type RunOnRecord<R> = (work: WriteWork, current: R, input: Input, ctx: GraphqlContext) => Promise<object>;

/** Refuses a change of a record that takes software from terminals. Errors: `in_use`. */
type Keeps<R> = (work: ReadWork, current: R, input: Input) => Promise<void>;

interface Change<Run> extends Pick<InputOptions, 'descriptions' | 'fields'> {
  readonly model: z.ZodObject;
  readonly run: Run;
  /** Description of the mutation; defaults to a standard sentence such as "Creates a device.". */
  readonly description?: string;
}

interface RecordChange<R> {
  readonly description: string;
  /** Arguments besides `id`, as fields of the model. All must be given; nullable ones accept null. */
  readonly args?: Fields;
  /** Defaults to `write`; null if every valid token may call the mutation. */
  readonly scope?: Scope | null;
  /** Makes the change; `input` contains the arguments. */
  readonly run: RunOnRecord<R>;
  /** Check that `force` skips, see `changeUnlessRefused`. */
  readonly keeps?: Keeps<R> | undefined;
}

interface RecordOptions<R> {
  /** Errors: `not_found`. */
  readonly get: (work: ReadWork, id: number) => Promise<R>;
  readonly references?: References;
  readonly changes?: Readonly<Record<string, RecordChange<R>>>;
  /** Further fields of the payloads of `changes`, which show the same record as another type. */
  readonly sameRecord?: Fields;
}

interface Deletion<R> extends Pick<RecordMutation<R>, 'scope' | 'within' | 'isLocked' | 'keeps'> {
  readonly run: (work: WriteWork, current: R, ctx: GraphqlContext) => Promise<void>;
  /** Defaults to a standard sentence such as "Deletes a device.". */
  readonly description?: string;
}

interface MutationOptions<R> extends RecordOptions<R> {
  readonly create: Change<(work: WriteWork, input: Input) => Promise<object>>;
  readonly update: Change<RunOnRecord<R>> & { readonly keeps?: Keeps<R> };
  readonly delete: Deletion<R>;
  /** Path in the arguments of the fields that errors of `create` and `update` name. */
  readonly within?: Within;
}

/** The mutations that create, update, delete and otherwise change a record, such as `deviceCreate`, with `ifMatch`. */
export function mutations<T extends object, R extends Revised>(
  types: ListTypes<T>,
  options: MutationOptions<R>,
): GraphqlModule {
  return graphqlModule(
    creation(types, options),
    update(types, options),
    deletion(types.list.name, options, options.delete),
    recordMutations(types, options, true),
    { nodes: [], roots: [], reversals: [reversalOf(types.list.name, options)] },
  );
}

function reversalOf<R extends Revised>(
  typeName: string,
  { get, update: { model, run, keeps } }: MutationOptions<R>,
): Reversal {
  return {
    typeName,
    get,
    fields: Object.keys(model.shape),
    run: (work, record, values, ctx, isForced) => {
      const current = record as R;
      const check = isForced ? undefined : keeps?.(work, current, values);
      return changeUnlessRefused(check, () => run(work, current, values, ctx));
    },
  };
}

function creation<T extends object, R>(
  { list: { name }, Record, enums }: ListTypes<T>,
  { create, references = {}, within }: MutationOptions<R>,
): GraphqlModule {
  const noun = words(name);
  const field = fieldName(name);
  const description = `Fields of a new ${noun}.`;
  const Fields = inputOf(`${name}CreateInput`, create.model, { ...create, references, enums, description });
  return ownMutation(`${name}Create`, {
    description: create.description ?? `Creates ${withArticle(noun)}.`,
    args: { input: object(Fields, `Fields of the new ${noun}.`) },
    payload: { [field]: changedRecord(Record) },
    within,
    run: async (work, { input }) => ({ [field]: await create.run(work, withNumbers(input, references)) }),
  });
}

function update<T extends object, R extends Revised>(
  { list: { name }, Record, enums }: ListTypes<T>,
  options: MutationOptions<R>,
): GraphqlModule {
  const { update: change, references = {}, within } = options;
  const field = fieldName(name);
  const noun = withArticle(words(name));
  const Changes = inputOf(`${name}UpdateInput`, change.model, {
    ...change,
    references,
    enums,
    description: `Changes of ${noun}. Absent fields keep their values.`,
    isUpdate: true,
  });
  return recordMutation(`${name}Update`, name, options, {
    description: change.description ?? `Updates ${noun}.`,
    args: { input: object(Changes, 'New values.') },
    payload: { [field]: changedRecord(Record) },
    within,
    keeps: change.keeps,
    run: async (work, current, input, ctx) => ({ [field]: await change.run(work, current, input, ctx) }),
  });
}

export function deletion<R extends { readonly id: number }>(
  name: string,
  options: RecordOptions<R>,
  { run, ...own }: Deletion<R>,
): GraphqlModule {
  const noun = words(name);
  return recordMutation(`${name}Delete`, name, options, {
    description: `Deletes ${withArticle(noun)}.`,
    ...own,
    payload: { deletedId: id.orNull(`Global id of the deleted ${noun}. Null if nothing was deleted.`) },
    run: async (work, current, _input, ctx) => {
      await run(work, current, ctx);
      return { deletedId: globalId(name, current.id) };
    },
  });
}

/** Mutations of one record, such as `apiTokenRevoke`; `isLocked`: they take `ifMatch`. */
export function recordMutations<T extends object, R>(
  { list, Record }: ListTypes<T>,
  options: RecordOptions<R>,
  isLocked = false,
): GraphqlModule {
  const payload = { [fieldName(list.name)]: changedRecord(Record), ...options.sameRecord };
  const changes = Object.entries(options.changes ?? {}).map(([name, { run, ...change }]) =>
    recordMutation(name.charAt(0).toUpperCase() + name.slice(1), list.name, options, {
      ...change,
      payload,
      within: [],
      isLocked,
      run: async (work, current: R, input, ctx) => {
        const record = await run(work, current, input, ctx);
        return Object.fromEntries(Object.keys(payload).map((field) => [field, record]));
      },
    }),
  );
  return graphqlModule(...changes);
}

interface RecordMutation<R>
  extends Omit<RecordChange<R>, 'run'>, Pick<OwnMutation<Fields, never>, 'payload' | 'within'> {
  readonly run: RunOnRecord<R>;
  /** True if the mutation takes `ifMatch`. Defaults to true. */
  readonly isLocked?: boolean;
}

/** Arguments of mutations of a record, as far as a mutation has them. */
interface RecordArgs extends Readonly<Record<string, unknown>> {
  readonly id: string;
  /** Absent if the mutation has single arguments in place of an input. */
  readonly input?: Input;
  /** The revision that the record must have. Absent and null: any. */
  readonly ifMatch?: number | null;
  /** True if a change is made although terminals lose software. Absent and null: not. */
  readonly force?: boolean | null;
}

export function recordMutation<R>(
  name: string,
  typeName: string,
  { get, references = {} }: RecordOptions<R>,
  { args = {}, isLocked = true, keeps, run, ...own }: RecordMutation<R>,
): GraphqlModule {
  const noun = words(typeName);
  const ifMatch = int.orNull(
    `Revision that the ${noun} must have: STALE and no change if it has another. Any revision if absent.`,
  );
  return ownMutation(name, {
    ...own,
    args: {
      id: id(`Global id of the ${noun}.`),
      ...args,
      ...(isLocked ? { ifMatch } : {}),
      ...(keeps === undefined ? {} : { force: FORCE }),
    },
    run: async (work, values, ctx) => {
      const given = values as unknown as RecordArgs;
      const current = await get(work, idOf(typeName, given.id));
      if (given.ifMatch != null) requireRevision(typeName, current as Revised, given.ifMatch);
      const single = (): Input =>
        Object.fromEntries(Object.keys(args).map((arg) => [arg, present(arg, given[arg])]));
      const input = withNumbers(given.input ?? single(), references);
      const check = given.force === true ? undefined : keeps?.(work, current, input);
      return await changeUnlessRefused(check, () => run(work, current, input, ctx));
    },
  });
}

function requireRevision(typeName: string, current: Revised, ifMatch: number): void {
  const { revision } = current;
  const broken = rule('The {what} was changed: its revision is {revision}, not {expected}. Read it again.', {
    what: words(typeName),
    revision,
    expected: ifMatch,
  });
  requireUnchanged(revision, [ifMatch], broken, { ...current, __typename: typeName });
}

/** The argument of changes that may take software from terminals. */
export const FORCE = {
  ...flag.orNull(
    'Without it, a change that takes app versions from terminals is refused: IN_USE, with the number of terminals. True makes it.',
  ),
  defaultValue: false,
};

/** A change that `check` may refuse. Errors in the input have priority: the refusal is thrown after the change. */
async function changeUnlessRefused(check: Promise<void> | undefined, change: () => Promise<object>) {
  const refusal = await check?.then(
    () => null,
    (error: unknown) => ({ error }),
  );
  const changed = await change();
  if (refusal != null) throw refusal.error;
  return changed;
}
