import { MINUTE, SECOND } from '../platform/clock.js';
import type { TerminalParts } from './terminal-http.js';

const LINES = [
  'INFO  network: connected over GPRS, signal 71%',
  'INFO  update: manifest not changed',
  'WARN  network: connection lost, trying again in 5 s',
  'ERROR network: no answer from the host after 30 s',
  'INFO  sale: approved, nsu=004711',
  'INFO  printer: paper is low',
  // Number of a test card, which the server hides.
  'DEBUG emv: pan=4111111111111111',
] as const;

/** Sends a log of the last minutes; `command` is the one that asked for it. */
export async function sendLog(parts: TerminalParts, command?: string): Promise<void> {
  const { http, random, serialNumber, shared } = parts;
  const now = shared.clock.now().getTime();
  const count = random.whole(20, 200);
  const lines = Array.from({ length: count }, (_, n) => {
    const at = new Date(now - MINUTE - (count - n) * SECOND).toISOString();
    return `${at} ${LINES[random.whole(0, LINES.length - 1)] ?? ''}\n`;
  });
  const query = new URLSearchParams({
    name: 'main.log',
    at: new Date(now).toISOString(),
    ...(command !== undefined && { command }),
  });
  const text = `${serialNumber} starts\n${lines.join('')}`;
  const headers = { 'content-type': 'text/plain' };
  await http.post(`/terminal/v1/logs?${query.toString()}`, text, { headers });
  shared.stats.count('logs_sent');
}
