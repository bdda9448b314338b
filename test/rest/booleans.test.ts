import { describe, expect, it } from 'vitest';

import { bodySchema } from '../../src/rest/openapi/schema.js';
import { errorsOf } from '../support/fleet.js';
import { ROUTES } from '../support/openapi-check.js';
import { ask, titled } from '../support/route-requests.js';
import { useSampleRecords } from '../support/sample-records.js';
import { useServer } from '../support/server.js';

const server = useServer();
const existing = useSampleRecords(server);
const FORM = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };

const flagsOf = (route: (typeof ROUTES)[number]): string[] =>
  Object.entries(route.body === undefined ? {} : (bodySchema(route.body).properties ?? {}))
    .filter(([, { type = [] }]) => [type].flat().includes('boolean'))
    .map(([name]) => name);
const flagged = ROUTES.filter((route) => flagsOf(route).length > 0);
const changing = flagged.filter(({ method }) => method === 'PUT');

describe('contract 6: booleans', () => {
  it('are fields of these calls', () => {
    expect(flagged.map((route) => [route.method, route.path, ...flagsOf(route)])).toEqual([
      ['POST', '/apps/{app_id}/versions', 'displayable'],
      ['PUT', '/apps/{app_id}/versions/{version_id}', 'displayable'],
      ['POST', '/devices', 'enabled'],
      ['PUT', '/devices/{serial_number}', 'enabled'],
    ]);
  });

  // All spellings are in test/rest/input.test.ts.
  it.each(titled(changing))('RI-26 %s takes words and numbers, as JSON and as form', async (_, route) => {
    const [flag = ''] = flagsOf(route);
    const set = async (body: string, form = false): Promise<unknown> => {
      const reply = await ask(server.acme.client, route, existing, body, form ? FORM : {});
      expect(reply.status, `${body}: ${reply.text}`).toBe(200);
      const [record] = Object.values(reply.body) as Record<string, unknown>[];
      return record?.[flag];
    };
    for (const [yes, no] of ['true/false', 'On/off', 'YES/No', 't/F', '1/0'].map((pair) => pair.split('/'))) {
      expect(await set(`{"${flag}":"${yes}"}`), yes).toBe(true);
      expect(await set(`${flag}=${no}`, true), no).toBe(false);
      expect(await set(`${flag}=${yes}`, true), yes).toBe(true);
      expect(await set(`{"${flag}":"${no}"}`), no).toBe(false);
    }
    for (const number of ['1', '1.0']) expect(await set(`{"${flag}":${number}}`)).toBe(true);
    expect(await set(`{"${flag}":0}`)).toBe(false);
    for (const before of [true, false]) {
      await set(`{"${flag}":${String(before)}}`);
      for (const empty of [`{"${flag}":""}`, `{"${flag}":null}`]) expect(await set(empty)).toBe(before);
      expect(await set(`${flag}=`, true)).toBe(before);
    }
  });

  it.each(titled(flagged))('RI-26 %s refuses everything else', async (_, route) => {
    const [flag = ''] = flagsOf(route);
    for (const wrong of ['2', '-1', '0.5', '"FALSE "', '" "', '"y"', '"truth"', '[]', '[true]', '{}']) {
      const required = route.method === 'POST' ? `"number":"x","serial_number":"x",` : '';
      const reply = await ask(server.acme.client, route, existing, `{${required}"${flag}":${wrong}}`);
      expect(errorsOf(reply), wrong).toEqual([422, [flag]]);
    }
  });

  it.each(['""', 'null'])('have their default where %s is sent on create', async (empty) => {
    const body = `{"serial_number":"RI-26 ${empty.length}","enabled":${empty}}`;
    const device = await server.acme.client.post('devices', body);
    expect([device.status, device.record('device').enabled]).toEqual([201, true]);
  });
});
