import { describe, expect, it } from 'vitest';

import { bodySchema } from '../../src/rest/openapi/schema.js';
import { errorsOf } from '../support/fleet.js';
import { ROUTES } from '../support/openapi-check.js';
import { ask, titled } from '../support/route-requests.js';
import { useSampleRecords } from '../support/sample-records.js';
import { useServer, type Fields } from '../support/server.js';

const server = useServer();
const existing = useSampleRecords(server);

const flagsOf = (route: (typeof ROUTES)[number]): string[] =>
  Object.entries(route.body === undefined ? {} : (bodySchema(route.body).properties ?? {}))
    .filter(([, { type = [] }]) => [type].flat().includes('boolean'))
    .map(([name]) => name);
const flagged = ROUTES.filter((route) => flagsOf(route).length > 0);
const changing = flagged.filter(({ method }) => method === 'PUT');

// All spellings are in test/rest/input.test.ts.
describe('contract 6: booleans', () => {
  it('are fields of these calls', () => {
    expect(flagged.map((route) => [route.method, route.path, ...flagsOf(route)])).toEqual([
      ['POST', '/apps/{app_id}/versions', 'displayable'],
      ['PUT', '/apps/{app_id}/versions/{version_id}', 'displayable'],
      ['POST', '/devices', 'enabled'],
      ['PUT', '/devices/{serial_number}', 'enabled'],
    ]);
  });

  it.each(titled(changing))('RI-26 %s takes words and numbers, as JSON and as form', async (_, route) => {
    const [flag = ''] = flagsOf(route);
    for (const [body, value, type = 'application/json'] of [
      [`{"${flag}":"On"}`, true],
      [`${flag}=off`, false, 'application/x-www-form-urlencoded'],
      [`{"${flag}":null}`, false],
      [`{"${flag}":1.0}`, true],
      [`${flag}=`, true, 'application/x-www-form-urlencoded'],
    ] as const) {
      const options = { headers: { 'content-type': type } };
      const reply = await ask(server.acme.client, route, existing, body, options);
      const [record] = Object.values(reply.body) as Fields[];
      expect([reply.status, record?.[flag]], body).toEqual([200, value]);
    }
  });

  it.each(titled(flagged))('RI-26 %s refuses everything else', async (_, route) => {
    const [flag = ''] = flagsOf(route);
    const required = route.method === 'POST' ? `"number":"x","serial_number":"x",` : '';
    for (const wrong of ['2', '"FALSE "', '"truth"', '[true]', '{}']) {
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
