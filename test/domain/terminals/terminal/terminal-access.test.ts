import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';

import { createClient, type Reply } from '../../../support/client.js';
import { fleet } from '../../../support/fleet.js';
import { metricOf } from '../../../support/gauges.js';
import { createGraphql } from '../../../support/graphql.js';
import { ownServer, useServer } from '../../../support/server.js';
import { subscribe } from '../../../support/subscribe.js';
import { newTerminal, outcomeOf, report } from '../../../support/terminals.js';

const server = useServer({ rateLimitPerHour: 100_000 });
let gateway: string;
beforeAll(async () => {
  gateway = (await server.member('acme', 'operator', ['terminals'])).token;
});

const deviceOf = async (serialNumber: string): Promise<Record<string, unknown> | undefined> =>
  (await server.acme.client.get('devices', undefined, { query: { per_page: 100 } }))
    .list('devices')
    .find((device) => device.serial_number === serialNumber);

describe('a report of a terminal', () => {
  it('is stored on its device, with the token of the device', async () => {
    const { token } = await newTerminal(server.acme, 'SN-1');
    const body = { framework_version: '8.31.2', meta: { model: 'V240m' } };
    const reply = await report(server, token, body);
    expect([reply.status, reply.text]).toEqual([200, '{}']);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(reply.headers.get('x-rate-limit-limit')).toBeNull();
    expect(await deviceOf('SN-1')).toMatchObject({ framework_version: '8.31.2', meta: { model: 'V240m' } });
  });

  it('has numbers and booleans in meta as their text', async () => {
    const { token } = await newTerminal(server.acme, 'SN-TEXT');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = '{"meta":{"battery_level":80,"charging":true,"version":1.10,"pan":4111111111111111}}';
    const reply = await fetch(`${server.url}/terminal/v1/report`, { method: 'POST', headers, body });
    expect([reply.status, await reply.text()]).toEqual([200, '{}']);
    const meta = { battery_level: '80', charging: 'true', version: '1.10', pan: '411111******1111' };
    expect(await deviceOf('SN-TEXT')).toMatchObject({ meta });
    const huge = await fetch(`${server.url}/terminal/v1/report`, {
      method: 'POST',
      headers,
      body: '{"meta":{"iccid":12345678901234567890}}',
    });
    expect(huge.status).toBe(422);
    expect(await deviceOf('SN-TEXT')).toMatchObject({ meta });
  });

  it('is answered with the names of fields that no report has', async () => {
    const { token } = await newTerminal(server.acme, 'SN-UNKNOWN');
    const body = { frameworkVersion: '8', framework_version: '9', battery: 80 };
    const reply = await report(server, token, body);
    expect([reply.status, reply.body]).toEqual([200, { ignored: ['frameworkVersion', 'battery'] }]);
    expect(await deviceOf('SN-UNKNOWN')).toMatchObject({ framework_version: '9' });
  });

  it.each(['"text"', '80', 'null', 'framework_version=9'])('is 400 with the body %s', async (body) => {
    const { token } = await newTerminal(server.acme, `SN of ${encodeURIComponent(body)}`);
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const reply = await fetch(`${server.url}/terminal/v1/report`, { method: 'POST', headers, body });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ code: 'malformed_json' });
  });

  it('is stored on the device that a gateway names', async () => {
    await newTerminal(server.acme, 'SN é');
    expect(outcomeOf(await report(server, gateway, { framework_version: '1' }, 'SN e\u0301'))).toBe('200');
    expect(await deviceOf('SN é')).toMatchObject({ framework_version: '1' });
  });

  it('is refused with the fields that are not valid', async () => {
    const { token } = await newTerminal(server.acme, 'SN-INVALID');
    const reply = await report(server, token, { framework_version: 7, meta: { model: {} } });
    expect(reply.status).toBe(422);
    expect(reply.body).toMatchObject({ code: 'invalid', errors: { meta: expect.any(Array) as unknown } });
    const headers = { authorization: `Bearer ${token}` };
    const broken = await server.anonymous.post('/terminal/v1/report', '{', { headers });
    expect(outcomeOf(broken)).toBe('400 malformed_json');
  });
});

describe('a terminal that may not use the service', () => {
  const state = async (serialNumber: string, body: Record<string, unknown>): Promise<void> => {
    expect((await server.acme.client.put(`devices/${serialNumber}`, body)).status).toBe(200);
  };

  it('gets 403 with the reason, at once', async () => {
    const { token } = await newTerminal(server.acme, 'SN-STATE');
    expect(outcomeOf(await report(server, token))).toBe('200');
    await state('SN-STATE', { enabled: false });
    const reply = await report(server, token, { framework_version: 'refused' });
    expect(reply.status).toBe(403);
    expect(reply.body).toEqual({
      message: 'The device is disabled.',
      code: 'terminal_disabled',
      request_id: reply.headers.get('x-request-id'),
    });
    await state('SN-STATE', { enabled: true, logical_number_id: null });
    expect(outcomeOf(await report(server, token))).toBe('403 terminal_unassigned');
    expect(await deviceOf('SN-STATE')).toMatchObject({ framework_version: null });
    expect(outcomeOf(await report(server, gateway, {}, 'SN-NOBODY'))).toBe('403 unknown_terminal');
  });

  it('is one of another company for a gateway, in the same bytes as one that does not exist', async () => {
    await newTerminal(server.beta, 'SN-OF-BETA');
    const bytes = ({ status, text, body }: Reply): unknown => [
      status,
      text.replace(String(body.request_id), ''),
    ];
    const foreign = await report(server, gateway, {}, 'SN-OF-BETA');
    expect(bytes(foreign)).toEqual(bytes(await report(server, gateway, {}, 'SN-NOBODY')));
  });

  it('is counted in the metrics', async () => {
    const count = async (): Promise<number> =>
      (await metricOf(server.url, 'terminal_refusals_total{code="unknown_terminal"}')) || 0;
    const before = await count();
    await report(server, gateway, {}, 'SN-COUNTED');
    expect(await count()).toBe(before + 1);
  });
});

describe('tokens at /terminal/v1', () => {
  it('of a device speak for that device only', async () => {
    const { token } = await newTerminal(server.acme, 'SN-OWN');
    await newTerminal(server.acme, 'SN-OTHER');
    expect(outcomeOf(await report(server, token, {}, 'SN-OWN'))).toBe('200');
    for (const other of ['SN-OTHER', 'SN-NOBODY']) {
      expect(outcomeOf(await report(server, token, { framework_version: 'x' }, other))).toBe('403 forbidden');
    }
    expect(await deviceOf('SN-OTHER')).toMatchObject({ framework_version: null });
  });

  it('of a gateway name a terminal', async () => {
    expect(outcomeOf(await report(server, gateway))).toBe('400 malformed');
    for (const named of [' ', 'a'.repeat(65), 'SN-1, SN-1\u200b']) {
      expect(outcomeOf(await report(server, gateway, {}, named))).toBe('400 malformed');
    }
    const headers = { authorization: `Bearer ${gateway}`, 'x-serial-number': '\xff' };
    const latin = await server.anonymous.post('/terminal/v1/report', {}, { headers });
    expect(outcomeOf(latin)).toBe('400 malformed');
  });

  it('need the scope, whatever else they may', async () => {
    await newTerminal(server.acme, 'SN-SCOPES');
    const other = await server.member('acme', 'admin', ['read', 'write', 'admin', 'ingest']);
    const viewer = await server.member('acme', 'viewer', ['terminals']);
    for (const { token } of [other, viewer]) {
      expect(outcomeOf(await report(server, token, {}, 'SN-SCOPES'))).toBe('403 forbidden');
    }
    const unknown = await report(server, '0'.repeat(40), {}, 'SN-SCOPES');
    expect([outcomeOf(unknown), unknown.headers.get('www-authenticate')]).toEqual([
      '401 unauthenticated',
      'Bearer',
    ]);
    const query = { access_token: gateway };
    const headers = { 'x-serial-number': 'SN-SCOPES' };
    const inQuery = await server.anonymous.post('/terminal/v1/report', {}, { query, headers });
    expect(outcomeOf(inQuery)).toBe('401 unauthenticated');
  });

  it('open no other surface', async () => {
    const { token } = await newTerminal(server.acme, 'SN-SURFACES');
    for (const each of [token, gateway]) {
      const client = createClient(server.url, each);
      expect(outcomeOf(await client.get('devices'))).toBe('403 forbidden');
      expect(outcomeOf(await client.post('groups', { name: 'x' }))).toBe('403 forbidden');
      const { body } = await createGraphql(server.url, each)('{ devices { totalCount } }');
      expect(JSON.stringify(body)).toContain('FORBIDDEN');
      expect(body.data).toBeFalsy();
    }
    const viewer = await createGraphql(server.url, token)('{ viewer { user { email } } }');
    expect(viewer.text).not.toContain('acme.example');
    const { ended } = subscribe(server, { token }, 'subscription { ledger { sequence } }');
    expect(await ended).toMatchObject({ code: 4403 });
  });
});

describe('paths and methods below /terminal/v1', () => {
  it('are those of /v1: 404 for other paths, 405 for other methods, OPTIONS without a token', async () => {
    for (const path of ['/terminal/v1', '/terminal/v1/', '/terminal/v1/reports', '/terminal/v2/report']) {
      expect(outcomeOf(await server.anonymous.post(path, {}))).toBe('404 not_found');
    }
    const get = await server.anonymous.get('/terminal/v1/report');
    expect([outcomeOf(get), get.headers.get('allow')]).toEqual(['405 method_not_allowed', 'POST, OPTIONS']);
    const options = await server.anonymous.request('OPTIONS', '/terminal/v1/report');
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
  });
});

describe('the limits of a terminal', () => {
  it('are its own: 120 requests a minute, not those of the address', async () => {
    const own = await ownServer();
    // However long the requests take, they are of one minute.
    own.clock.stop();
    const { token } = await newTerminal(own.acme, 'SN-FAST');
    const { token: other } = await newTerminal(own.acme, 'SN-SLOW');
    const { token: gateway } = await own.member('acme', 'operator', ['terminals']);
    for (let n = 0; n < 120; n += 1) expect((await report(own, token)).status).toBe(200);
    const limited = await report(own, token);
    expect(outcomeOf(limited)).toBe('429 rate_limited');
    expect(limited.headers.get('retry-after')).toBe('60');
    expect(outcomeOf(await report(own, gateway, {}, 'SN-FAST'))).toBe('429 rate_limited');
    expect(outcomeOf(await report(own, other))).toBe('200');
    own.clock.advance(60_001);
    expect(outcomeOf(await report(own, token))).toBe('200');
  });

  it('are 4 requests at the same time', async () => {
    const { token } = await newTerminal(server.acme, 'SN-MANY');
    const { hostname, port } = new URL(server.url);
    const head = ['POST /terminal/v1/report HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`];
    const begun = `${[...head, 'Content-Length: 2', '', ''].join('\r\n')}{`;
    let text = '';
    const open = [1, 2, 3, 4, 5].map(() => connect(Number(port), hostname).on('error', () => undefined));
    for (const socket of open) {
      socket.on('data', (bytes) => (text += String(bytes)));
      socket.write(begun);
    }
    await expect.poll(() => text).toContain('"code":"rate_limited"');
    expect(text.match(/HTTP[/]1[.]1 \d+/g)).toEqual(['HTTP/1.1 429']);
    expect(outcomeOf(await report(server, token))).toBe('429 rate_limited');
    for (const socket of open) socket.destroy();
    await expect.poll(async () => outcomeOf(await report(server, token))).toBe('200');
  });

  it('are not those of /v1', async () => {
    const limited = await ownServer({ rateLimitPerHour: 6 });
    const number = await fleet.logicalNumber(limited.acme.client, 'N');
    await fleet.device(limited.acme.client, 'SN', { logical_number_id: number });
    const { token } = await limited.member('acme', 'operator', ['terminals']);
    for (let n = 0; n < 10; n += 1) expect((await report(limited, token, {}, 'SN')).status).toBe(200);
    const { headers } = await limited.acme.client.get('devices');
    expect(headers.get('x-rate-limit-remaining')).toBe('3');
  });
});
