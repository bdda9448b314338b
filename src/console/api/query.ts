import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { createRequest, useQuery as useUrqlQuery, type CombinedError } from 'urql';

import type { TypedDocumentString } from '../gql/graphql';
import { onChanges, type EntityType } from './changes';
import { client } from './client';

export type Document<Data, Variables> = TypedDocumentString<Data, Variables>;

export interface QueryState<Data> {
  /** The last response, also while it is loaded again. */
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
  const [{ data, error, fetching }, execute] = useUrqlQuery<Data, Variables>({
    query: document.toString(),
    variables: variables ?? NONE,
    pause: variables === null,
  });
  const reload = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  const onChange = useEffectEvent(reload);
  const types = follows.join();
  useEffect(() => {
    if (types === '') return undefined;
    return onChanges(types.split(',') as EntityType[], onChange);
  }, [types]);
  return { data, error, isLoading: fetching, reload };
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

/** Calls `onEvent` with each event of a subscription, and again from `onEvent` on after each interruption. */
export function useSubscription<Data, Variables extends object>(
  document: Document<Data, Variables>,
  variables: Variables | null,
  onEvent: (data: Data) => void,
): void {
  const listener = useEffectEvent(onEvent);
  const text = variables === null ? null : JSON.stringify(variables);
  const query = document.toString();
  useEffect(() => {
    if (text === null) return undefined;
    const request = createRequest<Data, Variables>(query, JSON.parse(text) as Variables);
    const subscription = client.executeSubscription(request).subscribe(({ data }) => {
      if (data !== undefined) listener(data);
    });
    return () => subscription.unsubscribe();
  }, [query, text]);
}

/** Whether the time since `start` is worth a sign that something is loaded: after a quarter of a second. */
export function useIsSlow(isLoading: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isLoading) return undefined;
    const timer = setTimeout(() => setSlow(true), 250);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [isLoading]);
  return isSlow;
}
