import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { GraphqlContext } from '../../../src/graphql/execution/context.js';
import { Admission } from '../../../src/graphql/limits/admission.js';
import { LiveOperation, type Message } from '../../../src/graphql/live/operation.js';
import { watchOperations } from '../../../src/http/monitoring/operations.js';
import { audited, insertMany } from '../../support/databases/rows.js';
import { fleet } from '../../support/fleet.js';
import { useServer } from '../../support/server.js';
import { TRANSPORTS } from '../../support/transports.js';
import { turnsOf } from '../../support/turns.js';
import { schema, servicesOf } from '../ways.js';

const [GROUPS, NUMBERS] = [30, 100];

const server = useServer();
beforeAll(async () => {
  const { client, caller } = server.acme;
  for (let n = 0; n < GROUPS; n += 1) {
    const group = await fleet.group(client, `g${n}`);
    await insertMany(server.place, ['logical_numbers', caller.companyId, NUMBERS], (i) => ({
      number: `${n}-${i}`,
      group_id: group,
      ...audited(caller.userId),
    }));
  }
});

const NAMES = ['id', 'databaseId', 'number', 'createdAt', 'updatedAt', 'revision'];
/** Fields of each logical number: 36, so that 3,000 records take many turns on a fast machine as well. */
const FIELDS = [
  NAMES,
  ...['a', 'b', 'c', 'd', 'e'].map((copy) => NAMES.map((name) => `${name}${copy}: ${name}`)),
].flat();

const listOf = (groups: number): string =>
  `{ groups(first: ${groups}) { nodes { name logicalNumbers(first: ${NUMBERS}) { nodes { ${FIELDS.join(' ')} } } } } }`;
const numbersIn = (text: string): number => text.match(/"databaseId":/g)?.length ?? 0;

/** An operation as sockets and streams execute it. */
function operationOf(query: string): LiveOperation {
  const ignore = (): void => undefined;
  const observer = {
    streamOpened: ignore,
    streamClosed: ignore,
    eventsSent: ignore,
    operationEnded: ignore,
    follow: () => ignore,
    watch: watchOperations({ countOperation: ignore }, null, server.clock),
  };
  const rules = { development: false, allowList: null, sensitiveMutations: [] };
  const admission = new Admission({ schema, ...rules });
  const context = (): Promise<GraphqlContext> =>
    Promise.resolve(new GraphqlContext(server.acme.caller, servicesOf(server)));
  return new LiveOperation(
    { schema, admission, clock: server.clock, observer, development: false, onError: ignore },
    { transport: 'websocket', requestId: 'r', lastSeen: null, stop: new AbortController(), context },
    { query, variables: {}, operationName: null },
  );
}

describe('3,000 records', () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  beforeAll(() => process.on('warning', note));
  afterAll(() => {
    process.off('warning', note);
    // Node warns of more listeners than it expects, for example of a response.
    expect(warnings).toEqual([]);
  });

  it.each(Object.entries(TRANSPORTS))('over %s take as many statements as 100', async (_way, send) => {
    const ask = (groups: number) => send(server, server.acme, listOf(groups));
    await ask(1);
    const one = await server.statements(() => ask(1));
    const all = await server.statements(() => ask(GROUPS));
    expect([numbersIn(one.result), numbersIn(all.result)]).toEqual([NUMBERS, GROUPS * NUMBERS]);
    expect(all.statements).toHaveLength(one.statements.length);
  });

  it('are made into text while others have turns, as many as the time that it takes', async () => {
    const { result, turns } = await turnsOf(() => operationOf(listOf(GROUPS)).messages().next());
    expect(numbersIn((result.value as readonly [Message])[0].payload)).toBe(GROUPS * NUMBERS);
    expect(turns).toBeGreaterThanOrEqual(2);
    const few = await turnsOf(() => operationOf(listOf(1)).messages().next());
    expect(few.turns).toBeLessThan(6);
  });
});
