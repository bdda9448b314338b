import type { DispatchRate } from '../platform/concurrency/dispatch-rate.js';
import type { MqttSettings } from '../platform/config/mqtt.js';
import type { Logger } from '../platform/logger.js';
import { Confirmations } from './confirmations.js';
import { MqttFigures, type DeliveryQueue, type HeldDelivery } from './delivery-queue.js';
import { BrokerLink, LINK_TIMES, type LinkTimes } from './link.js';
import { Publisher } from './publisher.js';

export interface MqttOptions<D extends HeldDelivery> {
  readonly broker: MqttSettings;
  readonly queue: DeliveryQueue<D>;
  /** Rate limit shared by all transports, and its messages per second. */
  readonly pace: Pick<DispatchRate, 'take'>;
  readonly perSecond: number;
  readonly logger: Logger;
  readonly onError: (error: unknown) => void;
  readonly times?: Partial<LinkTimes>;
}

export type MqttService = ReturnType<typeof createMqttService>;

/** Sends notifications over MQTT after `start`. */
export function createMqttService<D extends HeldDelivery>(options: MqttOptions<D>) {
  const { broker, queue, pace, perSecond, logger, onError } = options;
  const figures = new MqttFigures();
  const confirmations = new Confirmations(queue, figures, onError);
  const link: BrokerLink = new BrokerLink({
    broker,
    logger,
    figures,
    times: { ...LINK_TIMES, ...options.times },
    onMessage: (topic, payload) => confirmations.take(topic, payload),
    onConnected: () => publisher.wake(),
  });
  const publisher = new Publisher({
    queue,
    figures,
    pace,
    perSecond,
    onError,
    connection: () => link.connection,
    onAcknowledged: () => link.succeeded(),
  });
  return {
    figures,
    start: (): void => {
      link.start();
      publisher.start();
    },
    /** Call when there may be new messages. */
    wake: (): void => publisher.wake(),
    /** Stops after the messages being published, and stores the received confirmations. */
    stop: async (): Promise<void> => {
      await publisher.stop();
      await link.stop();
      await confirmations.finish();
    },
  };
}
