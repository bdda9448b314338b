import { Counter, Gauge, type Registry } from 'prom-client';

/** State of the MQTT connection, and counts of notifications since the start of the process. */
export interface MqttState {
  readonly isConnected: boolean;
  /** How often a connection to the broker was opened. */
  readonly connections: number;
  readonly published: number;
  readonly acknowledged: number;
  readonly returned: number;
  /** Messages that the broker has yet to acknowledge. */
  readonly inFlight: number;
  /** Number of confirmations by outcome, for example `confirmed` or `unknown`. */
  readonly confirmations: ReadonlyMap<string, number>;
}

type Total = 'connections' | 'published' | 'acknowledged' | 'returned';

const TOTALS: readonly (readonly [name: string, help: string, value: Total])[] = [
  ['mqtt_connections_total', 'Connections to the MQTT broker that were opened.', 'connections'],
  ['mqtt_published_total', 'Notifications published to the MQTT broker.', 'published'],
  ['mqtt_acknowledged_total', 'Notifications that the MQTT broker acknowledged.', 'acknowledged'],
  [
    'mqtt_returned_total',
    'Notifications that the MQTT broker did not acknowledge, to be published again.',
    'returned',
  ],
];

export function addMqtt(state: () => MqttState, register: Registry): void {
  const registers = [register];
  new Gauge({
    ...{ name: 'mqtt_connected', help: '1 while there is a connection to the MQTT broker.', registers },
    collect() {
      this.set(state().isConnected ? 1 : 0);
    },
  });
  new Gauge({
    ...{
      name: 'mqtt_in_flight',
      help: 'Notifications that the MQTT broker has yet to acknowledge.',
      registers,
    },
    collect() {
      this.set(state().inFlight);
    },
  });
  for (const [name, help, value] of TOTALS) {
    new Counter({
      ...{ name, help, registers },
      collect() {
        this.reset();
        this.inc(state()[value]);
      },
    });
  }
  new Counter({
    ...{
      name: 'mqtt_confirmations_total',
      help: 'Confirmations over MQTT, by outcome: confirmed, hello, repeated, unknown, ignored (malformed), dropped (too many waited), failed (could not be stored).',
      registers,
    },
    labelNames: ['outcome'],
    collect() {
      this.reset();
      for (const [outcome, count] of state().confirmations) this.inc({ outcome }, count);
    },
  });
}
