import 'reflect-metadata';
import { beforeAll, describe, expect, it } from 'vitest';

import { createSchema } from '../../../src/app/graphql/schema.js';
import { GraphqlContext } from '../../../src/graphql/execution/context.js';
import { createAdmission } from '../../../src/graphql/limits/admission.js';
import type { Message } from '../../../src/graphql/live/events.js';
import { LiveOperation } from '../../../src/graphql/live/operation.js';
import { watchOperations } from '../../../src/http/monitoring/operation-watch.js';
import { turnsOf } from '../../support/turns.js';
import { useServer } from '../../support/use-server.js';
import { servicesOf } from '../operation-services.js';
import { addNumbers, GROUPS, listOf, NUMBERS, numbersIn } from './many-records.js';

const schema = await createSchema();

const server = useServer();
beforeAll(async () => {
  await addNumbers(server);
});

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
  const admission = createAdmission({ schema, ...rules });
  const context = (): Promise<GraphqlContext> =>
    Promise.resolve(new GraphqlContext(server.acme.caller, servicesOf(server)));
  return new LiveOperation(
    { schema, admission, clock: server.clock, observer, development: false, onError: ignore },
    { transport: 'websocket', requestId: 'r', lastSeen: null, context },
    { query, variables: {}, operationName: null },
  );
}

describe('3,000 records', () => {
  it('are made into text while others have turns, as many as the time that it takes', async () => {
    const numbers = GROUPS * NUMBERS;
    const { result, turns } = await turnsOf(() => operationOf(listOf(GROUPS)).messages().next());
    expect(numbersIn((result.value as readonly [Message])[0].payload)).toBe(numbers);
    expect(turns).toBeGreaterThanOrEqual(2);
    const few = await turnsOf(() => operationOf(listOf(1)).messages().next());
    expect(few.turns).toBeLessThan(6);
  });
});
