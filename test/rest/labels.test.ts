import { describe, expect, it } from 'vitest';

import { ingestRow, sendLines, totalsOf } from '../support/line-stream.js';
import { ROUTES } from '../support/openapi-check.js';
import { sendRaw } from '../support/raw-http.js';
import { ask, goodBody, titled } from '../support/route-requests.js';
import { useSampleRecords } from '../support/sample-records.js';
import { useServer, type Reply } from '../support/server.js';

const server = useServer();
const existing = useSampleRecords(server);
const FORM = 'application/x-www-form-urlencoded';
const withType = (type: string) => ({ headers: { 'content-type': type } });

async function count(): Promise<unknown> {
  const lists = ['groups', 'apps', 'files', 'devices', 'logical_numbers'];
  const { acme } = server;
  return await Promise.all(lists.map(async (list) => (await acme.client.get(list)).body.pagination));
}

const LABELS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['multipart', { 'content-type': 'multipart/form-data; boundary=x' }],
  ['multipart without a boundary', { 'content-type': 'multipart/form-data' }],
  ['gzip', { 'content-encoding': 'gzip' }],
  ['another charset', { 'content-type': 'application/json; charset=utf-16' }],
  ['a list of types', { 'content-type': 'application/json, text/plain' }],
];

describe('RU-13 labels beside an empty body', () => {
  it.each(titled(ROUTES.filter(({ method }) => method !== 'DELETE')))(
    'mean nothing to %s',
    async (_, route) => {
      const { client } = server.acme;
      const plain = await ask(client, route, existing, '');
      for (const [label, headers] of LABELS) {
        const reply = await ask(client, route, existing, '', { headers });
        expect([reply.status, reply.body.code], label).toEqual([plain.status, plain.body.code]);
      }
    },
  );

  it.each(LABELS)('%s: 200 for a query of GraphQL', async (_label, labels) => {
    const headers = { ...labels, authorization: `Bearer ${server.acme.token}` };
    const options = { headers, query: { query: '{ viewer { role } }' } };
    const reply = await server.anonymous.get('/graphql', undefined, options);
    expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('"role":"ADMIN"')]);
  });

  it.each(['Content-Length: 0', 'Transfer-Encoding: chunked'])(
    '%s: mean nothing to lists, creates, uploads and streams of rows',
    async (framing) => {
      const send = async (target: string, labels: Readonly<Record<string, string>>) => {
        const lines = Object.entries(labels).map(([name, value]) => `${name}: ${value}\r\n`);
        const head = `${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${server.acme.token}\r\n`;
        const end = framing.startsWith('T') ? '0\r\n\r\n' : '';
        return (await sendRaw(server.url, `${head}${lines.join('')}${framing}\r\n\r\n${end}`)).statuses;
      };
      for (const [, labels] of LABELS) {
        expect(await send('GET /v1/groups', labels)).toEqual([200]);
        expect(await send('POST /v1/groups', labels)).toEqual([422]);
        expect(await send('POST /v1/files', labels)).toEqual([422]);
      }
      const type = { 'Content-Type': 'application/x-ndjson; charset=utf-16', 'Content-Encoding': 'gzip' };
      expect(await send('POST /ingest/v1/transactions', type)).toEqual([200]);
    },
  );
});

const READ = [
  'charset=',
  'charset=""',
  'charset="utf-8"',
  "charset='utf-8'",
  'charset=" utf-8 "',
  'CHARSET="UTF-8"',
  'charset = utf8',
  'charset=utf-8;',
  'charset=utf-8; boundary="a,b/c"',
  'charset=us-ascii',
  'charset="ISO-8859-1"',
];
const REFUSED = [
  ['application/json; charset=utf-16', 'unsupported_charset'],
  ['application/json; charset="koi8-r"', 'unsupported_charset'],
  ['application/json, text/plain', 'unsupported_type'],
  ['application/json; charset=utf-8, application/json', 'unsupported_type'],
  ['application/json,application/x-www-form-urlencoded', 'unsupported_type'],
] as const;
const QUERY = JSON.stringify({ query: '{ viewer { role } } # é' });

describe('RU-41 Content-Type', () => {
  const post = async (path: string, type: string, body: string): Promise<Reply> =>
    await server.acme.client.post(path, body, withType(type));

  it.each(READ)('%s is read, in /v1, in forms, uploads and GraphQL', async (charset) => {
    const body = JSON.stringify({ name: `é ${charset}` });
    const json = await post('groups', `application/json; ${charset}`, body);
    expect([json.status, json.record('group').name]).toEqual([201, `é ${charset}`]);
    const name = encodeURIComponent(`form é ${charset}`);
    const form = await post('groups', `${FORM}; ${charset}`, `name=${name}`);
    expect([form.status, form.record('group').name]).toEqual([201, `form é ${charset}`]);
    if (!/boundary|;$/.test(charset)) {
      const text = `--XX\r\nContent-Disposition: form-data; name="f"; filename="${READ.indexOf(charset)}é"\r\n\r\na\r\n--XX--\r\n`;
      expect((await post('files', `multipart/form-data; ${charset}; boundary=XX`, text)).status).toBe(201);
    }
    expect((await post('/graphql', `application/json; ${charset}`, QUERY)).status).toBe(200);
  });

  it.each(REFUSED)('%s is 415 with the reason, and nothing changes', async (type, code) => {
    const before = await count();
    const reply = await post('groups', type, '{"name":"refused"}');
    expect([reply.status, reply.body.code]).toEqual([415, code]);
    const [error] = (await post('/graphql', type, QUERY)).body.errors as { extensions: { code: string } }[];
    expect(error?.extensions.code).toBe(code.toUpperCase());
    expect(await count()).toEqual(before);
  });
});

describe('RU-03 forms that are not UTF-8', () => {
  const changes = ROUTES.filter(
    ({ body, ownerSelector }) => body !== undefined || ownerSelector !== undefined,
  );
  const BYTES = ['Caf%E9', '%ff', '%C3', '%C0%AF', '%ED%A0%80', 'a%80b'];

  it.each(titled(changes))('%s refuses them in values and names', async (_, route) => {
    const fields = Object.keys(goodBody(route, existing)).filter((name) => name !== 'bytecode');
    const good = fields.map((name) => `${name}=1`);
    const before = await count();
    const { client } = server.acme;
    const bad = [
      ...fields.map((name, n) => `${name}=${BYTES[n % BYTES.length] ?? ''}`),
      ...BYTES.flatMap((bytes) => [`unknown=${bytes}`, `${bytes}=1`]),
    ];
    for (const pair of bad) {
      const reply = await ask(client, route, existing, [...good, pair].join('&'), withType(FORM));
      expect([reply.status, reply.body.code], pair).toEqual([400, 'malformed']);
    }
    expect(await count()).toEqual(before);
  });

  it('texts in UTF-8 are read, also U+FFFD, a percent sign alone, and equals signs in values', async () => {
    for (const [sent, name] of [
      ['Caf%C3%A9', 'Café'],
      ['%EF%BF%BD', '\ufffd'],
      ['100%+sure', '100% sure'],
      ['5%zz=6', '5%zz=6'],
    ]) {
      const reply = await server.acme.client.post('groups', `&name=${sent}&&`, withType(FORM));
      expect([reply.status, reply.record('group').name]).toEqual([201, name]);
    }
  });

  it.each(['/v1/parameters?name', '/export/v1/groups?name'])('is 400 in the query of %s', async (path) => {
    const { text } = await sendRaw(
      server.url,
      `GET ${path}=Caf%E9&access_token=${server.acme.token} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toContain('HTTP/1.1 400');
  });
});

describe('RU-03 RU-32 parts of multipart bodies', () => {
  const FILE = 'name="asset"; filename="part.bin"';
  const send = async (disposition: string, headers: string, body: string): Promise<string> => {
    const parts = [
      `Content-Disposition: form-data; ${disposition}\r\n${headers}\r\n${body}`,
      ...(disposition === FILE ? [] : [`Content-Disposition: form-data; ${FILE}\r\n\r\nbytes`]),
    ];
    const content = `${parts.map((part) => `--XX\r\n${part}\r\n`).join('')}--XX--\r\n`;
    const head = `POST /v1/files?access_token=${server.acme.token} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
    const labels = `Content-Type: multipart/form-data; boundary=XX\r\nContent-Length: ${content.length}\r\n\r\n`;
    return (await sendRaw(server.url, head + labels + content)).text;
  };
  const OCTETS = 'Content-Type: application/octet-stream\r\n';

  it.each([
    ['a file in base64', FILE, 'Content-Transfer-Encoding: base64\r\n', 'Ynl0ZXM=', 415],
    ['a file in quoted-printable', FILE, 'Content-Transfer-Encoding: quoted-printable\r\n', '=41', 415],
    ['a text in base64', 'name="file_type"', 'Content-Transfer-Encoding: BASE64\r\n', 'YXNzZXQ=', 415],
    ['a text that is not UTF-8', 'name="file_type"', '', '\xe9', 400],
    ['octets that are not UTF-8', 'name="file_type"', OCTETS, '\xe9', 400],
    ['a file name that is not UTF-8', 'name="x"; filename="\xe9"', '', 'a', 400],
    ['an encoded file name that is not UTF-8', `name="x"; filename*=UTF-8''%E9`, '', 'a', 400],
    ['a text in an unknown charset', 'name="file_type"', 'Content-Type: a/b; charset=koi8-r\r\n', 'a', 415],
    ['octets of more than 16 KiB', 'name="file_type"', OCTETS, 'a'.repeat(16_385), 413],
  ])('%s: refused, and nothing is stored', async (_what, disposition, headers, body, status) => {
    const before = await count();
    expect(await send(disposition, headers, body)).toContain(`HTTP/1.1 ${status} `);
    expect(await count()).toEqual(before);
  });

  it('octets without a file name are text', async () => {
    const text = await send('name="file_type"', `${OCTETS}Content-Transfer-Encoding: binary\r\n`, 'torrent');
    expect(text).toContain('HTTP/1.1 201');
    expect(text).toContain('"file_type":"torrent"');
  });
});

describe('RU-06 whole numbers that a double does not hold', () => {
  const NUMBERS = [
    '12345678901234567',
    '-123456789012345678901',
    '1546130668394913822000',
    '-1546130668394913822000',
    '1e30',
    '-1E+30',
    '1.5e300',
    '9'.repeat(300),
    '1e309',
  ];

  it.each(NUMBERS)('%s is 422 in a metacontent', async (number) => {
    const { client } = server.acme;
    for (const value of [number, `[${number}]`, `{"id":[{"a":${number}}]}`]) {
      const body = `{"number":"${existing('logical_number')}","key":"large","value":${value}}`;
      const reply = await client.post('metacontents', body);
      expect([reply.status, Object.keys(reply.body.errors ?? {})], value).toEqual([422, ['value']]);
    }
  });

  it.each(NUMBERS)('%s is refused in rows, which keep JSON in the metadata of a payment', async (number) => {
    const metadata = `"metadata":{"a":[${number}]},"status_reason"`;
    const row = JSON.stringify(ingestRow(1)).replace('"status_reason"', metadata);
    const { lines } = await sendLines(server.url, server.acme.token, `${row}\n`);
    expect(lines.at(-1)).toMatchObject(totalsOf(0, 0, 1));
    expect(Object.keys(lines[0]?.errors ?? {})).toEqual(['parsed']);
  });

  it('others are kept as they are sent', async () => {
    const value = '{"a":9007199254740991,"b":-9007199254740991,"c":1.5e-7,"d":0.1}';
    const body = `{"number":"${existing('logical_number')}","key":"kept","value":${value}}`;
    const reply = await server.acme.client.post('metacontents', body);
    expect([reply.status, reply.text]).toEqual([201, expect.stringContaining('9007199254740991')]);
  });
});
