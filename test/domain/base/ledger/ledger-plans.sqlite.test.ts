import Sqlite from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';

import { answered, nodeId, type Page } from '../../../support/dashboard.js';
import { fileOf } from '../../../support/databases/sqlite-place.js';
import { populate } from '../../../support/populated.js';
import { planOf } from '../../../support/query-plan.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();
beforeAll(async () => {
  await populate(server, server.acme, 3);
});

const LIST = `query ($filter: LedgerEntryFilter, $orderBy: LedgerEntryOrder, $first: Int, $after: String) {
  ledger(filter: $filter, orderBy: $orderBy, first: $first, after: $after) { totalCount
    nodes { sequence entity { __typename } } pageInfo { endCursor } } }`;
const ledger = async (variables: Fields) =>
  (
    await answered<{ ledger: Page<Fields> & { pageInfo: { endCursor: string } } }>(
      server.acme,
      LIST,
      variables,
    )
  ).ledger;

describe('a filtered ledger', () => {
  const device1 = { entityType: { eq: 'device' }, entityId: { eq: 1 } };
  const actor = { actorId: { eq: nodeId('User', 1) } };
  const at = { at: { gte: '2026-01-01T00:00:00Z', lt: '2026-01-02T00:00:00Z' } };
  it.each<[string, Fields, string]>([
    ['nothing', {}, 'ledger_of_company'],
    ['entityType and entityId', device1, 'ledger_by_entity_id_entity_type_sequence'],
    ['entityId', { entityId: { eq: 1 } }, 'ledger_by_entity_id_entity_type_sequence'],
    ['entityIds', { entityId: { in: [1, 2] } }, 'ledger_by_entity_id_entity_type_sequence'],
    ['entityType', { entityType: { eq: 'device' } }, 'ledger_by_entity_type_sequence'],
    ['action', { action: { eq: 'delete' } }, 'ledger_by_action_sequence'],
    ['actorId', actor, 'ledger_by_user_id_sequence'],
    ['at', at, 'ledger_by_at_sequence'],
    ['record and actor', { ...device1, ...actor }, 'ledger_by_entity_id_entity_type_sequence'],
    [
      'record and action',
      { ...device1, action: { eq: 'update' } },
      'ledger_by_entity_id_entity_type_sequence',
    ],
    ['record and time', { ...device1, ...at }, 'ledger_by_entity_id_entity_type_sequence'],
  ])('LS-04 by %s is looked up in an index, page by page (%j)', async (_what, filter, index) => {
    const database = new Sqlite(fileOf(server.place));
    try {
      for (const direction of ['ASC', 'DESC']) {
        const orderBy = { field: 'SEQUENCE', direction };
        const { endCursor } = (await ledger({ orderBy, first: 1 })).pageInfo;
        for (const after of [null, endCursor]) {
          const { statements } = await server.statements(() => ledger({ filter, orderBy, first: 1, after }));
          for (const statement of statements.filter((sql) => sql.includes('"ledger" as t'))) {
            const steps = planOf(database, statement).filter((step) => step.includes(' t '));
            const used = steps.map((step) => /INDEX (\w+) \(company_id=\?/.exec(step)?.[1] ?? 'none');
            expect(used, `${statement}\n${steps.join('\n')}`).toEqual([index]);
          }
        }
      }
    } finally {
      database.close();
    }
  });
});
