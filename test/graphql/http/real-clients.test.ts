import { ApolloClient, gql, InMemoryCache, type ApolloLink } from '@apollo/client';
import { Client as UrqlClient, fetchExchange } from '@urql/core';
import UploadHttpLink from 'apollo-upload-client/UploadHttpLink.mjs';
import { beforeEach, describe, expect, it } from 'vitest';

import { SESSION_COOKIE } from '../../support/config.js';
import { useServer, type Reply } from '../../support/server.js';

const server = useServer();

const VIEWER = '{ viewer { role } }';
const CREATE_FILE = `mutation ($file: Upload!) {
  fileCreate(input: { file: $file }) { file { name size } userErrors { message } } }`;
const PREFLIGHT_HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name'];

/** The requests of the client under test, as `POST application/json` or `GET none`. */
let sent: string[] = [];
beforeEach(() => {
  sent = [];
});

const recordingFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  for (const name of PREFLIGHT_HEADERS) expect(request.headers.has(name)).toBe(false);
  sent.push(`${request.method} ${request.headers.get('content-type')?.split(';')[0] ?? 'none'}`);
  return await fetch(input, init);
};

const bearer = (): Record<string, string> => ({ authorization: `Bearer ${server.acme.token}` });
const endpoint = (): string => `${server.url}/graphql`;
const withQueryToken = (): string => `${endpoint()}?access_token=${server.acme.token}`;
const helloFile = (name: string): File => new File(['hello'], name, { type: 'text/plain' });

describe('GQ-31 a bearer token passes the CSRF check, without any setting of the client', () => {
  const urql = (url: string, headers: Record<string, string>): UrqlClient =>
    new UrqlClient({
      url,
      exchanges: [fetchExchange],
      fetch: recordingFetch,
      fetchOptions: { headers },
    });
  const apollo = (link: ApolloLink): ApolloClient => new ApolloClient({ cache: new InMemoryCache(), link });

  it('urql sends queries by GET and files as multipart', async () => {
    const own = urql(endpoint(), bearer());
    const { data, error } = await own.query<object>(VIEWER, {}).toPromise();
    expect([data, error]).toEqual([{ viewer: { role: 'ADMIN' } }, undefined]);
    const created = await own.mutation(CREATE_FILE, { file: helloFile('urql.txt') }).toPromise();
    expect(created.data).toMatchObject({
      fileCreate: { file: { name: 'urql.txt', size: 5 }, userErrors: [] },
    });
    expect(sent).toEqual(['GET none', 'POST multipart/form-data']);
  });

  it('apollo-upload-client sends files, and queries by GET', async () => {
    const options = { uri: endpoint(), headers: bearer(), useGETForQueries: true, fetch: recordingFetch };
    const own = apollo(new UploadHttpLink(options));
    expect((await own.query({ query: gql(VIEWER) })).data).toMatchObject({ viewer: { role: 'ADMIN' } });
    const variables = { file: helloFile('apollo.txt') };
    const { data } = await own.mutate({ mutation: gql(CREATE_FILE), variables });
    expect(data).toMatchObject({ fileCreate: { file: { name: 'apollo.txt', size: 5 }, userErrors: [] } });
    expect(sent).toEqual(['GET application/json', 'POST multipart/form-data']);
  });

  it('but a token in the query does not: the clients are refused without a preflight header', async () => {
    const { error } = await urql(withQueryToken(), {}).query(VIEWER, {}).toPromise();
    expect(error?.message).toContain('Send the token in Authorization: Bearer');
    expect(sent).toEqual(['GET none']);
    const own = apollo(new UploadHttpLink({ uri: withQueryToken(), fetch: recordingFetch }));
    const variables = { file: helloFile('forged.txt') };
    await expect(own.mutate({ mutation: gql(CREATE_FILE), variables })).rejects.toMatchObject({
      statusCode: 400,
      bodyText: expect.stringContaining('CSRF_PREVENTED') as string,
    });
    const file = await server.acme.graphql(
      '{ files(filter: { name: { eq: "forged.txt" } }) { totalCount } }',
    );
    expect(file.body.data).toEqual({ files: { totalCount: 0 } });
  });
});

describe('GQ-31 a request that a form or a link could make', () => {
  const codeOf = (reply: Reply): unknown =>
    (JSON.parse(reply.text) as { errors?: { extensions: { code: string } }[] }).errors?.[0]?.extensions.code;

  /** A query by GET, and a file as multipart. */
  async function sendBoth(headers: Record<string, string>, access: Record<string, string>): Promise<Reply[]> {
    const form = new FormData();
    form.set('operations', JSON.stringify({ query: CREATE_FILE, variables: { file: null } }));
    form.set('map', JSON.stringify({ 0: ['variables.file'] }));
    form.set('0', helloFile(`${Object.keys(headers).join('-')}.txt`));
    return [
      await server.anonymous.get('/graphql', undefined, { query: { ...access, query: VIEWER }, headers }),
      await server.anonymous.post('/graphql', form, { query: access, headers }),
    ];
  }

  it.each<[string, () => Record<string, string>, boolean]>([
    ['nothing', () => ({}), false],
    ['a cookie', () => ({ cookie: `${SESSION_COOKIE}=1` }), false],
    ['a token in the query', () => ({}), true],
    ['a cookie and a token in the query', () => ({ cookie: `${SESSION_COOKIE}=1` }), true],
    ['another Authorization and a token in the query', () => ({ authorization: 'Basic YTpi' }), true],
    ['an empty bearer token and a token in the query', () => ({ authorization: 'Bearer ' }), true],
  ])('needs a preflight header with %s', async (_what, headers, hasQueryToken) => {
    const access: Record<string, string> = hasQueryToken ? { access_token: server.acme.token } : {};
    for (const reply of await sendBoth(headers(), access)) {
      expect([reply.status, codeOf(reply)]).toEqual([400, 'CSRF_PREVENTED']);
    }
    for (const reply of await sendBoth({ ...headers(), 'apollo-require-preflight': '1' }, access)) {
      expect([reply.status, codeOf(reply)]).toEqual(
        hasQueryToken ? [200, undefined] : [401, 'UNAUTHENTICATED'],
      );
    }
  });

  it('is served with a bearer token, also beside a cookie', async () => {
    for (const headers of [bearer(), { ...bearer(), cookie: `${SESSION_COOKIE}=1` }]) {
      for (const reply of await sendBoth(headers, {})) {
        expect([reply.status, codeOf(reply)]).toEqual([200, undefined]);
      }
    }
  });
});
