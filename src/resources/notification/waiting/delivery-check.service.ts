import type { ReadWork } from '../../../database/work.js';
import { SECOND } from '../../../platform/clock.js';
import type { Device } from '../../device/device.model.js';
import { selectWaiting } from '../delivery/dispatch.repository.js';
import { findTokens, lastPosition, type TerminalFacts } from './waiting.repository.js';

/** A token that was looked up may be used for so long after it has ended, and for a device that got another one. */
const TOKEN_KNOWN_MS = 10 * SECOND;
const LOOK_AGAIN_MS = 3 * SECOND;

/** What a terminal that begins to wait has found. */
export interface DeliveryCheck {
  readonly companyId: number;
  /** Whether something is free to be handed out to it. */
  readonly isAvailable: boolean;
  /** Changes up to this one are known. */
  readonly position: number;
  readonly facts: TerminalFacts;
  /** Id of the gateway token; null with the token of the device. */
  readonly tokenId: number | null;
  /** When to look again though nothing has changed; null if there is no need. */
  readonly againAt: Date | null;
  /** The end of the lease by which the first delivery is held; null if none is. Unless it is confirmed, it is free then. */
  readonly heldUntil: Date | null;
}

/** A terminal that may use the service. */
export interface CheckedTerminal {
  readonly terminal: Device & { readonly logicalNumberId: number };
  /** Id of the gateway token; null with the token of the device. */
  readonly tokenId: number | null;
}

/** Looks for deliveries for terminals of the company. Constant statements. */
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
