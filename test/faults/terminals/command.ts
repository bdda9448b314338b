/** `npm run faults -- --terminals`: rounds with simulated terminals, without the test runner. */
import { join } from 'node:path';

import { placeAt } from '../../support/databases/sqlite-place.js';
import { freePort } from '../../support/free-port.js';
import { openTo, startMosquitto, WITHOUT_MOSQUITTO } from '../../support/mqtt/mosquitto.js';
import { faultyPostgres } from '../../support/postgres/boot.js';
import { startProgram } from '../../support/program.js';
import { addCompany } from '../postgres/gateway.js';
import { serversOn, terminalRounds, type TerminalRounds } from './rounds.js';

const TERMINALS = 50;

export interface TerminalCommand {
  readonly rounds: number;
  /** `server` and `broker` on SQLite, `node`: one of two servers on PostgreSQL. */
  readonly kill: string;
  readonly folder: string;
  readonly print: (line: string) => void;
}

/** Resolves to the exit code: 1 if a promise to a terminal was broken. */
export async function runTerminalRounds(options: TerminalCommand): Promise<number> {
  const { rounds, kill, folder, print } = options;
  const common = {
    rounds,
    terminals: TERMINALS,
    onRound: (round, { notifications_received: received, transactions_created: created, broken }) =>
      print(
        `round ${round} of ${rounds}: ${received} notifications received, ${created} transactions stored, ` +
          (broken.length === 0 ? 'no promise broken' : JSON.stringify(broken)),
      ),
  } satisfies Partial<TerminalRounds>;
  const place = placeAt(join(folder, 'gateway.db'));
  if (kill === 'node') return await onPostgres(common, print);
  if (kill !== 'broker') {
    return await finished(terminalRounds({ ...common, ...(await serversOn(place, 1)), broker: null }), print);
  }
  if (WITHOUT_MOSQUITTO !== null) throw new Error(WITHOUT_MOSQUITTO);
  const port = await freePort();
  const servers = await serversOn(place, 1, { MQTT_URL: `mqtt://127.0.0.1:${port}` });
  const broker = { port, start: () => startMosquitto(folder, port, openTo(port)) };
  return await finished(terminalRounds({ ...common, ...servers, broker }), print);
}

type Common = Pick<TerminalRounds, 'rounds' | 'terminals' | 'onRound'>;

async function onPostgres(common: Common, print: TerminalCommand['print']): Promise<number> {
  const postgres = await faultyPostgres();
  try {
    const token = await addCompany(postgres.url);
    const startServer: TerminalRounds['startServer'] = (port) =>
      startProgram(postgres.url, { environment: { PORT: String(port) } });
    const ports = [await freePort(), await freePort()];
    return await finished(terminalRounds({ ...common, token, ports, startServer, broker: null }), print);
  } finally {
    await postgres.stop();
  }
}

async function finished(
  running: ReturnType<typeof terminalRounds>,
  print: TerminalCommand['print'],
): Promise<number> {
  const summary = await running;
  const {
    notifications_sent: sent,
    notifications_received: received,
    notifications_repeated: again,
  } = summary;
  for (const broken of summary.broken) print(JSON.stringify(broken));
  print(
    `${summary.terminals} terminals: ${sent} notifications sent, ${received} received, of these ${again} again after ` +
      `their lease; ${summary.transactions_created} transactions stored; ${summary.errors} broken connections; ` +
      `${summary.broken.length} kinds of promises broken; ${summary.seconds.toFixed(0)} s.`,
  );
  return summary.broken.length === 0 ? 0 : 1;
}
