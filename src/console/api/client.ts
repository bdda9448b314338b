import { CloseCode, createClient, MessageType } from 'graphql-ws';
import { Client, fetchExchange, subscriptionExchange } from 'urql';

/** Listeners of what concerns the whole console rather than one request. */
export const connection = new (class extends EventTarget {
  /** Whether the last request reached the server. */
  isOnline = true;

  setOnline(isOnline: boolean): void {
    if (this.isOnline === isOnline) return;
    this.isOnline = isOnline;
    this.dispatchEvent(new Event('change'));
  }

  /** The session has ended: the server answered 401. */
  signedOut(): void {
    this.dispatchEvent(new Event('signed-out'));
  }
})();

/** Sends a request to the server with the cookie of the session, and notes whether there is a server and a session. */
const observedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, { ...init, credentials: 'same-origin' });
    connection.setOnline(true);
    if (response.status === 401) connection.signedOut();
    return response;
  } catch (error) {
    if (!init?.signal?.aborted) connection.setOnline(false);
    throw error;
  }
};

const socketUrl = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`;

const isUnauthenticated = ({ extensions }: { readonly extensions?: object }): boolean =>
  extensions !== undefined && 'code' in extensions && extensions.code === 'UNAUTHENTICATED';
const FORBIDDEN: number = CloseCode.Forbidden;
/** The session has ended elsewhere, or works for another company now. */
const refused = (): void => void connection.dispatchEvent(new Event('refused'));

/** One WebSocket for all subscriptions, opened with the first one and again after each interruption. */
const sockets = createClient({
  url: socketUrl,
  lazy: true,
  retryAttempts: Infinity,
  shouldRetry: () => true,
  on: {
    connected: () => {
      connection.setOnline(true);
      connection.dispatchEvent(new Event('connected'));
    },
    message: (message) => {
      if (message.type === MessageType.Error && message.payload.some(isUnauthenticated)) refused();
    },
    closed: (event) => {
      if ((event as CloseEvent).code === FORBIDDEN) refused();
    },
  },
});

export const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  requestPolicy: 'network-only',
  fetch: observedFetch,
  exchanges: [
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query, variables }) => ({
        subscribe: (sink) => ({
          unsubscribe: sockets.subscribe(
            { query: query ?? '', variables: variables as Record<string, unknown> },
            sink as Parameters<typeof sockets.subscribe>[1],
          ),
        }),
      }),
    }),
  ],
});

/** Ends the WebSocket, so that the next subscription opens one for the session of then. */
export function closeSockets(): void {
  sockets.terminate();
}
