/** Checks, claims and confirmations of many terminals of a company together. */
import { CompanyRows } from '../../../../database/company/company-rows.js';
import { instant } from '../../../../database/storage.js';
import type { ReadWork, WriteWork } from '../../../../database/work.js';
import { SECOND } from '../../../../platform/clock.js';
import { DomainError, notFound, orProblem } from '../../../../platform/errors.js';
import { NotificationConfirm } from '../../../../platform/terminal.js';
import { parse } from '../../../../platform/validate.js';
import type { Device } from '../../../fleet/device/device.model.js';
import type { ClaimedDelivery, Confirmation } from '../delivery/delivery.model.js';
import { selectWaiting } from '../delivery/dispatch.repository.js';
import { claimForTerminals, confirmDeliveries } from '../delivery/dispatch.service.js';
import { lastPosition, type TerminalFacts } from './waiting.repository.js';

/** Cached tokens are accepted for this time after they were revoked or replaced. */
const TOKEN_KNOWN_MS = 10 * SECOND;
const LOOK_AGAIN_MS = 3 * SECOND;

const deviceTokens = new CompanyRows('device_tokens');

/** State of a terminal's deliveries when it begins to wait. */
export interface DeliveryCheck {
  readonly companyId: number;
  /** Whether a delivery is free for the terminal. */
  readonly isAvailable: boolean;
  /** Position of the latest change that the check has seen. */
  readonly position: number;
  readonly facts: TerminalFacts & { readonly logicalNumberId: number };
  /** Id of the gateway token; null with the token of the device. */
  readonly tokenId: number | null;
  /** Time of the next check without a change; null if none is needed. */
  readonly againAt: Date | null;
  /** End of the first delivery's lease, after which it is free unless confirmed; null if not claimed. */
  readonly heldUntil: Date | null;
}

/** A terminal that may use the service. */
interface CheckedTerminal {
  readonly terminal: Device & { readonly logicalNumberId: number };
  /** Id of the gateway token; null with the token of the device. */
  readonly tokenId: number | null;
}

/** Checks terminals for deliveries, with a constant number of statements. */
export async function checkForAll(
  work: ReadWork,
  all: readonly CheckedTerminal[],
): Promise<readonly DeliveryCheck[]> {
  const position = await lastPosition(work);
  const numbers = new Set(all.map(({ terminal }) => terminal.logicalNumberId));
  const waiting = await selectWaiting(work, [...numbers], 1);
  const rows = await deviceTokens.select(work, { device_id: all.map(({ terminal }) => terminal.id) });
  const tokens = new Map(rows.map((row) => [row.device_id, row]));
  return all.map(({ terminal: { id, serialNumber, enabled, logicalNumberId }, tokenId }) => {
    const [first] = waiting.get(logicalNumberId) ?? [];
    const token = tokens.get(id);
    const heldUntil = first?.leaseEndsAt ?? null;
    const isHeld = heldUntil !== null && heldUntil > work.now;
    const issuedAt = token === undefined ? work.now : instant.fromColumn(token.issued_at);
    const isTokenNew = tokenId === null && work.now.getTime() - issuedAt.getTime() < TOKEN_KNOWN_MS;
    return {
      companyId: work.caller.companyId,
      isAvailable: first !== undefined && !isHeld,
      position,
      facts: { deviceId: id, serialNumber, enabled, logicalNumberId, tokenHash: token?.token_hash ?? null },
      tokenId,
      againAt: isTokenNew ? new Date(work.now.getTime() + LOOK_AGAIN_MS) : null,
      heldUntil: isHeld ? heldUntil : null,
    };
  });
}

/** Result of a check, and the deliveries that were claimed. */
export interface ClaimedDeliveries {
  readonly found: DeliveryCheck;
  readonly deliveries: readonly ClaimedDelivery[];
}

/**
 * Checks terminals for deliveries and claims the free ones. If several terminals have the same logical
 * number, the first one gets them.
 */
export async function takeForAll(
  work: WriteWork,
  all: readonly CheckedTerminal[],
): Promise<readonly ClaimedDeliveries[]> {
  const checks = await checkForAll(work, all);
  const free = all.filter((_, index) => checks[index]?.isAvailable === true);
  const first = new Map(free.toReversed().map(({ terminal }) => [terminal.logicalNumberId, terminal]));
  const claimed = await claimForTerminals(work, [...first.values()]);
  const left = new Map(claimed);
  return checks.map((check) => {
    const { logicalNumberId: number } = check.facts;
    const deliveries = left.get(number) ?? [];
    left.delete(number);
    // Claimed deliveries are free again when their lease ends.
    const heldUntil = claimed.get(number)?.[0]?.leaseEndsAt;
    const found = heldUntil === undefined ? check : { ...check, isAvailable: false, heldUntil };
    return { found, deliveries };
  });
}

interface Confirming {
  readonly terminal: CheckedTerminal['terminal'];
  readonly input: Readonly<Record<string, unknown>>;
}

/** Stores confirmations. Returns an empty object for each, or its error: `invalid`, `not_found`. */
export async function confirmForAll(
  work: WriteWork,
  all: readonly Confirming[],
): Promise<readonly (object | Error)[]> {
  const given = all.map(confirmationOf);
  const confirmations = given.flatMap((one) => (one instanceof DomainError ? [] : [one]));
  const results = (await confirmDeliveries(work, confirmations)).values();
  return given.map((one) => {
    if (one instanceof DomainError) return one;
    return results.next().value === 'unknown' ? notFound('notification') : {};
  });
}

function confirmationOf({ terminal, input }: Confirming): Confirmation | DomainError {
  const { logicalNumberId, serialNumber } = terminal;
  return orProblem(() => ({
    logicalNumberId,
    serialNumber,
    event: parse(NotificationConfirm, input).event,
  }));
}
