import { Counter, Gauge, type Registry } from 'prom-client';

import { SAME_ON_EACH_NODE } from './storage-metrics.js';

/** Numbers of the whole fleet, over all companies. */
export interface FleetFigures {
  /** Records by kind, for example `devices`. */
  readonly records: Readonly<Record<string, number>>;
  readonly queuedDeliveries: number;
}

/** Values about storage, fleet and traces that are read when the metrics are requested. */
export interface OperationSources {
  /** Null where they could not be read. */
  readonly fleet: () => Promise<FleetFigures | null>;
  /** How far live subscriptions are behind. */
  readonly ledgerDelaySeconds: () => number;
  /** Null where there was no backup. */
  readonly backupAgeSeconds: () => number | null;
  /** Connections of a pool by state: `used`, `idle`, `waiting`; empty where there is no pool. */
  readonly connections: () => Readonly<Record<string, number>>;
  readonly droppedTraces: () => number;
}

export function addOperationSources(sources: OperationSources, register: Registry): void {
  const registers = [register];
  addFleet(sources, register);
  new Gauge({
    ...{ name: 'ledger_event_delay_seconds', registers },
    help: 'Age of the oldest change that a live subscription has not been given yet.',
    collect() {
      this.set(sources.ledgerDelaySeconds());
    },
  });
  new Gauge({
    ...{ name: 'database_backup_age_seconds', help: 'Time since the last backup.', registers },
    collect() {
      const age = sources.backupAgeSeconds();
      if (age === null) this.remove();
      else this.set(age);
    },
  });
  new Gauge({
    ...{
      name: 'database_connections',
      help: 'Connections to PostgreSQL: used, idle, waiting.',
      labelNames: ['state'],
      registers,
    },
    collect() {
      for (const [state, number] of Object.entries(sources.connections())) this.set({ state }, number);
    },
  });
  new Counter({
    ...{ name: 'traces_dropped_total', help: 'Spans that could not be sent to the collector.', registers },
    collect() {
      this.reset();
      this.inc(sources.droppedTraces());
    },
  });
}

function addFleet({ fleet }: Pick<OperationSources, 'fleet'>, register: Registry): void {
  const registers = [register];
  new Gauge({
    ...{
      name: 'records',
      help: `Records of all companies, at most 15 seconds old. ${SAME_ON_EACH_NODE}`,
      labelNames: ['kind'],
      registers,
    },
    async collect() {
      const figures = await fleet();
      this.reset();
      for (const [kind, total] of Object.entries(figures?.records ?? {})) this.set({ kind }, total);
    },
  });
  new Gauge({
    ...{
      name: 'deliveries_queued',
      help: `Deliveries of notifications that wait, at most 15 seconds old. ${SAME_ON_EACH_NODE}`,
      registers,
    },
    async collect() {
      const figures = await fleet();
      if (figures === null) this.remove();
      else this.set(figures.queuedDeliveries);
    },
  });
}
