import { createClient, type FormattedExecutionResult } from 'graphql-ws';
import { Client, createRequest, fetchExchange, stringifyDocument } from 'urql';

import type { TypedDocumentString } from '../gql/graphql';
import { graphql } from './graphql';

const SESSION_COMPANY = graphql(`query SessionCompany { viewer { company { id } } }`);

/** Close code of a socket whose session has ended, or goes on in another company. */
const REFUSED = 4403;
/** Close codes of a server that stops, and of a connection that is cut. */
const CUT: readonly unknown[] = [1001, 1006, 1012];
/** The server can not be reached by the proxy before it. */
const BEHIND_PROXY = [502, 504];
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 60_000] as const;

/** Waits longer after each failed attempt, from half a second up to `longest`. */
async function pauseAfter(attempts: number, longest: number = LONGEST_PAUSE_MS): Promise<void> {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** attempts, longest);
  // Browsers do not come back all at the same time.
  await new Promise((resolve) => setTimeout(resolve, pause * (1 + Math.random() / 2)));
}

/**
 * State of the connection, and events of what concerns the whole console: `change` of `isOnline`, `back` when failed
 * requests are worth another attempt, `connected` when events may have been missed, `signed-out`, `refused` when the
 * session has ended or has another company, and `elsewhere` when a request was refused since it has another company.
 */
export const connection = new (class extends EventTarget {
  isOnline = true;
  /** Milliseconds since 1970 until which the server refuses requests, since the budget of the hour is used up. */
  limitedUntil = 0;
  /** Milliseconds until a new budget begins, for each request that is left of this one. */
  msPerRequest = 0;
  /**
   * Global id of the company that the page shows. All requests name it: ids are of a company, and the session may go on in
   * another one meanwhile. Null until it is known; then nothing can be changed.
   */
  company: string | null = null;

  setOnline(isOnline: boolean): void {
    if (this.isOnline === isOnline) return;
    this.isOnline = isOnline;
    this.publish('change');
    if (isOnline) this.publish('back');
    else void this.#findServer();
  }

  publish(event: 'change' | 'back' | 'connected' | 'signed-out' | 'refused' | 'elsewhere'): void {
    this.dispatchEvent(new Event(event));
  }

  /** Calls `listener` at each of these events. Returns how to end that. */
  on(event: Parameters<typeof this.publish>[0], listener: () => void): () => void {
    this.addEventListener(event, listener);
    return () => this.removeEventListener(event, listener);
  }

  /** Notes what the response says of the session, and of the budget of requests. */
  note({ status, headers }: Response): void {
    this.setOnline(!BEHIND_PROXY.includes(status));
    if (status === 401) this.publish('signed-out');
    const [left, reset, wait] = ['x-rate-limit-remaining', 'x-rate-limit-reset', 'retry-after'].map((name) =>
      Number(headers.get(name) ?? 0),
    ) as [number, number, number];
    this.msPerRequest = reset === 0 ? 0 : Math.max(0, reset * 1_000 - Date.now()) / Math.max(left, 1);
    if (status !== 429 || this.limitedUntil > Date.now()) return;
    this.limitedUntil = Date.now() + wait * 1_000;
    setTimeout(() => this.publish('back'), wait * 1_000);
  }

  /** Resolves once requests are worth an attempt. */
  async whenReady(): Promise<void> {
    while (!this.isOnline || this.limitedUntil > Date.now()) {
      await new Promise((resolve) => this.addEventListener('back', resolve, { once: true }));
    }
  }

  /** Asks for what is not counted in the budget until the server is there. */
  async #findServer(): Promise<void> {
    for (let attempts = 0; ; attempts += 1) {
      await pauseAfter(attempts, 8_000);
      if (this.isOnline) return;
      const response = await fetch('/console/', { method: 'HEAD', cache: 'no-store' }).catch(() => null);
      if (response?.ok === true) this.setOnline(true);
    }
  }
})();

addEventListener('offline', () => connection.setOnline(false));

/** Sends a request to the server with the cookie of the session, and notes what the response says of the connection. */
const observedFetch: typeof fetch = async (input, init) => {
  try {
    const headers = new Headers(init?.headers);
    if (connection.company !== null) headers.set('X-Company', connection.company);
    const response = await fetch(input, { ...init, headers, credentials: 'same-origin' });
    connection.note(response);
    // The session has another company: the page follows, but says so where something was asked for.
    if (response.status === 409) connection.publish(headers.has('X-Refresh') ? 'refused' : 'elsewhere');
    return response;
  } catch (error) {
    if (init?.signal?.aborted !== true) connection.setOnline(false);
    throw error;
  }
};

const codeOf = (event: unknown): unknown => (event as { code?: unknown } | null)?.code;
const isUnauthenticated = (errors: unknown): boolean =>
  Array.isArray(errors) &&
  errors.some((error: { extensions?: { code?: unknown } }) => error.extensions?.code === 'UNAUTHENTICATED');
let wasConnected = false;
/** State of a socket that is opened: browsers report one that is closed before it is open as an error. */
let opening: 'no' | 'yes' | 'to-be-closed' = 'no';

/** One WebSocket for all subscriptions, opened with the first one and again after each interruption. */
const sockets = createClient({
  url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`,
  lazy: true,
  connectionParams: () => ({ company: connection.company }),
  retryAttempts: Infinity,
  shouldRetry: (event) => codeOf(event) !== REFUSED,
  retryWait: async (attempts) => {
    await connection.whenReady();
    await pauseAfter(attempts);
  },
  on: {
    connecting: () => {
      opening = 'yes';
    },
    opened: () => {
      const isUnwanted = opening === 'to-be-closed';
      opening = 'no';
      if (isUnwanted) closeSockets();
    },
    connected: () => {
      connection.setOnline(true);
      if (wasConnected) connection.publish('connected');
      wasConnected = true;
    },
    closed: (event) => {
      opening = 'no';
      if (codeOf(event) === REFUSED) connection.publish('refused');
      else if (CUT.includes(codeOf(event))) connection.setOnline(false);
    },
  },
});

export const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  requestPolicy: 'network-only',
  fetch: observedFetch,
  exchanges: [fetchExchange],
});

/** Context of a query that nobody asked for: the server counts it apart. */
export const REFRESH = { fetchOptions: { headers: { 'X-Refresh': '1' } } } as const;

/** Asks whether the session still has the company of the page: it shows no other answer to a link that downloads. */
export const checkCompany = (): void => void client.query(SESSION_COMPANY.toString(), {}).toPromise();

/** The text of a document as all requests send it: servers with a list of allowed ones compare it. */
export const textOf = (document: { toString: () => string }): string =>
  stringifyDocument(createRequest(document.toString(), {}).query);

/** Calls `onEvent` with each event of a subscription, which begins again when it is interrupted. Returns how to end it. */
export function subscribe<Data>(
  document: TypedDocumentString<Data, never>,
  variables: Record<string, unknown>,
  onEvent: (data: Data) => void,
): () => void {
  let end = (): void => undefined;
  let isOver = false;
  let attempts = 0;
  const again = async (event?: unknown): Promise<void> => {
    // The server may end the subscription before the socket.
    if (isUnauthenticated(event)) connection.publish('refused');
    if (isOver || isUnauthenticated(event) || codeOf(event) === REFUSED) return;
    await pauseAfter(attempts);
    attempts += 1;
    await connection.whenReady();
    begin();
  };
  const begin = (): void => {
    if (isOver) return;
    end = sockets.subscribe(
      { query: textOf(document), variables },
      {
        next: ({ data }: FormattedExecutionResult) => {
          attempts = 0;
          if (data) onEvent(data as Data);
        },
        error: (event) => void again(event),
        complete: () => void again(),
      },
    );
  };
  begin();
  return () => {
    isOver = true;
    end();
  };
}

/** Ends the WebSocket, so that the next subscription opens one for the session of then. */
export function closeSockets(): void {
  if (opening === 'no') sockets.terminate();
  else opening = 'to-be-closed';
}
