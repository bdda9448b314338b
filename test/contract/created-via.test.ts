import { isEnumType } from 'graphql';
import { describe, expect, it } from 'vitest';

import { createSchema } from '../../src/app/graphql/schema.js';
import { useServer } from '../support/server.js';
import { TRANSPORTS } from '../support/transports.js';

const server = useServer();

const create = (name: string): string =>
  `mutation { groupCreate(input: { name: "${name}" }) { userErrors { message } } }`;

const GRAPHQL = Object.entries(TRANSPORTS).map(
  ([transport, send]) =>
    [`GraphQL over ${transport}`, (name: string) => send(server, server.acme, create(name))] as const,
);

describe('contract 29: a record says through what it was created', () => {
  it.each([['REST', (name: string) => server.acme.client.post('groups', { name })] as const, ...GRAPHQL])(
    '%s is the channel `api`',
    async (way, send) => {
      const name = `by ${way}`;
      await send(name);
      const record = (await server.acme.client.get(`groups/${encodeURIComponent(name)}`)).record('group');
      expect(record.created_via).toBe('api');
      const { body } = await server.acme.graphql(
        `{ group(name: "${name}") { createdVia } ledger(last: 1) { nodes { action channel } } }`,
      );
      expect(body.data).toEqual({
        group: { createdVia: 'API' },
        ledger: { nodes: [{ action: 'create', channel: 'API' }] },
      });
    },
  );

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
