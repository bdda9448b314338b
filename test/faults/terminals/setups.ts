import { SECOND } from '../../../src/platform/clock.js';
import type { TestPlace } from '../../support/databases/place.js';
import { freePort } from '../../support/free-port.js';
import { prepareDatabase } from '../../support/prepared-database.js';
import { startProgram } from '../../support/program.js';
import type { TerminalRounds } from './rounds.js';

type Setup = Pick<TerminalRounds, 'token' | 'ports' | 'startServer'>;

/** Servers of the built program on a database without tables. */
export async function serversOn(
  place: TestPlace,
  count: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Setup> {
  const { token } = await prepareDatabase(place);
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  return {
    ...{ token, ports },
    startServer: (port) => startProgram(place.url, { environment: { ...environment, PORT: String(port) } }),
  };
}

/** A round takes some seconds; at the end, what was on its way comes again after its lease. */
export const timeFor = (rounds: number): number => (120 + 15 * rounds) * SECOND;
