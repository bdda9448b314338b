import { expect, it } from 'vitest';

import { placeAt } from '../../support/databases/sqlite-place.js';
import { freePort } from '../../support/free-port.js';
import { openTo, startMosquitto, WITHOUT_MOSQUITTO } from '../../support/mqtt/mosquitto.js';
import { useScratchFolder } from '../machine.js';
import { serversOn, terminalRounds, type TerminalRounds, timeFor } from './rounds.js';

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));

/** `npm run faults` makes hundreds. */
const ROUNDS = 1;

it.skipIf(WITHOUT_MOSQUITTO !== null)(
  'CF-23 kill -9 of the broker during deliveries loses none, and doubles none on one connection',
  async () => {
    const port = await freePort();
    const servers = await serversOn(placeAt(file), 1, { MQTT_URL: `mqtt://127.0.0.1:${port}` });
    const start = () => startMosquitto(folder, port, openTo(port));
    const broker = { port, start };
    let receivedInRounds = 0;
    const onRound: TerminalRounds['onRound'] = (_round, { notifications_received: received }) => {
      receivedInRounds = received;
    };
    const summary = await terminalRounds({ ...servers, rounds: ROUNDS, terminals: 15, broker, onRound });
    expect(receivedInRounds).toBeGreaterThan(0);
    expect(summary).toMatchObject({ broken: [], notifications_outstanding: 0, connected: 15 });
    expect(summary.notifications_received).toBeGreaterThanOrEqual(15 * summary.notifications_sent);
  },
  timeFor(ROUNDS),
);
