import * as g from '../../../graphql/index.js';
import { DomainError, invalid } from '../../../platform/errors.js';
import { camelCase } from '../../../platform/validate.js';
import { UserList } from '../../people/user/user.graphql.js';
import { users } from '../../people/user/user.service.js';
import {
  FILTER_KINDS,
  type FilterKind,
  type SavedFilter,
  SavedFilterCreate,
  SavedFilterUpdate,
} from './saved-filter.model.js';
import {
  createSavedFilter,
  deleteSavedFilter,
  getSavedFilter,
  listSavedFilters,
  MAX_OWN,
  MAX_SHARED,
  updateSavedFilter,
} from './saved-filter.service.js';

const Kind = g.enumeration<FilterKind>(
  'SavedFilterKind',
  'A list with a filter.',
  Object.fromEntries(FILTER_KINDS.map((kind) => [kind, `\`${camelCase(kind)}s\`.`])) as Record<
    FilterKind,
    string
  >,
);

const SavedFilterType = g.objectType<SavedFilter, 'id' | 'revision' | 'createdBy' | 'createdVia'>(
  'SavedFilter',
  'A filter of a list, saved under a name. Only its owner sees it, unless it is shared.',
  {
    name: g.text('Name, unique among the filters of its owner for the same list.'),
    kind: g.choice(Kind, 'The list that it filters.'),
    filter: g.json('The filter as the list takes it, for example { "enabled": { "eq": true } }.'),
    shared: g.flag(
      'Whether all members of the company see and use it; as a target while its owner is a member.',
    ),
    createdAt: g.instant('When it was created.'),
    updatedAt: g.instant('When it was last changed.'),
  },
);

type Work = Parameters<typeof getSavedFilter>[0];

/** Name of the type of the records of a list: `LogicalNumber` for `logical_number`. */
const typeNameOf = (kind: FilterKind): string =>
  kind.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());

/**
 * The condition of the saved filter with a global id, for the list of the records of one type. Errors: `invalid` at
 * `path`, also for a filter that the list no longer takes, and for one that nobody looks after.
 */
async function savedCondition(
  work: Work,
  { typeName, id, path }: { readonly typeName: string; readonly id: string; readonly path: string },
): Promise<ReturnType<typeof g.keptConditionOf>> {
  const saved = await getSavedFilter(work, g.numberIn('SavedFilter', id) ?? 0).catch(asUnknown);
  if (saved && typeNameOf(saved.kind) === typeName) {
    if ((await users.byIds(work, [saved.createdBy])).size === 0) {
      throw invalid(path, 'is a saved filter of somebody who has left: save it anew under your name');
    }
    return g.keptConditionOf(typeName, saved.filter, path);
  }
  throw invalid(path, 'is not the id of {what}', {
    what: `a saved filter of ${g.plural(g.words(typeName))}`,
  });
}

function asUnknown(error: unknown): undefined {
  if (!(error instanceof DomainError) || error.code !== 'not_found') throw error;
}

/** Conditions of a target: those of its filter and of its saved filter, as far as they are given. */
export async function targetConditions(
  work: Work,
  list: Parameters<typeof g.targetConditionOf>[0],
  target: {
    readonly filter?: g.Input | null | undefined;
    readonly savedFilterId?: string | null | undefined;
    /** The field of the target that has the filter, if not `filter`. */
    readonly name?: string;
  },
  info: g.Info,
) {
  const { filter, savedFilterId: id, name = 'filter' } = target;
  const conditions = filter == null ? [] : [g.targetConditionOf(list, filter, info, name)];
  const saved = { typeName: list.name, path: 'target.savedFilterId' };
  if (id != null) conditions.push(await savedCondition(work, { ...saved, id }));
  const path = id == null ? `target.${name}` : saved.path;
  for (const condition of conditions) await g.requireKnownIds(work, list.name, condition, path);
  return conditions;
}

export const SAVED_FILTER_ID = g.id.orNull(
  'Global id of a saved filter of this list, whose owner is a member. The target is all records for which it holds now.',
);

const CreateInput = g.inputOf('SavedFilterCreateInput', SavedFilterCreate, {
  enums: { kind: Kind },
  description: 'Fields of a new saved filter.',
  fields: { filter: g.json(SavedFilterCreate.shape.filter.description ?? '') },
});

const UpdateInput = g.inputOf('SavedFilterUpdateInput', SavedFilterUpdate, {
  description: 'Changes of a saved filter. Absent fields keep their values.',
  isUpdate: true,
});

const PAYLOAD = { savedFilter: g.changedRecord(SavedFilterType) };
const ID = g.id('Global id of the saved filter.');

const found = (work: Work, id: string): Promise<SavedFilter> =>
  getSavedFilter(work, g.idOf('SavedFilter', id));

/** Refuses a filter that its list does not take, or with the id of no record. */
async function requireFit(work: Work, kind: FilterKind, { filter }: g.Input): Promise<void> {
  if (filter === undefined) return;
  const typeName = typeNameOf(kind);
  await g.requireKnownIds(work, typeName, g.keptConditionOf(typeName, filter, 'filter'), 'filter');
}

/** Path in the arguments of a field that a domain error names. */
const within = (field: string): readonly string[] => ['input', ...field.split('.')];

const create = g.ownMutation('SavedFilterCreate', {
  description: 'Saves a filter of a list under a name.',
  args: { input: g.object(CreateInput, 'Fields of the new saved filter.') },
  payload: PAYLOAD,
  within,
  run: async (work, { input }) => {
    const savedFilter = await createSavedFilter(work, input);
    await requireFit(work, savedFilter.kind, input);
    return { savedFilter };
  },
});

const OWNERS = 'Only for its owner, and for administrators if it is shared.';

const update = g.ownMutation('SavedFilterUpdate', {
  description: `Changes a saved filter. ${OWNERS}`,
  args: { id: ID, input: g.object(UpdateInput, 'New values.') },
  payload: PAYLOAD,
  within,
  run: async (work, { id, input }) => {
    const savedFilter = await updateSavedFilter(work, await found(work, id), input);
    await requireFit(work, savedFilter.kind, input);
    return { savedFilter };
  },
});

const remove = g.deletion(
  'SavedFilter',
  { get: getSavedFilter },
  { description: `Deletes a saved filter. ${OWNERS}`, isLocked: false, run: deleteSavedFilter },
);

const list = g.query('savedFilters', {
  field: {
    ...g.object.list(
      SavedFilterType,
      `Saved filters of the caller, at most ${MAX_OWN}, and shared ones of the company, at most ${MAX_SHARED}, by name.`,
    ),
    counts: MAX_OWN + MAX_SHARED,
  },
  args: { kind: g.choice.orNull(Kind, 'Only those of this list.') },
  resolve: (_source, ctx, { kind }) => ctx.read('read', (work) => listSavedFilters(work, kind ?? null)),
});

export const savedFilterGraphql = g.graphqlModule(
  list,
  create,
  update,
  remove,
  g.fields(SavedFilterType, {
    id: g.derived(g.id('Global id.'), ({ id }) => g.globalId('SavedFilter', id)),
    own: g.computed(
      g.flag('Whether the caller is its owner.'),
      ({ createdBy }, { caller }) => createdBy === caller.userId,
    ),
    owner: g.one(UserList, 'createdBy', 'The person who saved it. Null if that is no longer a member.'),
  }),
);
