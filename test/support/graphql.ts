import { type Fields, type Reply, createClient } from './client.js';

export interface GraphqlErrorShape {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: Fields & { readonly code: string };
}

export interface GraphqlReply<Data> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: {
    /** Has the type that the test expects; null if the operation failed. */
    readonly data: Data;
    readonly errors?: readonly GraphqlErrorShape[];
    readonly extensions?: Fields;
  };
}

export interface GraphqlOptions {
  readonly operationName?: string;
  readonly extensions?: Fields;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one operation by POST. */
export type Graphql = <Data = Fields>(
  query: string,
  variables?: Fields,
  options?: GraphqlOptions,
) => Promise<GraphqlReply<Data>>;

/** Sends GraphQL operations with the token in the header; without a token if it is null. */
export function createGraphql(url: string, token: string | null): Graphql {
  const client = createClient(url, null);
  const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  return async <Data>(
    query: string,
    variables?: Fields,
    { headers = {}, ...rest }: GraphqlOptions = {},
  ): Promise<GraphqlReply<Data>> =>
    replyOf(
      await client.post(
        '/graphql',
        { query, ...(variables === undefined ? {} : { variables }), ...rest },
        { headers: { ...authorization, ...headers } },
      ),
    );
}

export function replyOf<Data>({ status, headers, text }: Reply): GraphqlReply<Data> {
  return { status, headers, text, body: JSON.parse(text) as GraphqlReply<Data>['body'] };
}
