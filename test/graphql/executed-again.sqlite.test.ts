import { beforeAll, describe, expect, it } from 'vitest';

import { answered, nodeId } from '../support/dashboard.js';
import { audited, insertMany } from '../support/databases/rows.js';
import { fleet } from '../support/fleet.js';
import { useServer } from '../support/server.js';
import { TRANSPORTS } from '../support/transports.js';

const DEVICES = 100_000;
/** Entries of an operation that shows the parameters of a group below each of its numbers. */
const [NUMBERS, PARAMETERS] = [11, 1_000];

const server = useServer({}, { examining: { deadlineMs: 100 } });
beforeAll(async () => {
  await insertMany(server.place, ['devices', server.acme.caller.companyId, DEVICES], (n) => ({
    serial_number: `SN-${n}`,
    enabled: true,
    meta: '{}',
    ...audited(null),
  }));
  const { client } = server.beta;
  const group = await fleet.group(client, 'wide');
  const rows = Array.from({ length: PARAMETERS }, (_, n) => ({
    owner: { groupId: nodeId('Group', group) },
    key: `k${n}`,
    value: 'v',
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
  it.each(Object.entries(TRANSPORTS))(
    'examines once over %s, though its errors need a second execution',
    async (_way, send) => {
      const { result, statements } = await server.statements(() => send(server, operation.member(), query));
      expect(result).toContain(`"code":"${code}"`);
      expect(statements.filter((sent) => statement.test(sent))).toHaveLength(1);
    },
  );
});
