import { describe, expect, it } from 'vitest';

import { createClient } from '../support/client.js';
import { fleet } from '../support/fleet.js';
import { commandLineWithUser } from '../support/program.js';

const TOKEN = /^[0-9a-f]{40}$/;

describe('device token', () => {
  it('issues the token of a device, which ends the one before', async () => {
    const { cli, token: user } = await commandLineWithUser();
    const { url } = await cli.serve();
    const client = createClient(url, user);
    const number = await fleet.logicalNumber(client, 'N');
    await fleet.device(client, 'SN-1', { logical_number_id: number });
    const issue = async (): Promise<string> => {
      const { lines } = await cli.run(['device', 'token', 'SN-1', '--company', 'Acme']);
      return lines.at(-1) ?? '';
    };
    const status = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      return (await createClient(url, null).post('/terminal/v1/report', {}, { headers })).status;
    };
    const first = await issue();
    expect(first).toMatch(TOKEN);
    expect(await status(first)).toBe(200);
    const second = await issue();
    expect(await status(second)).toBe(200);
    // The server keeps what it has looked up for two seconds.
    await expect.poll(() => status(first)).toBe(401);
  });

  it('issues tokens for all devices without one, and with --replace for all', async () => {
    const { cli, token: user } = await commandLineWithUser();
    const client = createClient((await cli.serve()).url, user);
    for (const name of ['SN "1"', 'SN,2', 'SN-3']) await fleet.device(client, name);
    await cli.run(['device', 'token', 'SN-3', '--company', 'Acme']);
    const all = ['device', 'token', '--all', '--csv', '--company', 'Acme'];
    const first = await cli.run(all);
    expect(first.code).toBe(0);
    expect(first.lines.map((line) => line.replace(/[0-9a-f]{40}$/, 'token'))).toEqual([
      'serial,token',
      '"SN ""1""",token',
      '"SN,2",token',
    ]);
    const again = await cli.run(all);
    expect([again.lines, again.stderr]).toEqual([
      ['serial,token'],
      expect.stringContaining('0 tokens issued. ') as string,
    ]);
    expect((await cli.run([...all, '--replace'])).lines).toHaveLength(4);
  });

  it.each([
    ['neither a device nor --all', []],
    ['both', ['SN-1', '--all']],
    ['a device that does not exist', ['SN-9']],
    ['--csv for one device', ['SN-1', '--csv']],
  ])('refuses %s', async (_case, args) => {
    const { cli } = await commandLineWithUser();
    const { code, stdout } = await cli.run(['device', 'token', ...args, '--company', 'Acme']);
    expect([code, stdout]).toEqual([1, '']);
  });
});
