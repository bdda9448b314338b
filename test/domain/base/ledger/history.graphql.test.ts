import { expect, it } from 'vitest';

import { createGroup } from '../../../../src/domain/fleet/group/group.service.js';
import { localCaller } from '../../../../src/platform/requests.js';
import { signedIn } from '../../../support/console.js';
import { answered, changed, nodeId, statementsFor } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { addPerson, failSignIns } from '../../../support/people.js';
import { lookAgain, newRollout, rolloutFleet } from '../../../support/rollouts.js';
import { sell } from '../../../support/sales.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';
import { newTerminal, report } from '../../../support/terminals.js';

const server = useServer({ rateLimitPerHour: 100_000 });

const LEDGER = `query ($filter: LedgerEntryFilter, $first: Int) {
  ledger(first: $first, filter: $filter, orderBy: { field: SEQUENCE, direction: DESC }) {
    totalCount nodes { action entityKind entityName actorKind tokenName jobId changes { field recordIds } } } }`;

interface Entry extends Fields {
  readonly entityKind: string;
  readonly actorKind: string;
}

async function entries(member: Member, filter: Fields = {}, first = 30) {
  const { ledger } = await answered<{
    ledger: { readonly totalCount: number; readonly nodes: readonly Entry[] };
  }>(member, LEDGER, { filter, first });
  return ledger;
}

const lastOf = async (entityKind: string, filter: Fields = {}): Promise<Entry | undefined> =>
  (await entries(server.acme, { entityKind: { eq: entityKind }, ...filter }, 1)).nodes[0];

it('says of each change who has made it', async () => {
  const { acme } = server;
  const { email, user } = await addPerson(server, { acme: 'admin' });
  const { graphql } = await signedIn(server.url, email);
  await graphql('mutation { groupCreate(input: { name: "by a person" }) { group { id } } }');
  expect(await lastOf('GROUP')).toMatchObject({
    actorKind: 'PERSON',
    tokenName: null,
    entityName: 'by a person',
  });

  const CREATE = `mutation { apiTokenCreate(input: { name: "back office", scopes: [READ, WRITE] }) { token } }`;
  const { token } = await changed<{ readonly token: string }>(acme, CREATE);
  const asToken = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const query = 'mutation { groupCreate(input: { name: "by a token" }) { group { id } } }';
  await fetch(`${server.url}/graphql`, { method: 'POST', headers: asToken, body: JSON.stringify({ query }) });
  expect(await lastOf('GROUP')).toMatchObject({ actorKind: 'TOKEN', tokenName: 'back office' });

  const { token: ofTerminal, id: deviceId } = await newTerminal(acme, 'T-1');
  const bulk = `mutation { deviceBulkChange(target: { ids: ["${nodeId('Device', deviceId)}"] }, change: { enabled: true })
    { job { id } userErrors { message } } }`;
  await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: asToken,
    body: JSON.stringify({ query: bulk }),
  });
  await server.app.steps.idle();
  expect(await lastOf('JOB')).toMatchObject({ action: 'end', actorKind: 'TOKEN', tokenName: 'back office' });
  await report(server, ofTerminal, { meta: { battery_level: '70' } });
  expect(await lastOf('DEVICE')).toMatchObject({
    action: 'report',
    actorKind: 'TERMINAL',
    entityName: 'T-1',
  });

  const operator = localCaller({ ...acme.caller, timeZone: 'UTC' });
  await server.app.units.write(operator, (work) => createGroup(work, { name: 'by a command' }));
  expect(await lastOf('GROUP')).toMatchObject({ actorKind: 'COMMAND_LINE', entityName: 'by a command' });

  await newRollout(acme, (await rolloutFleet(server, acme, 2, 'acting')).input());
  await lookAgain(server);
  expect(await lastOf('ROLLOUT', { actionKind: { eq: 'START_WAVE' } })).toMatchObject({
    actorKind: 'SERVER',
  });
  await failSignIns(server, email, 1);
  expect(await lastOf('SIGN_IN', { entityId: { eq: user.id } })).toMatchObject({
    action: 'sign_in_failed',
    actorKind: 'UNKNOWN',
  });
});

it('leaves out payments, and changes by jobs, unless they are asked for', async () => {
  const { acme } = server;
  const at = server.clock.now().getTime();
  await sell(server, acme, [{ serialNumber: 'T-9', sale: 'approved', at }]);
  const all = await entries(acme, {}, 100);
  expect(all.nodes.map(({ entityKind }) => entityKind)).toContain('TRANSACTION');
  expect(all.nodes.find(({ entityKind }) => entityKind === 'TRANSACTION')?.jobId).toBeNull();
  const { nodes, totalCount } = await entries(acme, { routine: { eq: false } }, 100);
  expect(nodes.map(({ entityKind }) => entityKind)).not.toContain('TRANSACTION');
  const routine = await entries(acme, { routine: { eq: true } }, 100);
  expect(totalCount + routine.totalCount).toBe(all.totalCount);
  const ofRequests = await entries(acme, { jobId: { isNull: true } }, 100);
  expect(ofRequests.nodes.map(({ entityKind }) => entityKind)).toContain('TRANSACTION');
});

it('knows the names of deleted records, in a constant number of statements, for their company only', async () => {
  const { acme, beta } = server;
  const groups: number[] = [];
  for (const name of ['kept', 'gone', 'gone too']) groups.push(await fleet.group(acme.client, name));
  const [version = 0] = await fleet.appVersions(acme.client, 1, groups.slice(0, 1));
  for (const name of ['gone', 'gone%20too']) await acme.client.delete(`groups/${name}`);
  const ids = [...groups.map((id) => nodeId('Group', id)), nodeId('AppVersion', version)];
  const NAMES = 'query ($ids: [ID!]!) { recordNames(ids: $ids) { name } }';
  const { recordNames } = await answered<{ recordNames: readonly { readonly name: string }[] }>(acme, NAMES, {
    ids,
  });
  const names = recordNames.map(({ name }) => name);
  expect(names.slice(0, 3).toSorted()).toEqual(['gone', 'gone too', 'kept']);
  expect(names[3]).toMatch(/^\S.* \S+$/);
  expect(await answered(beta, NAMES, { ids })).toEqual({ recordNames: [] });
  const statements = (asked: readonly string[]) => statementsFor(server, acme, NAMES, { ids: asked });
  expect((await statements(ids)).length).toBe((await statements([ids[0] ?? '', ids[3] ?? ''])).length);
  const many = Array.from({ length: 101 }, (_, n) => nodeId('Group', n + 1));
  const { body } = await acme.graphql(NAMES, { ids: many });
  expect(body.errors?.[0]?.message).toBe('recordNames takes at most 100 ids, not 101.');
});
