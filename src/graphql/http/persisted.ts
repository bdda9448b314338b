import type { ApolloServerOptions, BaseContext } from '@apollo/server';

import type { OperationList } from '../../platform/config/operation-list.js';
import { Lru } from '../limits/lru.js';

type Texts = Exclude<ApolloServerOptions<BaseContext>['cache'], 'bounded' | undefined>;

const KEPT_TEXTS = 500;
const KEPT_CHARACTERS = 64 * 1024;

/**
 * Where automatic persisted queries are kept: a few hundred of the last used ones, or, where the server runs
 * the operations of a list only, that list and nothing else.
 */
export function persistedQueries(allowList: OperationList | null): Texts {
  const texts = new Lru<string>(KEPT_TEXTS);
  // The key is the hash of the text, after a mark of Apollo's.
  const hash = (key: string): string => key.slice(key.lastIndexOf(':') + 1);
  return {
    get: (key) => Promise.resolve(allowList === null ? texts.get(hash(key)) : allowList.get(hash(key))),
    set: (key, text) => {
      if (allowList === null && text.length <= KEPT_CHARACTERS) texts.set(hash(key), text);
      return Promise.resolve();
    },
    delete: () => Promise.resolve(true),
  };
}
