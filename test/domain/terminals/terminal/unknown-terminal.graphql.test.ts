import { beforeAll, describe, expect, it } from 'vitest';

import { unknownSerialNumbers } from '../../../../src/domain/terminals/terminal/refusal.service.js';
import { MAX_UNKNOWN_TERMINALS } from '../../../../src/domain/terminals/terminal/terminal.model.js';
import { answered, changed, nodeId } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';
import { newTerminal, outcomeOf, report } from '../../../support/terminals.js';

const server = useServer();
let gateway: string;
beforeAll(async () => {
  gateway = (await server.member('acme', 'operator', ['terminals'])).token;
});

const LIST = `{ unknownTerminals(first: 50, orderBy: { field: LAST_SEEN_AT, direction: DESC }) {
  totalCount nodes { serialNumber firstSeenAt lastSeenAt count } } }`;

interface Listed {
  readonly totalCount: number;
  readonly nodes: readonly (Fields & { readonly serialNumber: string })[];
}
const listed = async (member: Member = server.acme): Promise<Listed> =>
  (await answered<{ unknownTerminals: Listed }>(member, LIST)).unknownTerminals;
const serialsOf = async (member?: Member): Promise<string[]> =>
  (await listed(member)).nodes.map(({ serialNumber }) => serialNumber);

/** Names serial numbers as a gateway does, in one node, and stores them. */
async function knock(serialNumbers: Iterable<string>): Promise<void> {
  const fail = (error: unknown): never => {
    throw error;
  };
  const unknown = unknownSerialNumbers(server.app.units, server.clock, fail);
  for (const serialNumber of serialNumbers) unknown.note(server.acme.caller.companyId, serialNumber);
  await unknown.finish();
}

const ADOPT = `mutation ($serialNumber: String!, $number: ID) {
  deviceAdopt(serialNumber: $serialNumber, logicalNumberId: $number) {
    device { serialNumber enabled logicalNumber { number } } userErrors { message path code } } }`;

describe('unknownTerminals', () => {
  it('lists what gateways named, with the times and the number of requests', async () => {
    for (let n = 0; n < 3; n += 1) {
      expect(outcomeOf(await report(server, gateway, {}, 'SN-NEW'))).toBe('403 unknown_terminal');
    }
    await expect.poll(async () => (await listed()).nodes[0]?.count).toBe(3);
    expect(await listed(server.beta)).toEqual({ totalCount: 0, nodes: [] });
    const [before] = (await listed()).nodes;
    server.clock.advance(1_000);
    const from = server.clock.now().toISOString();
    await knock(['SN-NEW']);
    const [after] = (await listed()).nodes;
    expect(after).toEqual({ ...before, lastSeenAt: after?.lastSeenAt, serialNumber: 'SN-NEW', count: 4 });
    expect(String(after?.lastSeenAt) >= from).toBe(true);
  });

  it('has no terminals that a device token refused', async () => {
    const { token } = await newTerminal(server.acme, 'SN-GONE');
    await report(server, token);
    await server.acme.client.delete('devices/SN-GONE');
    expect((await report(server, token)).status).not.toBe(200);
    await knock(['SN-LATER']);
    expect(await serialsOf()).not.toContain('SN-GONE');
  });

  it('keeps the last ones of a company only, however many are named', async () => {
    const { statements } = await server.statements(() =>
      knock(Array.from({ length: 20_000 }, (_, n) => `flood ${n}`)),
    );
    // The units of 200 rows, and those that begin, count and trim.
    expect(statements.length).toBeLessThan(15);
    server.clock.advance(1_000);
    await knock(['SN-LAST']);
    const { totalCount, nodes } = await listed();
    expect(totalCount).toBe(MAX_UNKNOWN_TERMINALS);
    expect(nodes[0]?.serialNumber).toBe('SN-LAST');
    expect(await serialsOf()).not.toContain('SN-NEW');
  });
});

describe('deviceAdopt', () => {
  it('makes a device of an unknown terminal, which may then use the service', async () => {
    const number = await fleet.logicalNumber(server.acme.client, 'N-1');
    await knock(['SN-ADOPTED']);
    const variables = { serialNumber: 'SN-ADOPTED', number: nodeId('LogicalNumber', number) };
    expect(await changed(server.acme, ADOPT, variables)).toEqual({
      device: { serialNumber: 'SN-ADOPTED', enabled: true, logicalNumber: { number: 'N-1' } },
      userErrors: [],
    });
    expect(await serialsOf()).not.toContain('SN-ADOPTED');
    expect(outcomeOf(await report(server, gateway, {}, 'SN-ADOPTED'))).toBe('200');
    const [error] = (await changed(server.acme, ADOPT, variables)).userErrors;
    expect(error).toMatchObject({ path: ['serialNumber'], code: 'NOT_FOUND' });
  });

  it('refuses a serial number that is not in the list, and a number that does not exist', async () => {
    await knock(['SN-THERE']);
    const of = async (variables: Fields) => (await changed(server.acme, ADOPT, variables)).userErrors;
    expect(await of({ serialNumber: 'SN-NOT-THERE' })).toMatchObject([
      { path: ['serialNumber'], code: 'NOT_FOUND' },
    ]);
    for (const number of [nodeId('LogicalNumber', 999), nodeId('Group', 1)]) {
      expect(await of({ serialNumber: 'SN-THERE', number })).toMatchObject([
        { path: ['logicalNumberId'], code: 'INVALID' },
      ]);
    }
    expect(await serialsOf()).toContain('SN-THERE');
  });

  it('is not the only way: a serial number leaves the list however its device is created', async () => {
    await knock(['SN-REST', 'SN-BULK']);
    await fleet.device(server.acme.client, 'SN-REST');
    await answered(server.acme, 'mutation { deviceBulkCreate(serialNumbers: ["SN-BULK"]) { count } }');
    // Noted before, stored after.
    await knock(['SN-REST']);
    expect((await serialsOf()).filter((name) => /REST|BULK/.test(name))).toEqual([]);
  });
});
