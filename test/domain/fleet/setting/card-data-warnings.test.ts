import { beforeAll, describe, expect, it } from 'vitest';

import { changed, nodeId } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { useServer, type Fields, type Reply } from '../../../support/server.js';

const VISA = '4111111111111111';
const warning = 'It looks like a card number or another secret of a card.';
const ofField = (field: string): unknown => expect.stringContaining(`${field}: ${warning}`);

const server = useServer();
let number = 0;
beforeAll(async () => {
  number = await fleet.logicalNumber(server.acme.client, '1');
});

const warningOf = ({ headers }: Reply): unknown => headers.get('x-warning') ?? undefined;

describe('RU-62 card data in the own words of an operator is stored unchanged, with a warning', () => {
  it.each([
    ['parameter', VISA, '0200'],
    ['metacontent', { deep: [{ [VISA]: 1 }] }, { deep: [1.5] }],
  ])('%s over REST', async (name, value, ordinary) => {
    const { client } = server.acme;
    const headers = { 'idempotency-key': `warned ${name}`.replace(' ', '-') };
    const sent = { number: '1', key: name, value };
    const created = await client.post(`${name}s`, sent, { headers });
    expect([created.status, warningOf(created)]).toEqual([201, ofField('value')]);
    const record = created.record(`logical_number_${name}`);
    expect(record.value).toEqual(value);
    const replayed = await client.post(`${name}s`, sent, { headers });
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(warningOf(replayed)).toEqual(ofField('value'));
    const put = (fields: Fields): Promise<Reply> =>
      client.put(`${name}s/${String(record.id)}`, { number: '1', ...fields });
    expect(warningOf(await put({ key: `${name} 2` }))).toBeUndefined();
    expect(warningOf(await put({ value: ordinary }))).toBeUndefined();
    expect(warningOf(await put({ value }))).toEqual(ofField('value'));
  });

  it('a notification over REST', async () => {
    const sent = { range: 'specific_logical_numbers', logical_numbers: ['1'] };
    const send = (content: string): Promise<Reply> =>
      server.acme.client.post('notifications', { ...sent, content });
    const reply = await send(`Card ${VISA} was lost`);
    const message = 'The notification was received and queued for processing.';
    expect([reply.status, reply.body, warningOf(reply)]).toEqual([201, { message }, ofField('content')]);
    expect(warningOf(await send('Closed on Sunday'))).toBeUndefined();
    const { text } = await server.acme.client.get('notifications');
    expect(text).toContain(VISA);
  });

  it('all of them over GraphQL', async () => {
    const owner = { logicalNumberId: nodeId('LogicalNumber', number) };
    const mutate = async (name: string, input: Fields, argument = 'input'): Promise<unknown> => {
      const type = argument === 'rows' ? '[ParameterBulkSetRow!]!' : `${name}Input!`;
      const field = name.charAt(0).toLowerCase() + name.slice(1);
      const mutation = `mutation ($given: ${type}) { ${field}(${argument}: $given) {
        warnings userErrors { message } } }`;
      const { warnings, userErrors } = await changed<Fields>(server.acme, mutation, { given: input });
      expect(userErrors).toEqual([]);
      return warnings;
    };
    const target = { logicalNumbers: ['1'] };
    expect(await mutate('ParameterCreate', { owner, key: 'a', value: VISA })).toEqual([ofField('value')]);
    expect(await mutate('ParameterCreate', { owner, key: 'b', value: 'x' })).toEqual([]);
    expect(await mutate('MetacontentCreate', { owner, key: 'a', value: [Number(VISA)] })).toEqual([
      ofField('value'),
    ]);
    expect(await mutate('NotificationSend', { content: VISA, target })).toEqual([ofField('content')]);
    const rows = ['x', VISA].map((value, n) => ({ owner, key: `row ${n}`, value }));
    expect(await mutate('ParameterBulkSet', rows as unknown as Fields, 'rows')).toEqual([
      ofField('rows.1.value'),
    ]);
  });

  it.each(['device', 'logicalNumber'])('%sBulkChange', async (record) => {
    const type = record.charAt(0).toUpperCase() + record.slice(1);
    const mutation = `mutation ($change: ${type}BulkChangeInput!, $dryRun: Boolean) {
      ${record}BulkChange(target: { all: true }, change: $change, dryRun: $dryRun) { warnings } }`;
    const warnings = async (value: string, dryRun = false): Promise<unknown> =>
      await changed(server.acme, mutation, { change: { parameter: { key: 'many', value } }, dryRun });
    expect(await warnings(VISA)).toEqual({ warnings: [ofField('change.parameter.value')] });
    for (const none of [await warnings('x'), await warnings(VISA, true)])
      expect(none).toEqual({ warnings: [] });
  });

  it('has no warnings where nothing was changed', async () => {
    const mutation = `mutation ($input: ParameterCreateInput!) { parameterCreate(input: $input) {
      warnings userErrors { code } } }`;
    const input = { owner: { logicalNumberId: nodeId('LogicalNumber', 999) }, key: 'a', value: VISA };
    const payload = await changed<Fields>(server.acme, mutation, { input });
    expect(payload).toMatchObject({ warnings: [], userErrors: [{}] });
  });
});
