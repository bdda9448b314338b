import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createSchema } from '../../../src/app/schema.js';
import { GraphqlContext } from '../../../src/graphql/execution/context.js';
import { createAdmission } from '../../../src/graphql/limits/admission.js';
import { Operation } from '../../../src/graphql/live/operation.js';
import { audited, insertMany } from '../../support/databases/rows.js';
import { watchOperations } from '../../../src/http/monitoring/operation-watch.js';
import { fleet } from '../../support/fleet.js';
import { ask, openKnown } from '../../support/raw-socket.js';
import { startServer, type TestServer } from '../../support/server.js';
import { turnsOf } from '../../support/turns.js';
import { servicesOf } from '../operation-services.js';

const [GROUPS, NUMBERS] = [30, 100];

const schema = await createSchema();

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  const { client, caller } = server.acme;
  const { companyId } = caller;
  for (let n = 0; n < GROUPS; n += 1) {
    const group = await fleet.group(client, `g${n}`);
    await insertMany(server.place, ['logical_numbers', companyId, NUMBERS], (i) => ({
      ...{ number: `${n}-${i}`, group_id: group },
      ...audited(caller.userId),
    }));
  }
});
afterAll(async () => {
  await server.stop();
});

/** Fields with values of each logical number. */
const FIELDS = ['id', 'databaseId', 'number', 'createdAt', 'updatedAt', 'revision'];
const listOf = (groups: number): string =>
  `{ groups(first: ${groups}) { nodes { name logicalNumbers(first: ${NUMBERS}) { nodes { ${FIELDS.join(' ')} } } } } }`;

const numbersIn = (text: string): number => text.match(/"databaseId":/g)?.length ?? 0;

const WAYS = {
  'a socket': async (query: string) => {
    const raw = await openKnown(server, server.acme.token);
    const answer = JSON.stringify(await ask(raw, query));
    raw.socket.close();
    return answer;
  },
  'a stream': async (query: string) => {
    const headers = { authorization: `Bearer ${server.acme.token}`, accept: 'text/event-stream' };
    const url = `${server.url}/graphql/stream?query=${encodeURIComponent(query)}`;
    return await (await fetch(url, { headers })).text();
  },
};

describe('3,000 records', () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  beforeAll(() => process.on('warning', note));
  afterAll(() => {
    process.off('warning', note);
    // Node warns of more listeners than it expects, for example of a response.
    expect(warnings).toEqual([]);
  });

  it.each(Object.entries(WAYS))('over %s take as many statements as 100', async (_way, send) => {
    await send(listOf(1));
    const one = await server.statements(() => send(listOf(1)));
    const all = await server.statements(() => send(listOf(GROUPS)));
    expect([numbersIn(one.result), numbersIn(all.result)]).toEqual([NUMBERS, GROUPS * NUMBERS]);
    expect(all.statements).toHaveLength(one.statements.length);
  });

  /** An operation as sockets and streams execute it. */
  function operationOf(query: string): Operation {
    const ignore = (): void => undefined;
    const observer = {
      streamOpened: ignore,
      streamClosed: ignore,
      eventSent: ignore,
      operationEnded: ignore,
      follow: () => ignore,
      watch: watchOperations({ countOperation: ignore }, null, server.clock),
    };
    const rules = { development: false, allowList: null, sensitiveMutations: [] };
    const admission = createAdmission({ schema, ...rules });
    const context = (): Promise<GraphqlContext> =>
      Promise.resolve(new GraphqlContext(server.acme.caller, servicesOf(server)));
    return new Operation(
      { schema, admission, clock: server.clock, observer, development: false, onError: ignore },
      { transport: 'websocket', requestId: 'r', lastSeen: null, context },
      { query, variables: {}, operationName: null },
    );
  }

  it('are shown in a turn of the event loop for each of their fields', async () => {
    const { result, turns } = await turnsOf(() => operationOf(listOf(GROUPS)).outcomes().next());
    expect(numbersIn(JSON.stringify(result.value))).toBe(GROUPS * NUMBERS);
    expect(turns).toBeGreaterThanOrEqual(FIELDS.length);
    const few = await turnsOf(() => operationOf(listOf(1)).outcomes().next());
    expect(few.turns).toBeLessThan(FIELDS.length);
  });
});
