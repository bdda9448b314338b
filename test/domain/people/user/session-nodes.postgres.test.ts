import { afterAll, beforeAll, expect, it } from 'vitest';

import type { Server } from '../../../../src/app/server.js';
import { openBrowser, signedIn } from '../../../support/console.js';
import { addPerson } from '../../../support/people.js';
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
  await expect.poll(company, { timeout: 5_000 }).toBe('Beta Cards');
  await here.graphql('mutation { signOut { userErrors { code } } }');
  await expect.poll(async () => (await there.graphql('{ __typename }')).status, { timeout: 5_000 }).toBe(401);
});
