import { createClient, type FormattedExecutionResult } from 'graphql-ws';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

import type { GraphqlErrorShape } from './graphql.js';
import type { Fields, Member, TestServer } from './server.js';

/** A running subscription and its events so far. */
export interface Subscribed<Data> {
  readonly events: readonly Data[];
  /** Resolves once this many events were received. */
  readonly until: (count: number) => Promise<readonly Data[]>;
  /** Resolves to the reason of its end: errors, the close code of the connection, or null if it completed. */
  readonly ended: Promise<
    readonly GraphqlErrorShape[] | { readonly code: number; readonly reason: string } | null
  >;
  /** Unsubscribes. */
  readonly stop: () => void;
}

/** Subscribes over a socket of its own that does not reconnect, until the end of the test at the latest. */
export function subscribe<Data = Fields>(
  server: TestServer,
  member: Pick<Member, 'token'>,
  query: string,
  variables: Fields = {},
): Subscribed<Data> {
  const client = createClient({
    url: `${server.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { accessToken: member.token },
    retryAttempts: 0,
  });
  const events: Data[] = [];
  let stop = (): void => undefined;
  const ended = new Promise<Awaited<Subscribed<Data>['ended']>>((resolve) => {
    stop = client.subscribe(
      { query, variables },
      {
        next: ({ data, errors }: FormattedExecutionResult) => {
          if (errors === undefined) events.push(data as Data);
          else resolve(errors as readonly GraphqlErrorShape[]);
        },
        error: (error) => resolve(error as Awaited<Subscribed<Data>['ended']>),
        complete: () => resolve(null),
      },
    );
  });
  onTestFinished(() => stop());
  return {
    events,
    ended,
    stop: () => stop(),
    until: async (count) => {
      await expect.poll(() => events.length, { interval: 10 }).toBeGreaterThanOrEqual(count);
      return events;
    },
  };
}

/** Number of open subscriptions of the server, from its metrics. */
export async function openStreams(server: TestServer): Promise<number> {
  const { text } = await server.anonymous.get('/metrics');
  const values = [...text.matchAll(/^graphql_streams_open\{.*\} (\d+)$/gm)].map(([, value]) => Number(value));
  return values.reduce((sum, value) => sum + value, 0);
}

/** The last ledger sequence of the member's company: a subscription after it gets every later event. */
export async function lastSequence(member: Pick<Member, 'graphql'>): Promise<number> {
  const { body } = await member.graphql<{ ledger: { nodes: { sequence: number }[] } }>(
    '{ ledger(last: 1) { nodes { sequence } } }',
  );
  return body.data.ledger.nodes[0]?.sequence ?? 0;
}
