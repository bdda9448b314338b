import { inCompany, type OfCompany } from '../database/company/company-rows.js';
import type { SystemWriteWork, Units } from '../database/work.js';
import { selectOnlyDevices } from '../domain/fleet/device/device.service.js';
import * as dispatch from '../domain/messages/notification/dispatch.service.js';
import { DELIVERY, type ClaimedDelivery } from '../domain/messages/notification/notification.model.js';
import { noteInstallOfNumber } from '../domain/software/manifest/manifest.service.js';
import type { Confirmation, ConfirmationResult, DeliveryQueue } from '../mqtt/delivery-queue.js';
import type { MqttService } from '../mqtt/service.js';
import { DomainError } from '../platform/errors.js';
import type { Logger } from '../platform/logger.js';
import { LOCAL_ORIGIN, localCaller } from '../platform/requests.js';
import { MqttStats } from '../platform/terminal.js';
import type { HttpHandlerParts } from './http-handlers.js';
import type { Terminals } from './terminals.js';

interface MqttParts extends Pick<HttpHandlerParts, 'config' | 'units' | 'pace' | 'onError'> {
  readonly logger: Logger;
  readonly noteSeen: Terminals['noteSeen'];
}

/** Notifications over MQTT, if there is a broker. Its packages are loaded with a broker only. */
export class Mqtt {
  #service: MqttService | null = null;
  #unfollow = (): void => undefined;

  get state(): MqttStats {
    return this.#service?.stats ?? new MqttStats();
  }

  /** Connects in the background, and tries without an end. */
  async start({ config, logger, units, pace, noteSeen, onError }: MqttParts): Promise<void> {
    const { mqtt: broker, notificationsPerSecond: perSecond } = config;
    if (broker === null) return;
    const { createMqttService } = await import('../mqtt/service.js');
    const queue = queueOf(units, noteSeen);
    const service = createMqttService({ broker, logger, pace, perSecond, onError, queue });
    this.#service = service;
    this.#unfollow = units.onCommitted(() => service.wake(), [DELIVERY]);
    service.start();
  }

  /** Resolves when nothing is held any more. */
  async stop(): Promise<void> {
    this.#unfollow();
    await this.#service?.stop();
  }
}

/** Confirms deliveries, and makes those of terminals that say hello due. */
async function takeAll(work: OfCompany<SystemWriteWork>, confirmations: readonly Confirmation[]) {
  const named = confirmations.flatMap(({ event, logicalNumber }) =>
    event === null ? [] : [{ event, logicalNumber }],
  );
  const results = (await dispatch.confirmDeliveries(work, named)).values();
  const hellos = confirmations.filter(({ event, install }) => event === null && install === undefined);
  await dispatch.sendAgain(work, new Set(hellos.map(({ logicalNumber }) => logicalNumber)));
  return confirmations.map(({ event }) => (event === null ? 'hello' : (results.next().value ?? 'unknown')));
}

/** Stores the report of an installation in a unit of its own, so that other changes can run in between. */
async function takeInstall(units: Units, { companyId, logicalNumber, install }: Confirmation) {
  const caller = localCaller({ companyId, userId: 0, timeZone: 'UTC' });
  try {
    await units.write(caller, (work) => noteInstallOfNumber(work, logicalNumber, install));
    return 'installed';
  } catch (error) {
    if (error instanceof DomainError) return 'unknown';
    throw error;
  }
}

function queueOf(units: Units, noteSeen: Terminals['noteSeen']): DeliveryQueue<ClaimedDelivery> {
  const write = <T>(companyId: number, use: (work: OfCompany<SystemWriteWork>) => Promise<T>): Promise<T> =>
    units.systemWrite(LOCAL_ORIGIN, (work) => use(inCompany(work, companyId)), companyId);
  return {
    nextCompany: (after) => units.systemRead((work) => dispatch.nextDueCompany(work, after)),
    claim: (companyId, limit) => write(companyId, (work) => dispatch.claimDeliveries(work, limit)),
    sent: (companyId, deliveries) => write(companyId, (work) => dispatch.markSent(work, deliveries)),
    releaseDeliveries: (companyId, deliveries) =>
      write(companyId, (work) => dispatch.releaseDeliveries(work, deliveries)),
    confirm: async (companyId, confirmations) => {
      const numbers = new Set(confirmations.map(({ logicalNumber }) => logicalNumber));
      const { results, seen, now } = await write(companyId, async (work) => ({
        results: await takeAll(work, confirmations),
        // A logical number of several enabled devices identifies none of them.
        seen: await selectOnlyDevices(work, [...numbers]),
        now: work.now,
      }));
      for (const deviceId of seen) noteSeen(companyId, deviceId, now);
      const stored: ConfirmationResult[] = [];
      for (const [index, each] of confirmations.entries()) {
        const result = results[index] ?? 'unknown';
        stored.push(each.install === undefined ? result : await takeInstall(units, each));
      }
      return stored;
    },
  };
}
