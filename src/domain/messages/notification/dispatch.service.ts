/**
 * Hands deliveries out. Each call is in a unit that writes in the company, so no two nodes claim one
 * (decisions.md#deliveries). What waits for a logical number, or for a device, is due again when one of its devices may use the service: by
 * the triggers `wake_deliveries_of_new_devices` and `wake_deliveries_of_devices`.
 */
import type { CompanyWriteWork, SystemReadWork, ReadWork, WriteWork } from '../../../database/work.js';
import { SECOND } from '../../../platform/clock.js';
import { DomainError, notFound } from '../../../platform/errors.js';
import { NotificationConfirm } from '../../../platform/terminal.js';
import { orProblem, idFromText, parse } from '../../../platform/validate.js';
import type { Device } from '../../fleet/device/device.model.js';
import { foldedCompany } from '../../people/company/company.model.js';
import { lastPosition, selectFacts, type TerminalFacts } from './delivery-list.repository.js';
import { noteConfirmed, reportDeliveries } from './delivery.repository.js';
import * as store from './dispatch.repository.js';
import { end } from './ending.service.js';
import {
  LEASE_MS,
  MAX_ATTEMPTS,
  type ClaimedDelivery,
  type Confirmation,
  type ConfirmationResult,
  type Receiver,
} from './notification.model.js';
import { lanesOf, messageOf, stepOf, upToHeld } from './notification.rules.js';

const MAX_TAKEN = 20;

/** The first company after `companyId`, or the first of all, with a delivery to claim. */
export async function nextDueCompany(work: SystemReadWork, companyId: number): Promise<number | null> {
  return (
    (await store.findDueCompanyAfter(work, companyId)) ?? (await store.findDueCompanyAfter(work, 0)) ?? null
  );
}

/** Claims the oldest due deliveries for a worker, one of each lane. They stay `queued` until `markSent`. */
export async function claimDeliveries(work: CompanyWriteWork, limit: number) {
  const { claimable, unreachable } = await endOld(work, await store.selectDue(work, limit));
  if (unreachable.length > 0) await store.postpone(work, unreachable);
  return await hold(work, claimable, null);
}

/**
 * Claims waiting deliveries of terminals, by device id. Each lane keeps its order: while one of its deliveries is claimed,
 * later ones wait. If terminals share a logical number, the first one gets the notifications. Constant number of statements.
 */
export async function claimForTerminals(
  work: CompanyWriteWork,
  terminals: readonly Receiver[],
): Promise<ReadonlyMap<number, readonly ClaimedDelivery[]>> {
  if (terminals.length === 0) return new Map();
  const all = terminals.toReversed().flatMap((one) => lanesOf(one).map((lane) => [lane, one] as const));
  const receivers = new Map(all);
  const waiting = await store.selectWaiting(work, [...receivers.keys()], MAX_TAKEN);
  const free = terminals.flatMap((terminal) =>
    lanesOf(terminal)
      .filter((lane) => receivers.get(lane) === terminal)
      .flatMap((lane) => upToHeld(waiting.get(lane) ?? [], work.now))
      .slice(0, MAX_TAKEN),
  );
  const { claimable } = await endOld(work, free);
  const claimed = await hold(work, claimable, receivers);
  if (claimed.length > 0) reportDeliveries(work);
  work.count('sentDeliveries', claimable.filter(({ state }) => state === 'queued').length);
  return Map.groupBy(claimed, ({ lane }) => receivers.get(lane)?.id ?? 0);
}

/** Ends deliveries that have waited for too long, or were tried too often. Returns the others. */
async function endOld(work: CompanyWriteWork, waiting: readonly store.Waiting[]) {
  const bySteps = Map.groupBy(waiting, (delivery) => stepOf(delivery, work.now));
  await end(work, idsOf(bySteps.get('expire') ?? []), 'expired');
  const reason = `It was sent ${MAX_ATTEMPTS} times and never confirmed.`;
  await end(work, idsOf(bySteps.get('fail') ?? []), 'failed', { reason });
  return { claimable: bySteps.get('claim') ?? [], unreachable: bySteps.get('postpone') ?? [] };
}

async function hold(
  work: CompanyWriteWork,
  waiting: readonly store.Waiting[],
  /** The terminals that are given them, by lane; null for a worker. */
  receivers: ReadonlyMap<number, Receiver> | null,
): Promise<readonly ClaimedDelivery[]> {
  const leaseEndsAt = new Date(work.now.getTime() + LEASE_MS);
  const given = new Map(waiting.map((one) => [one.id, receivers?.get(one.lane)?.serialNumber ?? null]));
  await store.claim(work, given, leaseEndsAt);
  const { companyId } = work.caller;
  return waiting.map((delivery) => {
    const { appName, companyName, timeZone, isCommand } = delivery;
    const app = appName === null ? null : `${foldedCompany(companyName)}_${appName}`;
    const message = messageOf(delivery, timeZone);
    return { ...delivery, companyId, leaseEndsAt, message, app, ...(isCommand && { command: delivery }) };
  });
}

/** Marks deliveries that a broker has as sent, and ends their claims: a connection of the terminal can get them too. */
export async function markSent(work: CompanyWriteWork, claimed: readonly ClaimedDelivery[]): Promise<void> {
  await store.setSent(work, idsOf(claimed));
  await store.endClaims(work, claimed, null);
  reportDeliveries(work);
}

/** Releases deliveries that no broker took: they are due now, and the attempts do not count. */
export async function releaseDeliveries(
  work: CompanyWriteWork,
  claimed: readonly ClaimedDelivery[],
): Promise<void> {
  await store.endClaims(work, claimed, work.now);
  reportDeliveries(work);
}

/** Makes the first delivery of each lane of these numbers due, unless claimed: a terminal has connected to a broker. */
export async function sendAgain(work: CompanyWriteWork, logicalNumbers: ReadonlySet<string>): Promise<void> {
  if (logicalNumbers.size === 0) return;
  await store.makeDue(work, [...logicalNumbers]);
  reportDeliveries(work);
}

/**
 * Stores confirmations; one result for each. That of a delivery that has ended in another state is stored besides
 * this state. `unknown`: no such delivery, or given to another terminal; over MQTT also if neither an enabled device
 * has the logical number nor the terminal that got it may use the service. Constant number of statements.
 */
export async function confirmDeliveries(work: CompanyWriteWork, confirmations: readonly Confirmation[]) {
  const ids = confirmations.flatMap(({ event }) => idFromText(event) ?? []);
  const handed = await store.selectHanded(work, ids);
  const confirmed = new Set<number>();
  const late = new Set<number>();
  const results = confirmations.map((confirmation): ConfirmationResult => {
    const delivery = handed.get(idFromText(confirmation.event) ?? 0);
    if (delivery === undefined || !delivery.wasHanded || !isFor(delivery, confirmation)) return 'unknown';
    if (delivery.state !== 'queued' && delivery.state !== 'sent') {
      if (delivery.confirmedAt === null) late.add(delivery.id);
      return 'repeated';
    }
    if (confirmed.has(delivery.id)) return 'repeated';
    confirmed.add(delivery.id);
    return 'confirmed';
  });
  await end(work, [...confirmed], 'delivered');
  await noteConfirmed(work, [...late]);
  return results;
}

function isFor(delivery: store.Handed, confirmation: Confirmation): boolean {
  if ('logicalNumber' in confirmation) {
    return delivery.isReachable && confirmation.logicalNumber === delivery.logicalNumber;
  }
  const { id, serialNumber, logicalNumberId } = confirmation;
  if (delivery.deviceId !== null) return id === delivery.deviceId;
  return delivery.serialNumber === null
    ? logicalNumberId === delivery.logicalNumberId
    : serialNumber === delivery.serialNumber;
}

const idsOf = (deliveries: readonly { readonly id: number }[]): readonly number[] =>
  deliveries.map(({ id }) => id);

/** Cached tokens are accepted for this time after they were revoked or replaced. */
const TOKEN_KNOWN_MS = 10 * SECOND;
const LOOK_AGAIN_MS = 3 * SECOND;

export interface DeliveryCheck {
  readonly companyId: number;
  /** True if a delivery is free for the terminal. */
  readonly isAvailable: boolean;
  /** Position of the latest change that the check has seen. */
  readonly position: number;
  readonly facts: TerminalFacts;
  readonly lanes: readonly number[];
  readonly tokenId: number | null;
  /** Time of the next check without a change; null if none is needed. */
  readonly againAt: Date | null;
  /** When the first lease of a first delivery ends, which is then free unless confirmed; null if none is claimed. */
  readonly heldUntil: Date | null;
}

interface CheckedTerminal {
  readonly terminal: Device & { readonly logicalNumberId: number };
  readonly tokenId: number | null;
}

/** Checks terminals for deliveries, with a constant number of statements. */
export async function checkForAll(work: ReadWork, all: readonly CheckedTerminal[]) {
  const position = await lastPosition(work);
  const lanes = new Set(all.flatMap(({ terminal }) => lanesOf(terminal)));
  const waiting = await store.selectWaiting(work, [...lanes], 1);
  const ids = all.map(({ terminal }) => terminal.id);
  const found = await selectFacts(work, ids);
  return all.map(({ terminal, tokenId }) => {
    const facts = found.get(terminal.id);
    if (facts === undefined) throw new Error('A terminal was admitted in this unit without a device');
    const own = lanesOf(terminal);
    const first = own.flatMap((lane) => waiting.get(lane) ?? []);
    const held = first.flatMap(({ leaseEndsAt: end }) => (end !== null && end > work.now ? [end] : []));
    return {
      companyId: work.caller.companyId,
      isAvailable: held.length < first.length,
      position,
      facts,
      lanes: own,
      tokenId,
      againAt: tokenId === null ? nextLook(work.now, facts) : null,
      heldUntil: earliest(held),
    };
  });
}

const earliest = ([first, ...others]: readonly Date[]): Date | null =>
  first === undefined ? null : others.reduce((one, other) => (other < one ? other : one), first);

/** When to look at a token again: while another node may still take it for valid, and when an old one ends. */
function nextLook(now: Date, { issuedAt, oldUntil }: TerminalFacts): Date | null {
  if (oldUntil !== null && oldUntil > now) return oldUntil;
  const changedAt = Math.max((issuedAt ?? now).getTime(), oldUntil?.getTime() ?? 0);
  return now.getTime() - changedAt < TOKEN_KNOWN_MS ? new Date(now.getTime() + LOOK_AGAIN_MS) : null;
}

export interface ClaimedDeliveries {
  readonly found: DeliveryCheck;
  readonly deliveries: readonly ClaimedDelivery[];
}

/** Claims the free deliveries of terminals. */
export async function takeForAll(work: WriteWork, all: readonly CheckedTerminal[]) {
  const checks = await checkForAll(work, all);
  const free = all.filter((_, index) => checks[index]?.isAvailable === true);
  const first = new Map(free.toReversed().map(({ terminal }) => [terminal.id, terminal]));
  const left = new Map(await claimForTerminals(work, [...first.values()].toReversed()));
  const ends = new Map([...left.values()].flat().map(({ lane, leaseEndsAt }) => [lane, leaseEndsAt]));
  return checks.map((check) => {
    const { deviceId } = check.facts;
    const deliveries = left.get(deviceId) ?? [];
    // The first request of a terminal gets them.
    left.delete(deviceId);
    // Claimed deliveries are free again when their lease ends.
    const heldUntil = earliest(check.lanes.flatMap((lane) => ends.get(lane) ?? []));
    return { found: heldUntil === null ? check : { ...check, isAvailable: false, heldUntil }, deliveries };
  });
}

/** Stores confirmations. Returns an empty object for each, or its error: `invalid`, `not_found`. */
export async function confirmForAll(
  work: WriteWork,
  all: readonly { readonly terminal: Receiver; readonly input: unknown }[],
): Promise<readonly (object | Error)[]> {
  const given = all.map(({ terminal: { id, logicalNumberId, serialNumber }, input }) =>
    orProblem(() => ({ id, logicalNumberId, serialNumber, event: parse(NotificationConfirm, input).event })),
  );
  const confirmations = given.flatMap((one) => (one instanceof DomainError ? [] : [one]));
  const results = (await confirmDeliveries(work, confirmations)).values();
  return given.map((one) => {
    if (one instanceof DomainError) return one;
    return results.next().value === 'unknown' ? notFound('notification') : {};
  });
}
