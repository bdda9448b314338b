import type { ReadWork } from '../../../../database/work.js';
import { SECOND } from '../../../../platform/clock.js';
import type { Device } from '../../../fleet/device/device.model.js';
import { selectWaiting } from '../delivery/dispatch.repository.js';
import { findTokens, lastPosition, type TerminalFacts } from './waiting.repository.js';

/** Cached tokens are accepted for this time after they were revoked or replaced. */
const TOKEN_KNOWN_MS = 10 * SECOND;
const LOOK_AGAIN_MS = 3 * SECOND;

/** State of a terminal's deliveries when it begins to wait. */
export interface DeliveryCheck {
  readonly companyId: number;
  /** Whether a delivery is free for the terminal. */
  readonly isAvailable: boolean;
  /** Position of the latest change that the check has seen. */
  readonly position: number;
  readonly facts: TerminalFacts;
  /** Id of the gateway token; null with the token of the device. */
  readonly tokenId: number | null;
  /** Time of the next check without a change; null if none is needed. */
  readonly againAt: Date | null;
  /** End of the first delivery's lease, after which it is free unless confirmed; null if not claimed. */
  readonly heldUntil: Date | null;
}

/** A terminal that may use the service. */
export interface CheckedTerminal {
  readonly terminal: Device & { readonly logicalNumberId: number };
  /** Id of the gateway token; null with the token of the device. */
  readonly tokenId: number | null;
}

/** Checks terminals of the company for deliveries, with a constant number of statements. */
export async function checkForAll(
  work: ReadWork,
  all: readonly CheckedTerminal[],
): Promise<readonly DeliveryCheck[]> {
  const position = await lastPosition(work);
  const numbers = new Set(all.map(({ terminal }) => terminal.logicalNumberId));
  const waiting = await selectWaiting(work, [...numbers], 1);
  const tokens = await findTokens(
    work,
    all.map(({ terminal }) => terminal.id),
  );
  return all.map(({ terminal: { id, serialNumber, enabled, logicalNumberId }, tokenId }) => {
    const [first] = waiting.get(logicalNumberId) ?? [];
    const token = tokens.get(id);
    const heldUntil = first?.leaseEndsAt ?? null;
    const isHeld = heldUntil !== null && heldUntil > work.now;
    const isTokenNew =
      tokenId === null &&
      (token === undefined || work.now.getTime() - token.issuedAt.getTime() < TOKEN_KNOWN_MS);
    return {
      companyId: work.caller.companyId,
      isAvailable: first !== undefined && !isHeld,
      position,
      facts: { deviceId: id, serialNumber, enabled, logicalNumberId, tokenHash: token?.hash ?? null },
      tokenId,
      againAt: isTokenNew ? new Date(work.now.getTime() + LOOK_AGAIN_MS) : null,
      heldUntil: isHeld ? heldUntil : null,
    };
  });
}
