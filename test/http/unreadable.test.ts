import { describe, expect, it } from 'vitest';

import { parseResponse, sendRaw } from '../support/raw-http.js';
import { useServer } from '../support/server.js';

const server = useServer();
const GET = 'GET /v1/groups HTTP/1.1\r\n';
const CLOSE = 'Connection: close\r\n';

describe('bytes that are not an HTTP request', () => {
  it.each([
    ['nonsense', 'nonsense\r\n\r\n', 400, 'malformed'],
    ['an unknown method', 'STEAL /v1/groups HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'malformed'],
    ['a space before the colon', `${GET}Host : a\r\n\r\n`, 400, 'malformed'],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'malformed'],
    ['headers over 16 KiB', `${GET}Host: a\r\nX-A: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['2,000 headers', `${GET}Host: a\r\n${'X-A: b\r\n'.repeat(2_000)}\r\n`, 401, 'unauthenticated'],
  ])(
    '%s is refused like everything else: as an error object, without a banner',
    async (_what, text, status, code) => {
      const answer = await sendRaw(server.url, text.replace('Host: a\r\n', `Host: a\r\n${CLOSE}`));
      expect(answer.statuses).toEqual([status]);
      const { headers, body } = parseResponse(answer.text);
      const message = expect.any(String) as string;
      expect(body).toEqual({ message, code, request_id: headers.get('x-request-id') });
      expect(headers.get('connection')).toBe('close');
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect([headers.get('server'), headers.get('x-powered-by')]).toEqual([undefined, undefined]);
    },
  );

  it.each([
    ['no Host', ''],
    ['two Hosts', 'Host: a\r\nHost: b\r\n'],
    ['two Authorizations', 'Host: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n'],
  ])('RI-24 a request with %s is 400', async (_what, headers) => {
    const { statuses, text } = await sendRaw(server.url, `${GET}${headers}${CLOSE}\r\n`);
    expect(statuses).toEqual([400]);
    expect(parseResponse(text).body).toMatchObject({ code: 'malformed' });
  });

  it('RI-24 the Host is in no response, and health works without one', async () => {
    const page = await sendRaw(server.url, `GET /docs HTTP/1.1\r\nHost: evil.example\r\n${CLOSE}\r\n`);
    expect(page.statuses).toEqual([200]);
    expect(page.text).not.toContain('evil.example');
    expect((await sendRaw(server.url, 'GET /healthz HTTP/1.0\r\n\r\n')).statuses).toEqual([200]);
  });

  it('RI-22 an absolute target is counted and logged as its path', async () => {
    const { statuses, text } = await sendRaw(
      server.url,
      `GET http://evil.example/v1/groups?access_token=${server.acme.token} HTTP/1.1\r\n`,
      'Host: a\r\nConnection: close\r\nX-Request-Id: absolute\r\n\r\n',
    );
    expect(statuses).toEqual([200]);
    expect(text).not.toContain('evil.example');
    await expect
      .poll(() => server.logs.find((line) => line.includes('"absolute"')))
      .toContain('"path":"/v1/groups"');
  });
});
