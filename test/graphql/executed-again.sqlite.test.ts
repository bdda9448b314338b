import { beforeAll, describe, expect, it } from 'vitest';

import { answered, nodeId } from '../support/dashboard.js';
import { insertRows } from '../support/databases/rows.js';
import { fleet } from '../support/fleet.js';
import { ask, openKnown } from '../support/raw-socket.js';
import { useServer } from '../support/use-server.js';

const DEVICES = 100_000;
/** Entries of an operation that shows the parameters of a group below each of its numbers. */
const [NUMBERS, PARAMETERS] = [11, 1_000];

const server = useServer({}, { examining: { deadlineMs: 100 } });
beforeAll(async () => {
  const { companyId } = server.acme.caller;
  await insertRows(
    server.place,
    'devices',
    Array.from({ length: DEVICES }, (_, n) => ({
      ...{ company_id: companyId, id: n + 1, serial_number: `SN-${n + 1}`, enabled: true, meta: '{}' },
      ...{ revision: 1, created_at: new Date(n + 1), updated_at: new Date(n + 1), created_via: 'api' },
    })),
  );
  const { client } = server.beta;
  const group = await fleet.group(client, 'wide');
  const rows = Array.from({ length: PARAMETERS }, (_, n) => ({
    ...{ owner: { groupId: nodeId('Group', group) }, key: `k${n}`, value: 'v' },
  }));
  const set = 'mutation ($rows: [ParameterBulkSetRow!]!) { parameterBulkSet(rows: $rows) { count } }';
  await answered(server.beta, set, { rows });
  for (let n = 0; n < NUMBERS; n += 1) await fleet.logicalNumber(client, `n ${n}`, { group_id: group });
});

/** By the statement that finds out, or fails. */
const OPERATIONS = {
  'at its deadline': {
    member: () => server.acme,
    query: `{ devices(filter: { or: [${Array.from({ length: 99 }, (_, n) => `{ serialNumber: { contains: "none ${n}" } }`).join()}] }) { totalCount } }`,
    statement: /instr\(/,
    code: 'DEADLINE_EXCEEDED',
  },
  'beyond its budget': {
    member: () => server.beta,
    query: `{ logicalNumbers(first: ${NUMBERS}) { nodes { number effectiveParameters { key value } } } }`,
    statement: /parameters/,
    code: 'BAD_USER_INPUT',
  },
} as const;

describe.each(Object.entries(OPERATIONS))('an operation that fails %s', (_when, operation) => {
  const { query, statement, code } = operation;
  const ways = {
    'over HTTP': async () => (await operation.member().graphql(query)).text,
    'over a socket': async () => {
      const raw = await openKnown(server, operation.member().token);
      const answer = JSON.stringify(await ask(raw, query));
      raw.socket.close();
      return answer;
    },
    'over a stream': async () => {
      const headers = { authorization: `Bearer ${operation.member().token}`, accept: 'text/event-stream' };
      const url = `${server.url}/graphql/stream?query=${encodeURIComponent(query)}`;
      return await (await fetch(url, { headers })).text();
    },
  };

  it.each(Object.entries(ways))(
    'examines once %s, though its errors need a second execution',
    async (_way, send) => {
      const { result, statements } = await server.statements(send);
      expect(result).toContain(`"code":"${code}"`);
      const examining = statements.filter((sent) => statement.test(sent));
      expect(examining).toHaveLength(1);
    },
  );
});
