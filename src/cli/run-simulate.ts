import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';

import { SECOND, systemClock } from '../platform/clock.js';
import { certificatesIn } from '../platform/config/mqtt.js';
import { counted } from '../platform/errors.js';
import { namingPath } from '../platform/files.js';
import { Api, findCompany, findFleet, SimulationRefused, type Fleet } from '../simulator/api.js';
import { HttpClient } from '../simulator/http-client.js';
import { readScenario } from '../simulator/scenario.js';
import { Pauses, type Transport } from '../simulator/shared.js';
import { Simulation, type SimulationOptions, type Summary } from '../simulator/simulation.js';
import { Stats, PROMISES } from '../simulator/stats.js';
import type { Identity } from '../simulator/terminal-http.js';
import { CommandError } from './command-error.js';
import { waitForStopSignal, type CommandIo, type JsonOption, type Result } from './command-io.js';
import { csvFile, listIn } from './row-files.js';
import { documentIn, firstLine, serverUrl } from './run-fleet.js';

export interface SimulateOptions extends JsonOption {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly deviceTokens?: string;
  readonly serials?: string;
  readonly group?: string;
  readonly terminals: number;
  /** Times are in milliseconds. */
  readonly for: number;
  readonly ramp: number;
  readonly every: number;
  readonly notifyEvery?: number;
  readonly commandEvery?: number;
  readonly renewEvery?: number;
  readonly faults: boolean;
  readonly seed: number;
  readonly scenario?: string;
  readonly over: 'http' | 'mqtt' | 'both';
  readonly mqttUrl?: string;
  readonly mqttUsername?: string;
  readonly mqttPasswordFile?: string;
  readonly mqttCaFile?: string;
  readonly companyId?: string;
}

const LINE_MS = 5 * SECOND;
/** A server that cannot be reached is noticed soon. */
const START_ATTEMPTS = 3;

/** Simulates terminals until their time is over, or SIGINT or SIGTERM. The failure is a broken promise, a scenario that went otherwise, or that no terminal was let in. */
export async function runSimulate(io: CommandIo, options: SimulateOptions): Promise<Result> {
  const stopSignal = waitForStopSignal(['SIGINT', 'SIGTERM']);
  try {
    const { simulation, storeTokens } = await prepare(io, options);
    void stopSignal.then(() => simulation.stop());
    const timer = setInterval(() => io.notice(liveLine(simulation.summary())), LINE_MS);
    const value = await simulation.run().finally(() => {
      clearInterval(timer);
      storeTokens();
    });
    for (const example of value.error_examples) io.notice(`error: ${example}`);
    for (const problem of value.scenario?.problems ?? []) io.notice(problem);
    for (const { promise, count, examples } of value.broken) {
      io.notice(`${counted(count, 'time')}: ${PROMISES[promise]}`);
      for (const example of examples) io.notice(`  ${example}`);
    }
    return { value, lines: linesOf(value), failure: failureOf(value) };
  } catch (error) {
    throw error instanceof SimulationRefused ? new CommandError(error.message) : error;
  }
}

async function prepare(io: CommandIo, options: SimulateOptions) {
  const url = serverUrl(io, options.url);
  const renewEveryMs = renewalOf(options);
  const token = options.tokenFile === undefined ? null : firstLine(options.tokenFile);
  const scenario = scenarioIn(options, token);
  const client = new HttpClient(url, new Stats(), systemClock);
  const api = token === null ? null : new Api(client, token, new Pauses(), START_ATTEMPTS);
  try {
    const transport = await transportOf(options, api);
    const { terminals, groupId } = await findTerminals(options, api);
    if (terminals.length === 0)
      throw new CommandError('There are no terminals: no enabled device has a logical number.');
    const { seed } = options;
    const { deviceTokens: path = '' } = options;
    const storeTokens = renewEveryMs === null ? () => undefined : tokenWriter(path, terminals);
    io.notice(`${counted(terminals.length, 'terminal')} against ${url.origin}, seed ${seed}`);
    const simulation = new Simulation({
      url,
      clock: systemClock,
      terminals,
      transport,
      isHalfHttp: options.over === 'both',
      forMs: options.for,
      rampMs: options.ramp,
      everyMs: options.every,
      renewEveryMs,
      hasFaults: options.faults,
      seed,
      notify: notificationsOf(options, token, groupId),
      commands: commandsOf(options, token),
      ...scenario,
    });
    return { simulation, storeTokens };
  } finally {
    client.close();
  }
}

function notificationsOf(
  { notifyEvery: everyMs }: SimulateOptions,
  token: string | null,
  groupId: number | null,
): SimulationOptions['notify'] {
  if (everyMs === undefined) return null;
  if (everyMs === 0) throw new CommandError('--notify-every: the time must be longer than 0.');
  if (token === null) throw new CommandError('--notify-every needs --token-file, with the scope write.');
  return { token, everyMs, groupId };
}

function commandsOf({ commandEvery: everyMs }: SimulateOptions, token: string | null) {
  if (everyMs === undefined) return null;
  if (everyMs === 0) throw new CommandError('--command-every: the time must be longer than 0.');
  if (token === null) throw new CommandError('--command-every needs --token-file, with the scope write.');
  return { token, everyMs };
}

function scenarioIn(
  { scenario, group, seed }: SimulateOptions,
  token: string | null,
): Pick<SimulationOptions, 'scenario' | 'wantedFaults'> {
  if (scenario === undefined) return { scenario: null };
  if (token === null) throw new CommandError('--scenario needs --token-file, with the scope write.');
  const text = namingPath(scenario, () => readFileSync(scenario, 'utf8'));
  const { problems, ...read } = readScenario(documentIn('--scenario', text), { token, seed, group });
  if (problems.length === 0) return read;
  const lines = problems.map(({ path, message }) => `--scenario: ${path.join('.')} ${message}`);
  throw new CommandError(lines.join('\n'));
}

/** How often tokens are renewed; null if they are not. Errors: `CommandError`. */
function renewalOf({ renewEvery, deviceTokens: path, every }: SimulateOptions): number | null {
  if (renewEvery === undefined) return null;
  if (path === undefined)
    throw new CommandError('--renew-every needs --device-tokens: only devices renew theirs.');
  if (renewEvery === 0 || every === 0) {
    throw new CommandError('--renew-every: the time must be longer than 0, and so must --every.');
  }
  namingPath(path, () => accessSync(path, constants.W_OK));
  return renewEvery;
}

/** Returns the function that replaces the tokens in a file by those that the terminals have now. */
function tokenWriter(path: string, terminals: readonly Identity[]): () => void {
  const owners = new Map(terminals.map((terminal) => [terminal.token, terminal]));
  const present = (token: string): string => owners.get(token)?.token ?? token;
  return () => writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/[0-9a-f]{40}/g, present));
}

async function findTerminals(
  { deviceTokens, serials, terminals: count, group }: SimulateOptions,
  api: Api | null,
): Promise<Fleet> {
  const refuseGroup = (option: string): void => {
    if (group !== undefined) throw new CommandError(`--group is not for ${option}.`);
  };
  if (deviceTokens !== undefined) {
    refuseGroup('--device-tokens');
    return { terminals: await tokensIn(deviceTokens, count), groupId: null };
  }
  if (api === null) throw new CommandError('Give --token-file or --device-tokens.');
  if (serials === undefined) return await findFleet(api, count, group);
  refuseGroup('--serials');
  const listed = (await listIn(serials, 'serial_number')).slice(0, count);
  const { token } = api;
  const terminals = listed.map(({ value: serialNumber }) => ({ serialNumber, token, isNamed: true }));
  return { terminals, groupId: null };
}

async function tokensIn(path: string, count: number): Promise<readonly Identity[]> {
  const terminals: Identity[] = [];
  const columns = ['serial', 'token'];
  for await (const row of csvFile(path, { known: columns, required: columns, json: [] }).rows) {
    if (terminals.length === count) break;
    if ('problem' in row) throw new CommandError(`${path}: line ${row.line} is no serial number and token.`);
    const { serial, token } = row.value;
    terminals.push({ serialNumber: String(serial), token: String(token), isNamed: false });
  }
  return terminals;
}

/** How the terminals wait for notifications. Without `companyId`, `api` is asked for the company. Errors: `CommandError`. */
async function transportOf(options: SimulateOptions, api: Api | null): Promise<Transport> {
  const { mqttUrl, mqttUsername: username, mqttPasswordFile, mqttCaFile } = options;
  if (options.over === 'http') {
    const given = {
      '--mqtt-url': mqttUrl,
      '--mqtt-username': username,
      '--mqtt-password-file': mqttPasswordFile,
      '--mqtt-ca-file': mqttCaFile,
    };
    const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
    if (name !== undefined) throw new CommandError(`${name} is for --over mqtt.`);
    return { over: 'http' };
  }
  const url = brokerUrl(mqttUrl);
  if (mqttCaFile !== undefined && url.protocol !== 'mqtts:') {
    throw new CommandError('--mqtt-ca-file needs a --mqtt-url that begins with mqtts://.');
  }
  if (username !== undefined && mqttPasswordFile === undefined) {
    throw new CommandError('--mqtt-username needs --mqtt-password-file.');
  }
  const password = mqttPasswordFile === undefined ? undefined : firstLine(mqttPasswordFile);
  const ca = mqttCaFile === undefined ? undefined : certificatesIn(mqttCaFile, '--mqtt-ca-file');
  const companyId = options.companyId ?? (api === null ? undefined : await findCompany(api));
  if (companyId === undefined) throw new CommandError('--over mqtt needs --company-id or --token-file.');
  return { over: 'mqtt', companyId, broker: { url, username, password, ca } };
}

function brokerUrl(text = ''): URL {
  const url = URL.parse(text);
  if (url === null || !/^mqtts?:$/.test(url.protocol) || url.hostname === '') {
    throw new CommandError('--over mqtt needs --mqtt-url, for example mqtt://127.0.0.1:1883.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new CommandError('--mqtt-url has a user: use --mqtt-username and --mqtt-password-file.');
  }
  return url;
}

function liveLine(summary: Summary): string {
  const { connected, terminals, requests_per_second: rate, latency_ms: latency } = summary;
  const { notifications_received: received, notifications_confirmed: confirmed } = summary;
  const { transactions_created: created, transactions_repeated: repeated, errors, throttled } = summary;
  return [
    `${summary.seconds.toFixed(0)} s: ${connected} of ${counted(terminals, 'terminal')}`,
    `${rate} requests/s, p95 ${latency.p95} ms`,
    `notifications ${received} received, ${confirmed} confirmed`,
    `transactions ${created} created, ${repeated} repeated`,
    `${errors} errors, ${throttled} throttled, ${brokenIn(summary)} broken promises`,
  ].join('; ');
}

const brokenIn = ({ broken }: Summary): number => broken.reduce((sum, { count }) => sum + count, 0);

function failureOf({ broken, connected, refused, scenario }: Summary): CommandError | undefined {
  if (broken.length > 0) return new CommandError('The server broke its promises.');
  const advice = 'check the tokens and whether devices are enabled.';
  const isOut = connected === 0 && refused > 0;
  if (isOut) return new CommandError(`The server let no terminal in: ${advice}`);
  const isExpected = scenario === null || scenario.problems.length === 0;
  return isExpected ? undefined : new CommandError('The rollout did not go as the scenario expects.');
}

function linesOf(summary: Summary): string[] {
  const { notifications_sent: sent, notifications_repeated: repeated, assets_downloaded: assets } = summary;
  return [
    liveLine(summary),
    `${assets} assets downloaded, ${summary.assets_resumed} parts resumed; ${summary.manifests_unchanged} manifests and ${summary.params_unchanged} params.dat unchanged; ${summary.reports} reports; ${summary.installs_reported} installed, ${summary.installs_failed} failed`,
    ...(summary.scenario === null ? [] : scenarioLines(summary.scenario)),
    ...(summary.tokens_renewed > 0 ? [`${counted(summary.tokens_renewed, 'token')} renewed`] : []),
    `${sent} notifications sent, ${repeated} deliveries repeated after a lease, ${summary.notifications_outstanding} outstanding; ${summary.connections_lost} connections lost by terminals`,
    summary.broken.length === 0 ? 'No promise was broken.' : `${brokenIn(summary)} promises were broken.`,
  ];
}

function scenarioLines({ state, because, waves }: NonNullable<Summary['scenario']>): string[] {
  return [
    because === null ? `The rollout is ${state}.` : `The rollout is ${state}: ${because}`,
    ...waves.map(
      ({ size, granted, proven, failed, undone }, index) =>
        `wave ${index + 1}: ${granted} of ${size} terminals got the versions; ${proven} proven, ${failed} failed, ${undone} undone`,
    ),
  ];
}
