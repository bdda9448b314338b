import { afterAll, beforeAll, expect, it } from 'vitest';

import type { Server } from '../../../../src/app/server.js';
import { removeMember } from '../../../../src/domain/people/user/member.service.js';
import { getUser } from '../../../../src/domain/people/user/user.service.js';
import { openBrowser, SIGN_IN, signedIn } from '../../../support/console.js';
import { nodeId } from '../../../support/dashboard.js';
import { addPerson, PASSWORD } from '../../../support/people.js';
import { openServer, useServer } from '../../../support/server.js';

const server = useServer();
let other: Server;
let url: string;
beforeAll(async () => {
  other = await openServer(server.place.url);
  url = await other.start();
});
afterAll(() => other.stop(1_000));

it('a session of one node counts at another, and ends there when it is ended', async () => {
  const { email } = await addPerson(server, { acme: 'admin', beta: 'viewer' });
  const here = await signedIn(server.url, email);
  const there = openBrowser(url);
  there.cookie = here.cookie;
  const company = async () =>
    (await there.graphql<{ viewer: { company: { name: string } } }>('{ viewer { company { name } } }')).body
      .data.viewer.company.name;
  expect(await company()).toBe('Acme Pagamentos');
  const companies = await here.graphql<{ viewer: { companies: { company: { id: string } }[] } }>(
    '{ viewer { companies { company { id } } } }',
  );
  const id = companies.body.data.viewer.companies[1]?.company.id;
  await here.graphql('mutation ($id: ID!) { companySwitch(companyId: $id) { userErrors { code } } }', { id });
  // The other node may not know of the switch yet, but looks when a page names the new company.
  const named = { headers: { 'x-company': id ?? '' } };
  expect((await there.graphql('{ viewer { company { name } } }', {}, named)).body.data).toEqual({
    viewer: { company: { name: 'Beta Cards' } },
  });
  await expect.poll(company, { timeout: 5_000 }).toBe('Beta Cards');
  await here.graphql('mutation { signOut { userErrors { code } } }');
  await expect.poll(async () => (await there.graphql('{ __typename }')).status, { timeout: 5_000 }).toBe(401);
});

/** Removes a person from a company while `meanwhile` waits for a lock of the database. */
async function whileRemoved<T>(
  company: 'acme' | 'beta',
  userId: number,
  meanwhile: () => Promise<T>,
): Promise<T> {
  const { caller } = server[company];
  return await server.app.units
    .write(caller, async (work) => {
      await removeMember(work, await getUser(work, userId));
      const result = meanwhile();
      const waiting =
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await expect.poll(() => server.place.sql(waiting)).toHaveLength(1);
      return { result };
    })
    .then(({ result }) => result);
}

it('a membership that is removed meanwhile lets neither a switch nor a sign-in through', async () => {
  const SWITCH = `mutation ($id: ID!) { companySwitch(companyId: $id) {
    viewer { company { name } } userErrors { code message } } }`;
  const id = nodeId('Company', server.beta.caller.companyId);
  for (const [removed, message] of [
    ['beta', 'No such company.'],
    ['acme', 'No such session.'],
  ] as const) {
    const { user, email } = await addPerson(server, { acme: 'viewer', beta: 'viewer' });
    const browser = await signedIn(server.url, email);
    const { body } = await whileRemoved(removed, user.id, () => browser.graphql(SWITCH, { id }));
    expect(body).toMatchObject({
      data: { companySwitch: { viewer: null, userErrors: [{ code: 'NOT_FOUND', message }] } },
    });
  }
  const { user, email } = await addPerson(server, { acme: 'viewer' });
  const { body } = await whileRemoved('acme', user.id, () =>
    openBrowser(server.url).graphql(SIGN_IN, { email, password: PASSWORD }),
  );
  expect(body).toMatchObject({ data: { signIn: { viewer: null, userErrors: [{ code: 'INVALID' }] } } });
});
