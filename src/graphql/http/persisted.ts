import type { ApolloServerOptions, BaseContext } from '@apollo/server';

import type { OperationList } from '../../platform/config/operation-list.js';
import { Lru } from '../limits/lru.js';

type Texts = Exclude<ApolloServerOptions<BaseContext>['cache'], 'bounded' | undefined>;

const MAX_TEXTS = 500;
/** Longer texts are not cached. */
const MAX_CHARACTERS = 64 * 1024;

/** Cache of automatic persisted queries; with an allow list, the operations of the list only. */
export function persistedQueries(allowList: OperationList | null): Texts {
  const texts = new Lru<string>(MAX_TEXTS);
  // The key is a prefix of Apollo, a colon, and the hash of the text.
  const hash = (key: string): string => key.slice(key.lastIndexOf(':') + 1);
  return {
    get: (key) => Promise.resolve(allowList === null ? texts.get(hash(key)) : allowList.get(hash(key))),
    set: (key, text) => {
      if (allowList === null && text.length <= MAX_CHARACTERS) texts.set(hash(key), text);
      return Promise.resolve();
    },
    delete: () => Promise.resolve(true),
  };
}
