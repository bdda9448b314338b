import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';

import type { Summary } from '../../src/simulator/simulation.js';
import { startStandIn, type Faults } from '../simulator/stand-in.js';
import { it } from '../support/cli-test.js';
import { commandLine, runProgram, type CommandLine, type Outcome } from '../support/program.js';
import { createTerminals } from '../support/simulated-fleet.js';

function fileWith(cli: CommandLine, name: string, text: string): string {
  const path = join(cli.folder, name);
  writeFileSync(path, text);
  return path;
}

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

type Simulate = (cli: CommandLine, options: string, more?: readonly string[]) => Promise<Outcome>;

const simulate: Simulate = (cli, options, more = []) => cli.run(['simulate', ...words(options), ...more]);

const simulateByProgram: Simulate = (cli, options) =>
  runProgram(['simulate', ...words(options)], cli.place.url);

async function againstStandIn(faults: Faults, options: string, run = simulate): Promise<Outcome> {
  const cli = await commandLine();
  const server = await startStandIn(faults);
  onTestFinished(() => server.stop());
  const serials = fileWith(cli, 'serials.txt', '\ufeffsep=;\r\nserial_number;\r\n"SN-1";\r\n;\r\nSN-2;\r\n');
  const token = fileWith(cli, 'token.txt', 'secret\n');
  const given = `--url ${server.url.origin} --token-file ${token} --serials ${serials} --for 1s --every 100ms --ramp 0s`;
  return await run(cli, `${given} ${options}`);
}

const MQTT = '--token-file package.json --serials package.json --over mqtt';

describe('terminal-gateway simulate', () => {
  it('ends with 0 and its stats if every promise was kept', async () => {
    const { code, stdout } = await againstStandIn({}, '--no-faults');
    expect([code, stdout]).toEqual([0, expect.stringContaining('No promise was broken.')]);
    expect(stdout).toContain('2 of 2 terminals');
  });

  it('ends with 1 and examples if one was broken', async () => {
    const outcome = await againstStandIn({ params: 'host\n' }, '--no-faults --json', simulateByProgram);
    const example = 'terminal SN-1: line 1 is not key=value: host';
    expect([outcome.code, outcome.stderr]).toEqual([1, expect.stringContaining(example)]);
    expect(outcome.object()).toMatchObject({
      terminals: 2,
      broken: [{ promise: 'unreadable_params', count: 2 }],
    });
  });

  it.each([
    ['--for 1', 2, '500ms'],
    ['--seed -1', 2, 'whole number'],
    ['--over pigeon', 2, 'http, mqtt'],
    ['', 1, '--token-file or --device-tokens'],
    ['--url ftp://a --token-file package.json', 1, 'no http'],
    ['--device-tokens tokens.csv --notify-every 1s', 1, 'tokens.csv: it does not exist'],
    ['--token-file package.json --renew-every 1s', 1, '--device-tokens'],
    ['--device-tokens package.json --renew-every 0s', 1, 'longer than 0'],
    ['--token-file package.json --serials package.json --over mqtt', 1, '--mqtt-url'],
    [`${MQTT} --mqtt-url mqtt://user:secret@127.0.0.1`, 1, '--mqtt-username and --mqtt-password-file'],
    [`${MQTT} --mqtt-url mqtt://127.0.0.1 --mqtt-ca-file package.json`, 1, 'mqtts://'],
    [`${MQTT} --mqtt-url mqtts://127.0.0.1 --mqtt-ca-file package.json`, 1, 'certificate'],
    [`${MQTT} --mqtt-url mqtt://127.0.0.1 --mqtt-username one`, 1, '--mqtt-password-file'],
    ['--token-file package.json --serials package.json --mqtt-ca-file package.json', 1, '--over mqtt'],
    ['--token-file package.json --url http://127.0.0.1:9', 1, 'ECONNREFUSED'],
  ])('refuses "%s" with exit code %i', async (options, expected, message) => {
    const { code, stderr } = await simulate(await commandLine(), options);
    expect([code, stderr]).toEqual([expected, expect.stringContaining(message)]);
  });
});

describe('simulated terminals and this server', () => {
  it('find that it keeps its promises, with a token of a gateway', async ({ cli, token }) => {
    const gateway = await cli.run(
      'token create --company Acme --email ana@acme.example --name gateway --scopes read,write,terminals',
    );
    const server = await cli.serve();
    await createTerminals(server.client(token), 12);
    const file = fileWith(cli, 'token.txt', gateway.stdout);
    const outcome = await simulate(
      cli,
      `--url ${server.url} --token-file ${file} --terminals 10 --for 5s --ramp 1s --every 500ms --notify-every 1s --command-every 700ms --no-faults --json`,
      ['--group', 'Simulated terminals'],
    );
    expect([outcome.code, outcome.stderr]).toEqual([0, expect.stringContaining('10 terminals against')]);
    const summary = outcome.object() as unknown as Summary;
    const kept = { connected: 10, broken: [], notifications_outstanding: 0, errors: 0 };
    expect(summary).toMatchObject({ terminals: 10, ...kept });
    expect(summary.notifications_received).toBeGreaterThanOrEqual(10 * summary.notifications_sent);
    const { notifications_sent, transactions_created, assets_downloaded, reports, logs_sent, commands_done } =
      summary;
    const figures = [notifications_sent, transactions_created, assets_downloaded, reports, logs_sent];
    for (const figure of [...figures, commands_done]) {
      expect(figure).toBeGreaterThan(0);
    }
    // Whole numbers of test cards were sent.
    expect(await cli.place.stored()).not.toMatch(/4111111111111111|5555555555554444|378282246310005/);
  });

  it('end with 1 if the server lets none of them in', async ({ cli, token }) => {
    const server = await cli.serve();
    await createTerminals(server.client(token), 1);
    const tokens = fileWith(cli, 'tokens.csv', 'serial,token\nSIM-1,of-nobody\n');
    const options = `--url ${server.url} --device-tokens ${tokens} --for 2s --ramp 0s --every 300ms --json`;
    const { code, stderr } = await simulate(cli, options);
    expect([code, stderr]).toEqual([1, expect.stringContaining('let no terminal in')]);
  });

  it('use tokens of devices', async ({ cli, token }) => {
    const server = await cli.serve();
    await createTerminals(server.client(token), 3);
    const { stdout } = await cli.run('device token --all --csv --company Acme');
    const tokens = fileWith(cli, 'tokens.csv', stdout);
    const options = `--url ${server.url} --device-tokens ${tokens} --for 3s --ramp 0s --every 300ms --json`;
    const outcome = await simulate(cli, options);
    expect([outcome.code, outcome.stderr]).toEqual([0, expect.any(String)]);
    const kept = { terminals: 3, connected: 3, broken: [], refused: 0 };
    expect(outcome.object()).toMatchObject({ ...kept, tokens_renewed: 0 });
    expect(readFileSync(tokens, 'utf8')).toBe(stdout);
  });

  it('renew their tokens, lose some answers, and find the new ones in the file afterwards', async ({
    cli,
    token,
  }) => {
    const server = await cli.serve();
    await createTerminals(server.client(token), 3);
    const { stdout } = await cli.run('device token --all --csv --company Acme');
    const tokens = fileWith(cli, 'tokens.csv', stdout);
    const options = `--url ${server.url} --device-tokens ${tokens} --for 3s --ramp 0s --every 100ms --json`;
    const renewing = await simulate(cli, `${options} --renew-every 50ms --seed 2`);
    expect([renewing.code, renewing.stderr]).toEqual([0, expect.any(String)]);
    const kept = { terminals: 3, connected: 3, broken: [], refused: 0 };
    expect(renewing.object()).toMatchObject(kept);
    expect(renewing.object().tokens_renewed).toBeGreaterThan(3);
    const stored = readFileSync(tokens, 'utf8');
    expect(stored.split('\n').map((line) => line.split(',')[0])).toEqual(
      stdout.split('\n').map((line) => line.split(',')[0]),
    );
    for (const old of stdout.match(/[0-9a-f]{40}/g) ?? []) expect(stored).not.toContain(old);
    const again = await simulate(cli, options.replace('3s', '1s'));
    expect(again.object()).toMatchObject(kept);
  });
});
