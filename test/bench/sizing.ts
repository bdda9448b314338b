/**
 * Computes from the figures that `npm run bench:postgres -- --save` has kept what fleets of several sizes need. Not a test.
 *
 *   npm run bench:sizing
 */
import { BATCH, readCosts, type Cost } from './postgres/operations.js';
import { print, printTable } from './servers.js';

/** Assumed, not measured. */
const ASSUMED = {
  /** A day of one terminal. */
  transactions: 40,
  statusReports: 24,
  parameterReads: 4,
  /** Minutes in which it sends a request: the time of the last one is then written. */
  minutesSeen: 1_440,
  /** A day of people and programs, for 1,000 terminals. */
  nestedQueries: 500,
  listsOfDevices: 2_000,
  weeksOfTransactions: 1_000,
  /** Load of the busiest minutes divided by the mean of a day. */
  peak: 4,
  /** Share of a processor that is used at the peak at most, so that bursts and the loss of a node are borne. */
  used: 0.5,
};
/** Bytes of log for the time at which one device was seen, measured with 200,000 devices in batches of 250. */
const LOG_OF_PRESENCE = 140;
/** Bytes of a transaction that a request has stored, with its indexes; those of the benchmark are inserted in bulk and take less. */
const TRANSACTION_BYTES = 1_800;
const SECONDS_A_DAY = 86_400;
const TERMINALS = [1_000, 10_000, 100_000, 1_000_000];

const costs = readCosts();

/** Requests of one terminal and day, by the operation that was measured. */
const REQUESTS: Readonly<Record<string, number>> = {
  'record of 10 transactions': ASSUMED.transactions / BATCH,
  'status report': ASSUMED.statusReports,
  'parameters of a terminal': ASSUMED.parameterReads,
  'nested query of 10 groups': ASSUMED.nestedQueries / 1_000,
  'list of 30 devices': ASSUMED.listsOfDevices / 1_000,
  'a week of transactions': ASSUMED.weeksOfTransactions / 1_000,
};

/** Sum of `amount` over the requests of one terminal in one day. */
function sumOf(amount: (name: string) => number): number {
  return Object.entries(REQUESTS).reduce((sum, [name, requests]) => sum + requests * amount(name), 0);
}

function costOf(name: string): Cost {
  const cost = costs.operations[name];
  if (cost === undefined) throw new Error(`Not measured: ${name}`);
  return cost;
}

const rounded = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)));

function rowOf(terminals: number): string[] {
  const atPeak = (perDay: number): number => (terminals * perDay * ASSUMED.peak) / SECONDS_A_DAY;
  const processors = (microseconds: number): number => atPeak(microseconds) / 1e6 / ASSUMED.used;
  const perYear = (perDay: number): number => terminals * perDay * 365;
  const writes = ASSUMED.transactions / BATCH + ASSUMED.statusReports;
  const transactions = perYear(ASSUMED.transactions);
  // A request that records transactions has one entry, and so has a report.
  const entries = perYear(writes);
  const gigabytes = (bytes: number): string => rounded(bytes / 1e9);
  return [
    terminals.toLocaleString('en'),
    rounded(atPeak(sumOf(() => 1))),
    rounded(atPeak(writes)),
    rounded(processors(sumOf((name) => costOf(name).node))),
    rounded(processors(sumOf((name) => costOf(name).database))),
    rounded(transactions / 1e6),
    gigabytes(transactions * TRANSACTION_BYTES),
    rounded(entries / 1e6),
    gigabytes(entries * costs.bytes.ledgerEntry),
    gigabytes(terminals * (sumOf((name) => costOf(name).log) + ASSUMED.minutesSeen * LOG_OF_PRESENCE)),
  ];
}

const HEADINGS = [
  'terminals',
  'requests/s',
  'writes/s',
  'node processors',
  'PostgreSQL processors',
  'million transactions/year',
  'GB/year',
  'million ledger entries/year',
  'GB/year',
  'GB log/day',
];

print(`Measured: ${JSON.stringify(costs.measured)}`);
print(`Bytes of a row with its indexes, measured: ${JSON.stringify(costs.bytes)}`);
print(`Assumed: ${JSON.stringify(ASSUMED)}`);
print('Computed, requests and processors at the peak:');
printTable([HEADINGS, ...TERMINALS.map(rowOf)]);
