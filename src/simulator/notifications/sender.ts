import { randomUUID } from 'node:crypto';

import type { Api } from '../api.js';
import type { Shared } from '../shared.js';
import type { SimulatedTerminal } from '../terminal.js';

/** Sends notifications through `/v1` to the terminals of a run, so that what is lost is noticed. */
export class NotificationSender {
  constructor(
    private readonly shared: Shared,
    private readonly api: Api,
    /** Null if they are for each terminal by its logical number. */
    private readonly groupId: number | null,
  ) {}

  /** Sends one to all connected terminals. Errors: `SimulationRefused`. */
  async send(terminals: readonly SimulatedTerminal[]): Promise<void> {
    const { sent, figures } = this.shared;
    const connected = terminals.filter(({ isConnected }) => isConnected);
    if (connected.length === 0) return;
    const content = sent.add(connected.map(({ serialNumber }) => serialNumber));
    const target =
      this.groupId === null
        ? { range: 'specific_logical_numbers', logical_numbers: connected.map((each) => each.logicalNumber) }
        : { range: 'group', group_id: this.groupId };
    // The key makes a repetition after a lost answer safe.
    const headers = { 'idempotency-key': randomUUID() };
    const body = JSON.stringify({ content, ...target });
    await this.api.ask({ method: 'POST', path: '/v1/notifications', headers, body });
    figures.count('notifications_sent');
  }

  /** One in each interval, until the activities of terminals end. Errors: `SimulationRefused`. */
  async repeat(terminals: readonly SimulatedTerminal[], everyMs: number): Promise<void> {
    const { work } = this.shared;
    for (;;) {
      await work.pause(everyMs);
      if (work.hasEnded()) return;
      await this.send(terminals);
    }
  }
}
