import * as g from '../../../graphql/index.js';
import { type Found, MAX_FOUND } from './search.model.js';
import { knownTags, search } from './search.service.js';

export const SearchResultType = g.objectType<Found, 'type' | 'id'>(
  'SearchResult',
  'A record whose name, or one of whose tags, has the text.',
  {
    name: g.text('Serial number, number, name, key, name of the merchant or tag that was found.'),
    isTag: g.flag('Whether `name` is a tag. The record is the first one that has it.'),
  },
);

const SearchConnection = g.objectType<{ readonly nodes: readonly Found[] }>(
  'SearchConnection',
  'Records that a search has found.',
  { nodes: g.object.list(SearchResultType, 'The records, best first.') },
);

const DEFAULT_FOUND = 20;

function requireFirst(field: string, first: number): void {
  if (first >= 1 && first <= MAX_FOUND) return;
  throw g.requestError(`${field} finds from 1 to ${MAX_FOUND} records, not ${first}.`);
}

export const searchGraphql = g.graphqlModule(
  g.query('search', {
    field: g.object(
      SearchConnection,
      `Records by a part of their names: devices by serial number, logical numbers also by the name of their merchant, groups, apps and files, parameters and metacontents by key and devices and logical numbers by tag (one record for each key and tag), and members (with the scope ADMIN). Case and accents do not matter. First come equal names, then those that begin with the text, of each type in turn. A text of one or two characters finds only names that begin with it, and keys, tags and members.`,
    ),
    args: {
      text: g.text('Part of a name: 1 to 100 characters.'),
      first: { ...g.int(`Maximum number of records, from 1 to ${MAX_FOUND}.`), defaultValue: DEFAULT_FOUND },
    },
    searches: () => [{ rows: 'devices' }, { rows: 'users' }],
    counts: MAX_FOUND,
    resolve: async (_source, ctx, { text, first }) => {
      requireFirst('search', first);
      // Awaited here: a query that asks for no nodes would not look at its refusal, which then ends the process.
      return { nodes: await ctx.read('read', (work) => search(work, { text }, first)) };
    },
  }),
  g.query('tags', {
    field: g.text.list('Tags that devices and logical numbers have, in alphabetical order.'),
    args: {
      text: g.text.orNull('Part of a tag, at most 100 characters; case and accents do not matter.'),
      first: { ...g.int(`Maximum number of tags, from 1 to ${MAX_FOUND}.`), defaultValue: DEFAULT_FOUND },
    },
    counts: MAX_FOUND,
    resolve: async (_source, ctx, { text, first }) => {
      requireFirst('tags', first);
      return await ctx.read('read', (work) => knownTags(work, { text: text ?? '' }, first));
    },
  }),
);
