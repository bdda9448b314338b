/** For each alert of the rules: metrics with which it fires, and metrics of a healthy server with which it does not. */
export interface AlertCase {
  readonly fires: Series;
  readonly quiet: Series;
  /** Labels of the alert besides its severity. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Values each minute, in the notation of promtool, by the metric with its labels. */
export type Series = Readonly<Record<string, string>>;

export const MINUTES = 240;
const constant = (value: number): string => `${value}+0x${MINUTES}`;
const growing = (by: number): string => `0+${by}x${MINUTES}`;
const falling = (from: number, by: number): string => `${from}-${by}x${MINUTES}`;

const OF_SERVER = { job: 'terminal-gateway', instance: 'a' };

/** A case of a gauge with these labels, which fires with one value and not with the other. */
function valueOf(metric: string, fires: number, quiet: number, labels: AlertCase['labels'] = {}): AlertCase {
  return { fires: { [metric]: constant(fires) }, quiet: { [metric]: constant(quiet) }, labels };
}

/** A case of a counter that must not grow. */
const grows = (metric: string): AlertCase => ({
  fires: { [metric]: growing(1) },
  quiet: { [metric]: constant(7) },
  labels: OF_SERVER,
});

const SLOW = 'graphql_operation_duration_seconds_bucket{type="query",';

export const ALERT_CASES: Readonly<Record<string, AlertCase>> = {
  TerminalGatewayDown: valueOf('up', 0, 1, OF_SERVER),
  TerminalGatewayRestarts: grows('process_start_time_seconds'),
  TerminalGatewayErrors: {
    fires: {
      'http_requests_total{status="200"}': growing(98),
      'http_requests_total{status="503"}': growing(2),
    },
    quiet: {
      'http_requests_total{status="404"}': growing(50),
      'http_requests_total{status="503"}': growing(0),
    },
    labels: {},
  },
  TerminalGatewayRefusals: {
    fires: { 'http_refused_total{limit="places"}': growing(120) },
    quiet: { 'http_refused_total{limit="places"}': growing(6) },
    labels: { limit: 'places' },
  },
  TerminalGatewaySlowQueries: {
    fires: {
      [`${SLOW}le="2.5"}`]: growing(90),
      [`${SLOW}le="5"}`]: growing(100),
      [`${SLOW}le="+Inf"}`]: growing(100),
    },
    quiet: {
      [`${SLOW}le="0.1"}`]: growing(100),
      [`${SLOW}le="5"}`]: growing(100),
      [`${SLOW}le="+Inf"}`]: growing(100),
    },
    labels: {},
  },
  TerminalGatewayBlocked: valueOf('nodejs_eventloop_lag_p99_seconds', 0.7, 0.02, OF_SERVER),
  TerminalGatewayFilesOpen: {
    fires: { process_open_fds: constant(900), process_max_fds: constant(1_024) },
    quiet: { process_open_fds: constant(90), process_max_fds: constant(1_024) },
    labels: OF_SERVER,
  },
  TerminalGatewayEventsLate: valueOf('ledger_event_delay_seconds', 15, 0.1, OF_SERVER),
  TerminalGatewayDeliveriesStuck: {
    fires: { deliveries_queued: constant(5), 'deliveries_total{state="sent"}': constant(100) },
    quiet: { deliveries_queued: constant(5), 'deliveries_total{state="sent"}': growing(1) },
    labels: {},
  },
  TerminalGatewayBrokerAway: valueOf('mqtt_connected', 0, 1, OF_SERVER),
  TerminalGatewayLogLinesLost: grows('log_lines_lost_total'),
  TerminalGatewayLimitsUnshared: grows('rate_limit_store_failures_total'),
  TerminalGatewayReadersLost: grows('database_reader_threads_lost_total'),
  TerminalGatewayBackupOld: valueOf('database_backup_age_seconds', 40 * 3_600, 3_600),
  TerminalGatewayBackupMissing: {
    fires: { process_start_time_seconds: constant(1) },
    quiet: { process_start_time_seconds: constant(1), database_backup_age_seconds: constant(60) },
    labels: { job: 'terminal-gateway' },
  },
  TerminalGatewayDiskFull: valueOf('database_disk_free_bytes', 5e8, 5e10, OF_SERVER),
  TerminalGatewayDiskFills: {
    fires: { database_disk_free_bytes: falling(1e12, 3e8) },
    quiet: { database_disk_free_bytes: falling(1e12, 1e6) },
    labels: OF_SERVER,
  },
  TerminalGatewayLogLong: valueOf('database_log_long', 1, 0, OF_SERVER),
  TerminalGatewayCheckpointsStopped: {
    fires: {
      database_checkpoint_age_seconds: growing(60),
      'database_size_bytes{part="log"}': constant(100e6),
    },
    // Nothing is written at night.
    quiet: {
      database_checkpoint_age_seconds: growing(60),
      'database_size_bytes{part="log"}': constant(10e6),
    },
    labels: OF_SERVER,
  },
  TerminalGatewayOldTransaction: valueOf('database_oldest_transaction_seconds', 2_000, 20),
  TerminalGatewayOldSnapshot: valueOf('database_oldest_snapshot_ids', 20e6, 2_000),
  TerminalGatewayIdsUnfrozen: valueOf('database_unfrozen_ids_ratio', 0.4, 0.19),
  TerminalGatewayIdsExhausted: valueOf('database_unfrozen_ids_ratio', 0.8, 0.4),
  TerminalGatewayConnectionsExhausted: {
    fires: {
      'database_server_connections{state="used"}': constant(90),
      'database_server_connections{state="allowed"}': constant(97),
    },
    quiet: {
      'database_server_connections{state="used"}': constant(40),
      'database_server_connections{state="allowed"}': constant(97),
    },
    labels: {},
  },
  TerminalGatewayConnectionsAwaited: valueOf('database_connections{state="waiting"}', 30, 0, {
    ...OF_SERVER,
    state: 'waiting',
  }),
  TerminalGatewayStandbyBehind: {
    fires: {
      'database_standby_lag_seconds{standby="b"}': constant(1),
      'database_standby_lag_bytes{standby="b"}': constant(1e9),
    },
    quiet: {
      'database_standby_lag_seconds{standby="b"}': constant(1),
      'database_standby_lag_bytes{standby="b"}': constant(1e6),
    },
    labels: { standby: 'b' },
  },
  TerminalGatewayStandbyLost: {
    fires: { 'database_standby_lag_bytes{standby="b"}': '0+0x200' },
    quiet: { 'database_standby_lag_bytes{standby="b"}': constant(0) },
    labels: {},
  },
  TerminalGatewaySlotRetains: valueOf('database_slot_retained_bytes{slot="b"}', 9e9, 1e7, { slot: 'b' }),
  TerminalGatewayDeadRows: {
    fires: {
      'database_dead_rows_ratio{table="ledger"}': constant(0.5),
      'database_table_rows{table="ledger"}': constant(1e6),
    },
    // A small table that changes all the time.
    quiet: {
      'database_dead_rows_ratio{table="ledger"}': constant(0.5),
      'database_table_rows{table="ledger"}': constant(100),
    },
    labels: { table: 'ledger' },
  },
  TerminalGatewayCompaniesWait: valueOf('database_company_wait_seconds', 3, 0, OF_SERVER),
  TerminalGatewayClocksDiffer: valueOf('database_clock_ahead_seconds', -8, 0.01, OF_SERVER),
};
