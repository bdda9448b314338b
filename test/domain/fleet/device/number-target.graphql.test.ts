import { beforeAll, describe, expect, it } from 'vitest';

import { changed, nodeId } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import { type Fields, useServer } from '../../../support/server.js';

const server = useServer();
let appVersionIds: readonly string[] = [];

beforeAll(async () => {
  const { client } = server.acme;
  const group_id = await fleet.group(client, 'target');
  appVersionIds = (await fleet.appVersions(client, 1, [group_id])).map((id) => nodeId('AppVersion', id));
  for (const n of [1, 2, 3]) {
    const logical_number_id = await fleet.logicalNumber(client, `n ${n}`, { group_id });
    await fleet.device(client, `d ${n}`, { logical_number_id, enabled: n < 3 });
  }
  await fleet.device(client, 'd without', { enabled: true });
  const other = server.beta.client;
  const logical_number_id = await fleet.logicalNumber(other, 'n 1');
  await fleet.device(other, 'd 1', { logical_number_id });
});

interface Tried {
  readonly count: number;
  readonly examples: readonly { readonly number: string }[];
}

const CALLS: Readonly<Record<string, (target: Fields) => Fields>> = {
  notificationSend: (target) => ({ input: { content: 'Hello', target } }),
  appVersionGrant: (target) => ({ appVersionIds, target }),
};

const reached = async (name: string, target: Fields): Promise<readonly string[]> => {
  const variables = { ...CALLS[name]?.(target), dryRun: true };
  const { count, examples } = await mutated<Tried>(server.acme, name, variables, 'count examples { number }');
  expect(examples).toHaveLength(count);
  return examples.map(({ number }) => number);
};

describe.each(Object.keys(CALLS))('the target of %s', (name) => {
  it.each<[string, Fields, readonly string[]]>([
    ['a filter of logical numbers', { filter: { number: { in: ['n 1', 'n 3'] } } }, ['n 1', 'n 3']],
    ['a filter of devices', { deviceFilter: { enabled: { eq: true } } }, ['n 1', 'n 2']],
    [
      'devices of which some have no number',
      { deviceFilter: { serialNumber: { startsWith: 'd ' } } },
      ['n 1', 'n 2', 'n 3'],
    ],
  ])('is %s', async (_name, target, numbers) => {
    expect(await reached(name, target)).toEqual(numbers);
  });

  it('is refused with two of its fields, or with a filter that has no condition', async () => {
    const both = { filter: { number: { eq: 'n 1' } }, deviceFilter: { enabled: { eq: true } } };
    const path = name === 'notificationSend' ? 'input.target' : 'target';
    await expectRefused(server.acme, name, CALLS[name]?.(both) ?? {}, `INVALID ${path}`, /exactly one of/);
    const empty = CALLS[name]?.({ deviceFilter: { enabled: {} } }) ?? {};
    await expectRefused(
      server.acme,
      name,
      empty,
      `INVALID ${path}.deviceFilter.enabled`,
      /must not be empty/,
    );
    const foreign = { deviceFilter: { logicalNumberId: { eq: nodeId('LogicalNumber', 4_711) } } };
    await expectRefused(
      server.acme,
      name,
      CALLS[name]?.(foreign) ?? {},
      `INVALID ${path}.deviceFilter`,
      /ids of logical numbers/,
    );
  });
});

it('a notification is refused if a variable of its filter has no value, and sent to the devices of a filter', async () => {
  const query = `mutation ($serial: TextComparator) { notificationSend(input: { content: "Hi",
    target: { deviceFilter: { enabled: { eq: true }, serialNumber: $serial } } }) { count userErrors { message path } } }`;
  const none = await changed<{ count: unknown; userErrors: unknown }>(server.acme, query);
  expect(none).toEqual({
    count: null,
    userErrors: [
      {
        message: expect.stringContaining('the variable $serial has none') as string,
        path: ['input', 'target', 'deviceFilter', 'serialNumber'],
      },
    ],
  });
  const sent = await changed<{ count: unknown }>(server.acme, query, { serial: { eq: 'd 2' } });
  expect(sent).toEqual({ count: 1, userErrors: [] });
});

it('a rollout is planned for the terminals of a filter of devices', async () => {
  const input = { name: 'r', appVersionIds, waves: [{ minDuration: '1h' }], stopWhen: {} };
  const target = { deviceFilter: { serialNumber: { eq: 'd 2' } } };
  const { count } = await mutated<Tried>(
    server.acme,
    'rolloutCreate',
    { input, target, dryRun: true },
    'count',
  );
  expect(count).toBe(1);
});
