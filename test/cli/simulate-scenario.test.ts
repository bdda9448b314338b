import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';

import type { Summary } from '../../src/simulator/simulation.js';
import { it } from '../support/cli-test.js';
import type { CommandLine, Outcome } from '../support/program.js';
import { createTerminals, releaseVersion } from '../support/simulated-fleet.js';

const TERMINALS = 10;
const SALE = { app: 'sale.posxml', number: '1.1' };
const ROLLOUT = { name: 'sale 1.1', versions: [SALE], waves: [{}], stopWhen: { failedPercent: 40 } };
const GOOD = { rollout: ROLLOUT, terminals: [], expect: { stopsInWave: 1 } };

function fileWith(cli: CommandLine, name: string, value: unknown): string {
  const path = join(cli.folder, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

const GATEWAY =
  'token create --company Acme --email ana@acme.example --name gateway --scopes read,write,terminals';

async function run(
  cli: CommandLine,
  url: string,
  scenario: unknown,
  token = 'none',
  more = '--for 2m',
): Promise<Outcome> {
  const files = [fileWith(cli, 'token.txt', token), fileWith(cli, 'scenario.json', scenario)];
  const options = `--terminals ${TERMINALS} --ramp 0s --every 400ms ${more} --no-faults --json --group`;
  const given = ['simulate', '--url', url, '--token-file', files[0] ?? '', '--scenario', files[1] ?? ''];
  return await cli.run([...given, ...options.split(' '), 'Simulated terminals']);
}

/** Starts a server with terminals and a release; the returned function runs a scenario against it. */
async function serveRelease(cli: CommandLine, token: string) {
  const server = await cli.serve();
  const client = server.client(token);
  await releaseVersion(client, await createTerminals(client, TERMINALS), '1.1');
  const gateway = (await cli.run(GATEWAY)).stdout;
  return (scenario: unknown, more?: string): Promise<Outcome> =>
    run(cli, server.url, scenario, gateway, more);
}

describe('terminal-gateway simulate --scenario', () => {
  it('ends with 0 if the rollout stops in its wave and is undone', async ({ cli, token }) => {
    const simulate = await serveRelease(cli, token);
    const { code, stderr, object } = await simulate({
      rollout: { ...ROLLOUT, waves: [{ percent: 50, minProvenPercent: 90 }, {}] },
      terminals: [{ wave: 1, behaviour: 'fails', percent: 25 }],
      expect: { stopsInWave: 1, undo: true },
    });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const { scenario, broken } = object() as unknown as Summary;
    expect(broken).toEqual([]);
    // A quarter of 5, rounded up. A terminal that has failed and tries again is not counted in `waves` meanwhile.
    const because: unknown = expect.stringMatching(/^2 of 5 terminals have failed .*: at least 40 %\.$/);
    expect(scenario).toMatchObject({ state: 'UNDONE', because, problems: [] });
    expect(scenario?.waves).toMatchObject([
      { size: 5, granted: 5, undone: 5 },
      { size: 5, granted: 0, undone: 0, failed: 0 },
    ]);
  });

  it('ends with 1 if the release goes through', async ({ cli, token }) => {
    const simulate = await serveRelease(cli, token);
    const { code, stderr } = await simulate(GOOD);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('The rollout is FINISHED, not STOPPED_BY_FAILURES.'),
    ]);
  });

  it('needs no rollout to have commands refused, whose terminals the server knows', async ({
    cli,
    token,
  }) => {
    const simulate = await serveRelease(cli, token);
    const commands = [{ behaviour: 'refuses', percent: 100 }];
    const { code, stderr, object } = await simulate({ commands }, '--for 5s --command-every 1s');
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const summary = object() as unknown as Summary;
    expect(summary).toMatchObject({ scenario: null, broken: [], commands_done: 0 });
    expect(summary.commands_failed).toBeGreaterThan(0);
    const known = await cli.place.sql<{ state: string; code: string | null }>(
      "select distinct state, code from notification_deliveries where state <> 'replaced'",
    );
    expect(known).toEqual([{ state: 'failed', code: 'SIMULATED' }]);
  });

  it('says what the server refuses', async ({ cli, token }) => {
    const simulate = await serveRelease(cli, token);
    const refusalOf = async (rollout: object): Promise<unknown> => {
      const { code, stderr } = await simulate({ ...GOOD, rollout: { ...ROLLOUT, ...rollout } });
      return [code, stderr.split('\n').at(-2)];
    };
    expect(await refusalOf({ versions: [{ ...SALE, number: '9' }] })).toEqual([
      1,
      expect.stringContaining('There is no version 9 of sale.posxml.'),
    ]);
    expect(await refusalOf({ waves: [{ percnt: 5 }, {}] })).toEqual([1, expect.stringContaining('percnt')]);
    expect(await refusalOf({ waves: [{ percent: 500 }, {}] })).toEqual([
      1,
      expect.stringMatching(/waves.*percent/),
    ]);
  });

  it.for([
    ['{', 'Flow map'],
    [{ ...GOOD, expects: {} }, 'expects'],
    [{ ...GOOD, terminals: [{ wave: 1, behaviour: 'fails', percent: 4, share: 1 }] }, 'terminals.0'],
    [{ ...GOOD, terminals: [{ wave: 1, behaviour: 'explodes', percent: 4 }] }, 'terminals.0.behaviour'],
    [{ ...GOOD, expect: { stopsInWave: 0 } }, 'expect.stopsInWave must be at least 1'],
    [{ commands: [] }, 'commands must'],
    [{ commands: [{ behaviour: 'late' }] }, 'commands.0 must have exactly one of percent, serialNumbers'],
    [{ commands: [{ behaviour: 'late', percent: 5, serialNumbers: ['SN-1'] }] }, 'exactly one of'],
    [{ commands: [{ behaviour: 'wrongCrc', percent: 5 }] }, 'commands.0.behaviour'],
    [{ commands: [{ behaviour: 'late', percent: 5 }], expect: GOOD.expect }, 'has unknown fields: expect'],
  ] as const)('refuses %j before the run', async ([document, message], { bare }) => {
    const { code, stderr } = await run(bare, 'http://127.0.0.1:9', document);
    expect([code, stderr]).toEqual([1, expect.stringMatching(`--scenario: .*${message}`)]);
  });
});
