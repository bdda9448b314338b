import { randomUUID } from 'node:crypto';
import { z } from 'zod';

import { SECOND } from '../platform/clock.js';
import { createRandom } from '../platform/random.js';
import { rule } from '../platform/rules.js';
import type { Api } from './api.js';
import type { PushedMessage } from './inbox.js';
import { sendLog } from './logs.js';
import { COMMAND_BEHAVIOURS, drawSome, type CommandFault } from './shared.js';
import type { TerminalParts } from './terminal-http.js';

/** Terminals of a scenario that do not simply do the commands that they get. */
export const WantedFault = z
  .strictObject({
    behaviour: z.enum(COMMAND_BEHAVIOURS),
    /** Percent of the simulated terminals, rounded up; or the terminals themselves. */
    percent: z.number().min(0).max(100).optional(),
    serialNumbers: z.array(z.string()).min(1).optional(),
    /** 5 to 60 at random for late ones without it. */
    seconds: z.number().min(0).max(86_400).optional(),
  })
  .refine(
    ({ percent, serialNumbers }) => (percent === undefined) !== (serialNumbers === undefined),
    rule('must have exactly one of {choices}', { choices: 'percent, serialNumbers' }),
  );
export type WantedFault = z.output<typeof WantedFault>;

/** Faults by serial numbers, each terminal with one at most: the same seed makes the same choices. */
export function drawFaults(
  wanted: readonly WantedFault[],
  serialNumbers: readonly string[],
  seed: number,
): ReadonlyMap<string, CommandFault> {
  const random = createRandom(seed);
  const drawn = new Map<string, CommandFault>();
  for (const fault of wanted) {
    const free = serialNumbers.filter((each) => !drawn.has(each)).toSorted();
    const share = ((fault.percent ?? 0) * serialNumbers.length) / 100;
    const named = fault.serialNumbers?.filter((each) => free.includes(each));
    for (const serial of named ?? drawSome(random, free, share)) drawn.set(serial, fault);
  }
  return drawn;
}

/** Actions that a run sends to some terminals now and then. */
export const SENT_ACTIONS = ['REBOOT', 'APP_UPDATE', 'SEND_LOG', 'SYSTEM_UPDATE'] as const;

const SEND = `mutation ($input: CommandSendInput!, $target: DeviceTargetInput!) {
  commandSend(input: $input, target: $target) { count } }`;

/** Sends a command to the terminals with these serial numbers, once however often it is sent. Errors: `SimulationRefused`. */
export async function sendCommand(
  api: Api,
  input: { readonly action: string; readonly expiresAt: Date; readonly urgent: boolean },
  serialNumbers: readonly string[],
): Promise<void> {
  const target = { filter: { serialNumber: { in: [...new Set(serialNumbers)] } } };
  await api.graphql(SEND, { input, target }, { 'idempotency-key': randomUUID() });
}

const OPEN = `{ commands(first: 100, orderBy: { field: ID, direction: DESC }) {
  nodes { expiresAt summary { waiting sent } } } }`;
const Open = z.object({
  commands: z.object({
    nodes: z.array(
      z.object({ expiresAt: z.coerce.date(), summary: z.object({ waiting: z.int(), sent: z.int() }) }),
    ),
  }),
});

/** Number of terminals that have not confirmed one of the latest commands, which has not ended at this time. */
export async function openCommands(api: Api, now: Date): Promise<number> {
  const { nodes } = Open.parse(await api.graphql(OPEN, {})).commands;
  return nodes
    .filter(({ expiresAt }) => expiresAt > now)
    .reduce((sum, { summary: { waiting, sent } }) => sum + waiting + sent, 0);
}

/** Shares of commands that a terminal cannot do, and does later than others, unless a scenario says so. */
const FAILS = 0.05;
const LATE = 0.05;
/** Clocks of the server and of the terminal, and the way of the command, may differ by so much. */
const TOLERANCE_MS = 5 * SECOND;

/** Actions that a terminal does in a way of its own; it does nothing for the others, and reports that they are done. */
interface Actions {
  readonly update: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

/** Does the commands that a terminal gets, each once, and reports what became of them. */
export class Commands {
  constructor(
    private readonly parts: TerminalParts,
    private readonly actions: Actions,
  ) {}

  /** Call once for each id, when the command was confirmed, which may be long after it came. Errors: `RunIsOver`. */
  async take({ id, message, expires_at: end = '' }: PushedMessage, receivedAt: Date): Promise<void> {
    const { random, shared, serialNumber } = this.parts;
    const { stats, work } = shared;
    const endsAt = Date.parse(end);
    if (receivedAt.getTime() > endsAt + TOLERANCE_MS)
      stats.broke('late_command', `terminal ${serialNumber}: ${message} ended at ${end}`);
    const { behaviour, seconds } = this.#fault();
    const pause = seconds ?? (behaviour === 'late' ? random.whole(5, 60) : 0);
    await work.pause(pause * SECOND);
    if (shared.clock.now().getTime() > endsAt) return;
    const action = message.split('|')[1] ?? '';
    if (behaviour === 'fails' || behaviour === 'refuses') {
      const state = behaviour === 'fails' ? 'failed' : 'refused';
      await this.#report(id, { state, code: 'SIMULATED', detail: `${action} is not possible now` });
      stats.count('commands_failed');
      return;
    }
    if (action === 'REBOOT') await this.actions.restart();
    if (action === 'APP_UPDATE') await this.actions.update();
    if (action === 'SEND_LOG') await sendLog(this.parts, id);
    // The report after a restart shows that it was done.
    if (action !== 'REBOOT') await this.#report(id, { state: 'done' });
    stats.count('commands_done');
  }

  /** The fault of the terminal with a command; nothing if it simply does it. */
  #fault(): CommandFault {
    const { random, shared, serialNumber } = this.parts;
    if (shared.commandFaults !== null) return shared.commandFaults.get(serialNumber) ?? {};
    if (!shared.hasFaults) return {};
    if (random.chance(LATE)) return { behaviour: 'late' };
    return random.chance(FAILS) ? { behaviour: 'fails' } : {};
  }

  async #report(id: string, body: object): Promise<void> {
    await this.parts.http.post(`/terminal/v1/commands/${id}`, JSON.stringify(body));
  }
}
