import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import type { MqttSettings } from '../../src/platform/config/mqtt.js';
import type { Summary } from '../../src/simulator/simulation.js';
import { brokerAt, startAedes } from '../support/mqtt/brokers.js';
import { runCommand } from '../support/program.js';
import { removeFolder, scratchFolder, selfSigned } from '../support/scratch.js';
import { startServer, type TestServer } from '../support/server.js';
import { createTerminals } from '../support/simulated-fleet.js';

let folder: string;
beforeEach(() => {
  folder = scratchFolder();
});
afterEach(() => removeFolder(folder));

const TERMINALS = 3;
const PASSWORD = 'of all terminals';

async function serve(mqtt: MqttSettings): Promise<TestServer> {
  const server = await startServer({ mqtt });
  onTestFinished(() => server.stop());
  await createTerminals(server.acme.client, TERMINALS);
  return server;
}

const userNames = ({ acme }: TestServer): string[] =>
  Array.from({ length: TERMINALS }, (_, n) => `${acme.caller.companyId}/LN-${n}`);

function fileWith(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Runs `simulate` over MQTT; resolves to the exit code and the figures. */
async function simulate(
  server: TestServer,
  options: string,
  password = PASSWORD,
): Promise<{ readonly code: number | null; readonly summary: Summary }> {
  const { url, place } = server;
  const gateway = await server.member('acme', 'admin', ['read', 'write', 'terminals']);
  const token = fileWith('token.txt', gateway.token);
  const passwordFile = fileWith('password.txt', `${password}\n`);
  const common = `simulate --url ${url} --token-file ${token} --terminals ${TERMINALS} --ramp 0s --every 500ms`;
  const mqtt = `--no-faults --json --over mqtt --mqtt-password-file ${passwordFile}`;
  const outcome = await runCommand(`${common} ${mqtt} ${options}`.split(' '), place.url);
  return { code: outcome.code, summary: outcome.object() as unknown as Summary };
}

const KEPT = { connected: TERMINALS, errors: 0, broken: [], notifications_outstanding: 0 };

describe('terminal-gateway simulate --over mqtt', () => {
  it('gives each terminal its own user name, over TLS with certificates that it is given', async () => {
    const tls = selfSigned(folder);
    const known = new Set(['gateway']);
    const broker = await startAedes({
      tls,
      authenticate: (_client, username = '', password, done) =>
        done(null, known.has(username) && password?.toString() === PASSWORD),
    });
    onTestFinished(() => broker.stop());
    const server = await serve(
      brokerAt(broker.port, {
        host: 'localhost',
        tls: { ca: tls.cert },
        username: 'gateway',
        password: PASSWORD,
      }),
    );
    for (const name of userNames(server)) known.add(name);
    const at = `--mqtt-url mqtts://localhost:${broker.port}`;
    const ca = `--mqtt-ca-file ${join(folder, 'cert.pem')}`;
    const { code, summary } = await simulate(server, `${at} ${ca} --for 3s --notify-every 1s`);
    expect(summary).toMatchObject(KEPT);
    expect(summary.notifications_sent).toBeGreaterThan(0);
    expect(summary.notifications_received).toBeGreaterThanOrEqual(TERMINALS * summary.notifications_sent);
    expect(code).toBe(0);

    const untrusted = await simulate(server, `${at} --for 1s`);
    expect(untrusted.summary.error_examples).toEqual(['mqtt: DEPTH_ZERO_SELF_SIGNED_CERT']);
    const wrong = await simulate(server, `${at} ${ca} --for 1s`, 'wrong');
    expect(wrong.summary.error_examples).toEqual([expect.stringContaining('Not authorized')]);
    const shared = await simulate(server, `${at} ${ca} --for 1s --mqtt-username gateway`);
    expect(shared.summary).toMatchObject({ errors: 0, error_examples: [] });
  });
});
