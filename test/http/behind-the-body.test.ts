import { describe, expect, it } from 'vitest';

import { sendRaw, type RawResponses } from '../support/raw-http.js';
import { useServerPerTest } from '../support/server.js';

const server = useServerPerTest();

async function groups(): Promise<unknown[]> {
  return (await server.acme.client.get('groups')).list('groups').map(({ name }) => name);
}

interface Sent {
  readonly path?: string;
  readonly type?: string;
  readonly body: string;
  readonly chunked?: true;
}

const chunks = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n`;

/** The bytes of a request; a chunked one lacks its end. */
function bytesOf({ path = '/v1/groups', type = 'application/json', body, chunked }: Sent): string {
  const length = chunked === true ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${server.acme.token}\r\n`;
  return `${head}Content-Type: ${type}\r\n${length}\r\n\r\n${chunked === true ? chunks(body) : body}`;
}

const group = (name: string): Sent => ({ body: JSON.stringify({ name }) });
const operation = (query: string): Sent => ({ path: '/graphql', body: JSON.stringify({ query }) });
const creation = (name: string): Sent =>
  operation(`mutation { groupCreate(input: { name: "${name}" }) { userErrors { message } } }`);
const FORM = 'multipart/form-data; boundary=B';
const file = (name: string): Sent => ({
  path: '/v1/files',
  type: FORM,
  body: `--B\r\nContent-Disposition: form-data; name="asset"; filename="${name}"\r\n\r\nbytes\r\n--B--\r\n`,
});

const ROWS: Sent = { path: '/ingest/v1/transactions', type: 'application/x-ndjson', body: '{}\n' };

const send = async (bytes: string): Promise<RawResponses> => await sendRaw(server.url, bytes);

describe('bytes behind a body', () => {
  it.each(['\0', '\r\nnonsense\r\n\r\n', 'x', '\xff\xfe', ' HTTP/1.1\r\n\r\n'])(
    'RU-05 %j: the complete request is answered, then the rest is refused and the connection closed',
    async (behind) => {
      const { statuses, text } = await send(bytesOf(group('x3')) + behind);
      expect(statuses).toEqual([201, 400]);
      expect(text.slice(text.indexOf('HTTP/1.1 400'))).toContain('Connection: close');
      expect(await groups()).toEqual(['x3']);
    },
  );

  it.each([
    ['/v1', () => group('a'), 201],
    ['/v1 with a form', () => ({ type: 'application/x-www-form-urlencoded', body: 'name=a' }), 201],
    ['a query of GraphQL', () => operation('{ groups { totalCount } }'), 200],
    ['a change of GraphQL', () => creation('a'), 200],
    ['an upload', () => file('a.txt'), 201],
    ['a row that is refused', () => ROWS, 422],
    ['a terminal that is not known', () => ({ path: '/terminal/v1/report', body: '{}' }), 403],
  ] as const)('RU-05 on every surface: %s', async (_surface, request, status) => {
    const sent = bytesOf(request());
    expect((await send(`${sent}\0`)).statuses).toEqual([status, 400]);
    const closing = sent.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    expect((await send(`${closing}\0`)).statuses).toHaveLength(1);
  });

  it('RU-05 all complete requests before them are answered, in their order', async () => {
    const sent = [group('a'), creation('b'), group('c'), file('d'), group('e')];
    const { statuses } = await send(`${sent.map(bytesOf).join('')}\0${bytesOf(group('never'))}`);
    expect(statuses).toEqual([201, 200, 201, 201, 201, 400]);
    expect(await groups()).toEqual(['a', 'b', 'c', 'e']);
  });

  it.each([
    ['a chunk without a size', 'ZZ\r\n'],
    ['a broken trailer', '0\r\nTrailer with spaces : 1\r\n\r\n'],
    ['a trailer without a colon', '0\r\nnonsense\r\n\r\n'],
  ])('RU-05 %s: nothing is changed, and requests before it are answered', async (_what, end) => {
    for (const request of [group('x'), creation('x'), file('x')]) {
      const { statuses } = await send(bytesOf(group('first')) + bytesOf({ ...request, chunked: true }) + end);
      expect(statuses.at(-1)).toBe(400);
      expect(statuses).toHaveLength(2);
    }
    expect(await groups()).toEqual(['first']);
    expect((await server.acme.client.get('files')).list('files')).toEqual([]);
  });

  it('RU-05 a request that is refused before its body ends is refused once', async () => {
    const sent = bytesOf({ ...group('x'), chunked: true }).replace(server.acme.token, 'unknown');
    expect((await send(`${sent}ZZ\r\n`)).statuses).toHaveLength(1);
  });
});
