import { beforeAll, describe, expect, it } from 'vitest';

import { answered, statementsFor } from '../support/dashboard.js';
import { useServer, type Member } from '../support/server.js';

const server = useServer();
beforeAll(async () => {
  const { acme } = server;
  const group = await created(
    acme,
    'groupCreate(input: { name: "shop" }) { record: group { id databaseId } }',
  );
  const number = await created(
    acme,
    `logicalNumberCreate(input: { number: "000001", groupId: "${group.id}" }) { record: logicalNumber { id databaseId } }`,
  );
  for (const input of [`serialNumber: "SN-1", logicalNumberId: "${number.id}"`, 'serialNumber: "SN-2"']) {
    await created(acme, `deviceCreate(input: { ${input} }) { record: device { id databaseId } }`);
  }
});

interface Record {
  readonly id: string;
  readonly databaseId: number;
}

async function created(member: Member, mutation: string): Promise<Record> {
  const data = await answered<{ made: { record: Record } }>(member, `mutation { made: ${mutation} }`);
  return data.made.record;
}

describe('a record on PostgreSQL', () => {
  it('is read in one statement with the records that it refers to, and those that these refer to', async () => {
    const query = `{ device(databaseId: 1) {
      serialNumber createdBy { email } logicalNumber { number createdBy { email } group { name createdBy { email } } } } }`;
    const statements = await statementsFor(server, server.acme, query);
    expect(statements).toHaveLength(1);
    const createdBy = { email: 'admin1@acme.example' };
    expect(await answered(server.acme, query)).toEqual({
      device: {
        serialNumber: 'SN-1',
        createdBy,
        logicalNumber: { number: '000001', createdBy, group: { name: 'shop', createdBy } },
      },
    });
  });

  it('has null for what it does not refer to', async () => {
    const query = '{ device(databaseId: 2) { serialNumber logicalNumber { number group { name } } } }';
    expect(await statementsFor(server, server.acme, query)).toHaveLength(1);
    expect(await answered(server.acme, query)).toEqual({
      device: { serialNumber: 'SN-2', logicalNumber: null },
    });
  });

  it('is null where the company has none, though another one has', async () => {
    const { acme, beta } = server;
    const { databaseId } = await created(
      beta,
      'deviceCreate(input: { serialNumber: "SN-3" }) { record: device { id databaseId } }',
    );
    const query = `{ device(databaseId: ${databaseId}) { serialNumber createdBy { email } } }`;
    expect(await answered(beta, query)).toMatchObject({ device: { serialNumber: 'SN-3' } });
    expect(await answered(acme, query)).toEqual({ device: null });
  });

  it('is read like lists where it has some', async () => {
    const query = '{ group(databaseId: 1) { name logicalNumbers { nodes { number } } createdBy { email } } }';
    expect(await statementsFor(server, server.acme, query)).toHaveLength(3);
  });
});
