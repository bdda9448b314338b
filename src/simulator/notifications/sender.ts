import { randomUUID } from 'node:crypto';

import type { Api } from '../api.js';
import type { Shared } from '../shared.js';
import type { SimulatedTerminal } from '../terminal.js';

export interface Sending {
  readonly api: Api;
  readonly everyMs: number;
  /** Null: to each terminal by its logical number. */
  readonly groupId: number | null;
}

/**
 * Sends notifications through `/v1` to all connected terminals, one in each interval until the activities of
 * terminals end, so that what is lost is noticed. Errors: `SimulationRefused`.
 */
export async function sendNotifications(
  { sent, figures, work }: Shared,
  terminals: readonly SimulatedTerminal[],
  { api, everyMs, groupId }: Sending,
): Promise<void> {
  for (;;) {
    await work.pause(everyMs);
    if (work.hasEnded()) return;
    const connected = terminals.filter(({ isConnected }) => isConnected);
    if (connected.length === 0) continue;
    const content = sent.add(connected.map(({ serialNumber }) => serialNumber));
    const target =
      groupId === null
        ? { range: 'specific_logical_numbers', logical_numbers: connected.map((each) => each.logicalNumber) }
        : { range: 'group', group_id: groupId };
    // The key makes a repetition after a lost answer safe.
    const headers = { 'idempotency-key': randomUUID() };
    const body = JSON.stringify({ content, ...target });
    await api.ask({ method: 'POST', path: '/v1/notifications', headers, body });
    figures.count('notifications_sent');
  }
}
