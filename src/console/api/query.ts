import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { useQuery as useUrqlQuery, type CombinedError } from 'urql';

import type { TypedDocumentString } from '../gql/graphql';
import { reportChange, onChanges, type EntityType, type UpdatedIds } from './changes';
import { client, connection, REFRESH, subscribe } from './client';
import { kindOf, recordQuery } from './documents';

export type Document<Data, Variables> = TypedDocumentString<Data, Variables>;

/** Fields of a record: `fragment AppRow on App {...}` of one in a list, `fragment AppRecord on App {...}` of one alone. */
export type Fragment<Row> = TypedDocumentString<Row, unknown>;

export interface QueryState<Data> {
  /** The last response, also while it is loaded again, and after that failed. */
  readonly data: Data | undefined;
  readonly error: CombinedError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Variables of a query that is not sent. */
const NONE = {} as never;

/**
 * Loads all that a page shows, in one query, and again when records of the types in `follows` change, by whom ever. With
 * `variables` null, nothing is loaded.
 */
export function useQuery<Data, Variables extends object>(
  document: Document<Data, Variables>,
  variables: Variables | null,
  follows: readonly EntityType[] = [],
): QueryState<Data> {
  const isAsked = variables !== null;
  const [{ data, error, fetching }, execute] = useUrqlQuery<Data, Variables>({
    query: document.toString(),
    variables: variables ?? NONE,
    pause: !isAsked,
  });
  // `pause` holds up the first request only.
  const load = useCallback(
    (context = {}): number => {
      if (isAsked) execute({ requestPolicy: 'network-only', ...context });
      return isAsked ? 1 : 0;
    },
    [execute, isAsked],
  );
  useReload(follows, error, () => load(REFRESH));
  const reload = useCallback(() => void load(), [load]);
  const key = JSON.stringify(variables);
  const [last, setLast] = useState<{ readonly key: string; readonly data: Data }>();
  if (data !== undefined && last?.data !== data) setLast({ key, data });
  const kept = error && last?.key === key ? last.data : undefined;
  return { data: data ?? kept, error, isLoading: fetching, reload };
}

/**
 * Loads what is shown again when records of these types change, and after an error once requests are worth an attempt.
 * `reload` returns the number of its requests.
 */
export function useReload(
  types: readonly EntityType[],
  error: unknown,
  reload: (updated: UpdatedIds) => number,
): void {
  const onChange = useEffectEvent(reload);
  const onBack = useEffectEvent(() => {
    if (error) reload(null);
  });
  useEffect(() => connection.on('back', onBack), []);
  const names = types.join();
  useEffect(() => {
    if (names === '') return undefined;
    return onChanges(names.split(',') as EntityType[], onChange);
  }, [names]);
}

/** Loads a record, and again when it or records of the types in `follows` change. */
export function useRecord<Row>(
  fragment: Fragment<Row>,
  id: string,
  follows: readonly EntityType[] = [],
): QueryState<{ readonly node: Row | null }> {
  const text = fragment.toString();
  const document = recordQuery(text) as unknown as Document<{ readonly node: Row | null }, { id: string }>;
  return useQuery(document, { id }, [kindOf(text) as EntityType, ...follows]);
}

/** Sends one query, outside of what a page shows. Errors: `CombinedError`. */
export async function query<Data, Variables extends object>(
  document: Document<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const { data, error } = await client.query<Data>(document.toString(), variables).toPromise();
  if (error) throw error;
  return data as Data;
}

/** Has what shows records of a type loaded again at each event of a subscription; with null, at none. */
export function useSubscription<Data, Variables extends object>(
  document: Document<Data, Variables>,
  variables: Variables | null,
  type: EntityType,
): void {
  const text = variables === null ? null : JSON.stringify(variables);
  useEffect(() => {
    if (text === null) return undefined;
    return subscribe(document, JSON.parse(text) as Record<string, unknown>, () => reportChange(type));
  }, [document, text, type]);
}
