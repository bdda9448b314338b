import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';

import { DAY } from '../../src/platform/clock.js';
import { it } from '../support/cli-test.js';
import { createClient } from '../support/client.js';
import { fleet } from '../support/fleet.js';
import { type CommandLine } from '../support/program.js';

async function importDevices(cli: CommandLine, text: string | Uint8Array, ...more: string[]) {
  const list = join(cli.folder, 'serials.txt');
  writeFileSync(list, text);
  return await cli.run(['device', 'import', list, '--company', 'Acme', ...more]);
}

async function countDevices(cli: CommandLine): Promise<number> {
  const info = await cli.run('db info --json');
  return (info.object().records as { devices: number }).devices;
}

describe('device import', () => {
  it('contract 28: imported devices are created by the first administrator, through the channel `api`', async ({
    cli,
    token,
  }) => {
    const imported = await importDevices(cli, '\uFEFFSN-1\r\nSN-2\r\n\r\nSN é\n');
    expect(imported.code).toBe(0);
    expect(imported.lines).toEqual(['1\tSN-1\tcreated', '2\tSN-2\tcreated', '4\tSN é\tcreated']);
    const client = createClient((await cli.serve()).url, token);
    const list = (await client.get('devices')).list('devices');
    expect(list.map((device) => device.serial_number)).toEqual(['SN-1', 'SN-2', 'SN é']);
    const [{ created_by: creator } = {}] = list;
    expect(creator).toEqual(expect.any(Number));
    for (const device of list)
      expect(device).toMatchObject({ created_by: creator, created_via: 'api', enabled: true });
  });

  it('creates nothing if any line is refused, and prints the result of each line', async ({ cli }) => {
    await importDevices(cli, 'SN-1\n');
    const refused = await importDevices(cli, 'SN-2\nSN-1\n SN-3\nSN-2\n');
    expect(refused.code).toBe(1);
    const results = refused.lines.map((line) => line.split('\t')[2]?.split(':')[0]);
    expect(results).toEqual(['not created', ...Array<string>(3).fill('refused')]);
    expect(refused.stderr).toContain('0 created, 3 refused\nNothing was imported');
    expect(await countDevices(cli)).toBe(1);
  });

  it('skips refused lines with --skip-refused', async ({ cli }) => {
    const imported = await importDevices(cli, 'SN-1\nSN-1\nSN-2\n', '--skip-refused', '--json');
    expect(imported.code).toBe(0);
    expect(imported.list()).toMatchObject([
      { line: 1, serial_number: 'SN-1', result: 'created' },
      { line: 2, serial_number: 'SN-1', id: null },
      { line: 3, serial_number: 'SN-2', result: 'created' },
    ]);
    expect(await countDevices(cli)).toBe(2);
  });

  it.for<[string, string, number[]]>([
    ['a header', 'serial_number\nSN-1\n\nSN-2\n', [2, 4]],
    ['a header with a BOM and quoted values', '\uFEFF"Serial_Number"\r\n"SN-1"\r\n"SN-2"\r\n', [2, 3]],
    ['semicolons behind the values', 'SERIAL_NUMBER;;\nSN-1;;\n;;\nSN-2;;\n', [2, 4]],
    ['a line sep=', 'sep=;\nserial_number\nSN-1\nSN-2', [3, 4]],
    ['quoted values without a header', '"SN-1"\n"SN-2"\n', [1, 2]],
  ])('RU-42 reads a list with %s', async ([_what, text, [first, second]], { cli }) => {
    const imported = await importDevices(cli, text);
    expect(imported.lines).toEqual([`${first}\tSN-1\tcreated`, `${second}\tSN-2\tcreated`]);
  });

  it('RU-42 refuses a row with several values, and keeps a comma in quotes', async ({ cli }) => {
    const refused = await importDevices(cli, 'serial_number,model\nSN-1,V240m\n');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('line 1 must have one')]);
    expect((await importDevices(cli, '"SN,1"\n')).lines).toEqual(['1\tSN,1\tcreated']);
  });

  it('imports 5,000 lines', async ({ cli }) => {
    const text = Array.from({ length: 5_000 }, (_, n) => `SN-${n}`).join('\n');
    const imported = await importDevices(cli, text);
    expect([imported.code, imported.lines.length]).toEqual([0, 5_000]);
    expect(imported.stderr).toContain('5000 created, 0 refused');
    expect(await countDevices(cli)).toBe(5_000);
  });

  it('refuses a file that does not exist or is not UTF-8', async ({ cli }) => {
    const missing = await cli.run('device import nowhere.txt --company Acme');
    expect([missing.code, missing.stdout]).toEqual([1, '']);
    expect(missing.stderr).toContain('nowhere.txt');
    expect(missing.stderr).not.toContain('    at ');
    const binary = await importDevices(cli, Uint8Array.of(0xff, 0xfe, 0x41));
    expect([binary.code, binary.stderr]).toEqual([1, expect.stringContaining('is not UTF-8 text.')]);
  });
});

describe('device token', () => {
  it('issues the token of a device, which ends the one before', async ({ cli, token: user }) => {
    const { url, clock } = await cli.serve();
    const client = createClient(url, user);
    const number = await fleet.logicalNumber(client, 'N');
    await fleet.device(client, 'SN-1', { logical_number_id: number });
    const issue = async (): Promise<string> => {
      const { lines } = await cli.run('device token SN-1 --company Acme');
      return lines.at(-1) ?? '';
    };
    const status = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      return (await createClient(url, null).post('/terminal/v1/report', {}, { headers })).status;
    };
    const first = await issue();
    expect(first).toMatch(/^[0-9a-f]{40}$/);
    expect(await status(first)).toBe(200);
    const second = await issue();
    expect(await status(second)).toBe(200);
    // The server keeps what it has looked up for two seconds.
    clock.advance(2_001);
    await expect.poll(() => status(first)).toBe(401);
  });

  it('keeps the old token for a while', async ({ cli, token }) => {
    const { url, clock } = await cli.serve();
    const client = createClient(url, token);
    const number = await fleet.logicalNumber(client, 'N-9');
    await fleet.device(client, 'SN-9', { logical_number_id: number });
    const first = (await cli.run('device token SN-9 --company Acme')).stdout.trim();
    const all = 'device token --all --replace --csv --company Acme --keep-old-for 7d';
    const second = (await cli.run(all)).lines.find((line) => line.startsWith('SN-9'))?.slice(5) ?? '';
    const statuses = async (): Promise<number[]> =>
      await Promise.all(
        [first, second].map(async (each) => {
          const headers = { authorization: `Bearer ${each}` };
          return (await createClient(url, null).post('/terminal/v1/report', {}, { headers })).status;
        }),
      );
    expect(await statuses()).toEqual([200, 200]);
    clock.advance(7 * DAY);
    expect(await statuses()).toEqual([401, 200]);
  });

  it('issues tokens for devices without one, and with --replace for all', async ({ cli, token: user }) => {
    const client = createClient((await cli.serve()).url, user);
    for (const name of ['SN "1"', 'SN,2', 'SN-3']) await fleet.device(client, name);
    await cli.run('device token SN-3 --company Acme');
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

  it.for<[string, string[]]>([
    ['neither a device nor --all', []],
    ['both', ['SN-1', '--all']],
    ['a device that does not exist', ['SN-9']],
    ['--csv for one device', ['SN-1', '--csv']],
  ])('refuses %s', async ([_case, args], { cli }) => {
    const { code, stdout } = await cli.run(['device', 'token', ...args, '--company', 'Acme']);
    expect([code, stdout]).toEqual([1, '']);
  });
});
