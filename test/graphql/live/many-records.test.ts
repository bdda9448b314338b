import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ask, openKnown } from '../../support/raw-socket.js';
import { useServer } from '../../support/use-server.js';
import { addNumbers, GROUPS, listOf, NUMBERS, numbersIn } from './many-records.js';

const server = useServer();
beforeAll(async () => {
  await addNumbers(server);
});

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
});
