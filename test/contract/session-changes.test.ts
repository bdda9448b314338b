import { describe, expect, it } from 'vitest';

import { type Fields } from '../support/client.js';
import { isIn, ME, PASSWORD_CHANGE, signedIn, twoBrowsers } from '../support/console.js';
import { nodeId } from '../support/dashboard.js';
import { PASSWORD, WRONG } from '../support/people.js';
import { useServer } from '../support/server.js';

const server = useServer({ rateLimitPerHour: 1_000 }, { live: { recheckMs: 50 } });
const NEW_PASSWORD = 'another good password';

describe('companySwitch', () => {
  const SWITCH = `mutation ($id: ID!) { companySwitch(companyId: $id) {
    viewer { role company { name } } userErrors { code } } }`;
  const COMPANIES = '{ viewer { companies { company { id name } role } } }';

  it('goes on in another company of the user, with the role there', async () => {
    const { first } = await twoBrowsers(server, { acme: 'admin', beta: 'viewer' });
    const { data } = (await first.graphql<{ viewer: { companies: { company: Fields }[] } }>(COMPANIES)).body;
    expect(data).toMatchObject({
      viewer: {
        companies: [
          { company: { name: 'Acme Pagamentos' }, role: 'ADMIN' },
          { company: { name: 'Beta Cards' }, role: 'VIEWER' },
        ],
      },
    });
    const { id } = data.viewer.companies[1]?.company ?? {};
    const viewer = { role: 'VIEWER', company: { name: 'Beta Cards' } };
    expect((await first.graphql(SWITCH, { id })).body.data).toEqual({
      companySwitch: { viewer, userErrors: [] },
    });
    expect((await first.graphql(ME)).body.data).toMatchObject({ viewer });
    const denied = await first.graphql('mutation { groupCreate(input: { name: "x" }) { group { id } } }');
    expect(denied.body.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('refuses companies of others, and tokens', async () => {
    const { first } = await twoBrowsers(server);
    const id = nodeId('Company', server.beta.caller.companyId);
    expect((await first.graphql(SWITCH, { id })).body.data).toMatchObject({
      companySwitch: { viewer: null, userErrors: [{ code: 'NOT_FOUND' }] },
    });
    expect((await server.acme.graphql(SWITCH, { id })).body.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    expect((await server.acme.graphql(COMPANIES)).body.data).toMatchObject({ viewer: { companies: [{}] } });
  });
});

describe('passwordChange', () => {
  it('needs the current password and a good new one, and keeps the session', async () => {
    const { first, email } = await twoBrowsers(server);
    const change = async (given: Fields) => (await first.graphql(PASSWORD_CHANGE, given)).body.data;
    expect(await change({ current: WRONG, new: NEW_PASSWORD })).toMatchObject({
      passwordChange: { viewer: null, userErrors: [{ rule: 'wrong_password', path: ['current'] }] },
    });
    expect(await change({ current: PASSWORD, new: 'short' })).toMatchObject({
      passwordChange: { viewer: null, userErrors: [{ rule: 'too_short', path: ['new'] }] },
    });
    expect(await change({ current: PASSWORD, new: NEW_PASSWORD })).toMatchObject({
      passwordChange: { viewer: { user: { email } }, userErrors: [] },
    });
    expect(await isIn(first)).toBe(true);
    await expect(signedIn(server.url, email)).rejects.toThrow('could not sign in');
  });
});

const SET = `mutation ($preferences: JSON!) { preferencesSet(preferences: $preferences) {
  viewer { preferences } userErrors { code path } } }`;

it('preferences are of the user, in all sessions', async () => {
  const { first, second } = await twoBrowsers(server);
  expect((await first.graphql('{ viewer { preferences } }')).body.data).toEqual({
    viewer: { preferences: {} },
  });
  const preferences = { theme: 'dark', columns: { devices: ['serial', 'número'] } };
  await first.graphql(SET, { preferences });
  expect((await second.graphql('{ viewer { preferences } }')).body.data).toEqual({
    viewer: { preferences },
  });
  for (const wrong of [['a list'], 'a text', { long: 'x'.repeat(16 * 1024) }, { nul: '\0' }]) {
    expect((await first.graphql(SET, { preferences: wrong })).body.data).toMatchObject({
      preferencesSet: { viewer: null, userErrors: [{ code: 'INVALID' }] },
    });
  }
});
