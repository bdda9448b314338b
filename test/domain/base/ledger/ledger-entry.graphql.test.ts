import { beforeAll, describe, expect, it } from 'vitest';

import { answered, nodeId, refused, type Page } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';

const server = useServer();
let operator: Member;
let device = 0;
beforeAll(async () => {
  operator = await server.member('acme', 'operator');
  device = await fleet.device(operator.client, 'TRACED');
  await operator.client.put('devices/TRACED', { enabled: false });
  await server.acme.client.delete('devices/TRACED');
  await fleet.device(server.beta.client, 'OF BETA');
});

interface Entry extends Fields {
  readonly sequence: number;
  readonly action: string;
}

const LIST = `query ($filter: LedgerEntryFilter, $orderBy: LedgerEntryOrder, $first: Int, $after: String) {
  ledger(filter: $filter, orderBy: $orderBy, first: $first, after: $after) { totalCount
    nodes { id databaseId sequence at company { name } actor { databaseId } channel action entityType entityId
      before after } pageInfo { hasNextPage endCursor } } }`;
const ledger = async (variables: Fields = {}) =>
  (
    await answered<{ ledger: Page<Entry> & { pageInfo: { hasNextPage: boolean; endCursor: string } } }>(
      server.acme,
      LIST,
      variables,
    )
  ).ledger;

describe('the ledger in GraphQL', () => {
  it('shows who changed what and when, and the record before and after', async () => {
    const { nodes, totalCount } = await ledger({ filter: { entityType: { eq: 'device' } } });
    expect(totalCount).toBe(3);
    const [created, updated, deleted] = nodes;
    expect(created).toMatchObject({
      id: nodeId('LedgerEntry', created?.sequence ?? 0),
      databaseId: created?.sequence,
      action: 'create',
      entityType: 'device',
      entityId: device,
      channel: 'API',
      actor: { databaseId: operator.caller.userId },
      company: { name: 'Acme Pagamentos' },
      before: null,
      after: { serialNumber: 'TRACED', enabled: true },
    });
    expect(updated).toMatchObject({ action: 'update', before: { enabled: true }, after: { enabled: false } });
    expect(deleted).toMatchObject({
      action: 'delete',
      after: null,
      actor: { databaseId: server.acme.caller.userId },
    });
    const at = nodes.map((entry) => String(entry.at));
    expect([...at].sort()).toEqual(at);
  });

  it.each<[string, () => Fields, string[]]>([
    [
      'an action',
      () => ({ entityType: { eq: 'device' }, action: { in: ['update', 'delete'] } }),
      ['update', 'delete'],
    ],
    ['an actor', () => ({ actorId: { eq: nodeId('User', operator.caller.userId) } }), ['create', 'update']],
    ['what is no user', () => ({ actorId: { eq: nodeId('Device', operator.caller.userId) } }), []],
    ['a time', () => ({ entityType: { eq: 'device' }, at: { lt: '2001-01-01T00:00:00Z' } }), []],
    [
      'a time not long ago',
      () => ({ entityType: { eq: 'device' }, at: { gte: '2001-01-01T00:00:00Z' } }),
      ['create', 'update', 'delete'],
    ],
  ])('is narrowed by %s', async (_case, filter, actions) => {
    const { nodes, totalCount } = await ledger({ filter: filter() });
    expect(nodes.map(({ action }) => action)).toEqual(actions);
    expect(totalCount).toBe(actions.length);
  });

  it('is read by sequence in both directions', async () => {
    const all = (await ledger()).nodes.map(({ sequence }) => sequence);
    expect([...all].sort((a, b) => a - b)).toEqual(all);
    const orderBy = { field: 'SEQUENCE', direction: 'DESC' };
    const walked: number[] = [];
    for (let after: string | null = null, more = true; more;) {
      const page: Awaited<ReturnType<typeof ledger>> = await ledger({ orderBy, first: 2, after });
      walked.push(...page.nodes.map(({ sequence }) => sequence));
      after = page.pageInfo.endCursor;
      more = page.pageInfo.hasNextPage;
    }
    expect(walked).toEqual(all.reverse());
  });

  it('is for administrators of the company', async () => {
    expect((await refused(operator, '{ ledger { totalCount } }')).code).toBe('FORBIDDEN');
    const { nodes } = await ledger({ filter: { entityType: { eq: 'device' } } });
    const id = nodes[0]?.id;
    const look = 'query ($id: ID!) { node(id: $id) { id } }';
    expect(await answered(server.acme, look, { id })).toEqual({ node: { id } });
    expect(await answered(server.beta, look, { id })).toEqual({ node: null });
    expect((await refused(operator, look, { id })).code).toBe('FORBIDDEN');
    const others = await answered<{ ledger: Page<Fields> }>(server.beta, LIST, {
      filter: { entityType: { eq: 'device' } },
    });
    expect(others.ledger.nodes).toMatchObject([{ after: { serialNumber: 'OF BETA' } }]);
  });
});
