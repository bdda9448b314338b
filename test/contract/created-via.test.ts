import { isEnumType } from 'graphql';
import { createClient as createSocketClient } from 'graphql-ws';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

import { createSchema } from '../../src/app/graphql/schema.js';
import { useServer } from '../support/use-server.js';

const server = useServer();

const create = (name: string): string =>
  `mutation { groupCreate(input: { name: "${name}" }) { userErrors { message } } }`;

const WAYS: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  REST: (name) => server.acme.client.post('groups', { name }),
  'GraphQL over HTTP': (name) => server.acme.graphql(create(name)),
  'GraphQL over a stream': async (name) => {
    const reply = await server.acme.client.post(
      '/graphql/stream',
      { query: create(name) },
      { headers: { accept: 'text/event-stream' } },
    );
    expect(reply.text).toContain('"userErrors":[]');
  },
  'GraphQL over a socket': async (name) => {
    const client = createSocketClient({
      url: `${server.url.replace('http', 'ws')}/graphql`,
      connectionParams: { accessToken: server.acme.token },
      webSocketImpl: WebSocket,
    });
    for await (const result of client.iterate({ query: create(name) })) expect(result.errors).toBeUndefined();
    await client.dispose();
  },
};

describe('contract 29: a record says through what it was created', () => {
  it.each(Object.keys(WAYS))('%s is the channel `api`', async (way) => {
    const name = `by ${way}`;
    await WAYS[way]?.(name);
    const record = (await server.acme.client.get(`groups/${encodeURIComponent(name)}`)).record('group');
    expect(record.created_via).toBe('api');
    const { body } = await server.acme.graphql(
      `{ group(name: "${name}") { createdVia } ledger(last: 1) { nodes { action channel } } }`,
    );
    expect(body.data).toEqual({
      group: { createdVia: 'API' },
      ledger: { nodes: [{ action: 'create', channel: 'API' }] },
    });
  });

  it('the schema describes the channels so', async () => {
    const type = (await createSchema()).getType('Channel');
    const described = isEnumType(type)
      ? type.getValues().map(({ name, description }) => [name, description])
      : [];
    expect(described).toEqual([
      ['API', 'REST, GraphQL with a token (over HTTP, sockets or streams), or the command line.'],
      ['INTERFACE', 'A console that people work in.'],
    ]);
  });
});
