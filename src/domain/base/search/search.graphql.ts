import * as g from '../../../graphql/index.js';
import { type Found, MAX_FOUND } from './search.model.js';
import { search } from './search.service.js';

export const SearchResultType = g.objectType<Found, 'type' | 'id'>(
  'SearchResult',
  'A record whose name has the text.',
  { name: g.text('Serial number, number, name or key that was found.') },
);

const SearchConnection = g.objectType<{ readonly nodes: readonly Found[] }>(
  'SearchConnection',
  'Records that a search has found.',
  { nodes: g.object.list(SearchResultType, 'The records, best first.') },
);

const DEFAULT_FOUND = 20;

export const searchGraphql = g.graphqlModule(
  g.query('search', {
    field: g.object(
      SearchConnection,
      `Records by a part of their names: devices by serial number, logical numbers, groups, apps and files, parameters and metacontents by key (one record for each key), and members (with the scope ADMIN). Case and accents do not matter. First come equal names, then those that begin with the text, of each type in turn. A text of one or two characters finds only names that begin with it, and keys and members.`,
    ),
    args: {
      text: g.text('Part of a name: 1 to 100 characters.'),
      first: { ...g.int(`Maximum number of records, from 1 to ${MAX_FOUND}.`), defaultValue: DEFAULT_FOUND },
    },
    searches: () => [{ rows: 'devices' }, { rows: 'users' }],
    counts: MAX_FOUND,
    resolve: async (_source, ctx, { text, first }) => {
      if (first < 1 || first > MAX_FOUND)
        throw g.requestError(`search finds from 1 to ${MAX_FOUND} records, not ${first}.`);
      // Awaited here: a query that asks for no nodes would not look at its refusal, which then ends the process.
      return { nodes: await ctx.read('read', (work) => search(work, { text }, first)) };
    },
  }),
);
