import type { BenchData } from './data.js';
import { runLoad, type BenchRequest } from './load.js';
import { median, print, printTable, type BenchServer, type Rounds } from './measure.js';

const PER_PAGE = 30;

/** Filters of `/v1/transactions`: each one, and what is combined most. The values are those of `data.ts`. */
function filtersOf({ weekSince, weekUntil }: BenchData): readonly string[] {
  const week = `since=${weekSince}&until=${weekUntil}`;
  const hours = `since=${weekSince}T05:20:30Z&until=${weekUntil}T17:40:10Z`;
  const app = 'app_name=app7.rb';
  return [
    '',
    ...['success', 'fail', 'running'].map((status) => `status=${status}`),
    ...['switch', 'company', 'get_asset'].map((type) => `transaction_type=${type}`),
    ...[app, 'serial_number=IM500000007', 'logical_number=100007', week, hours],
    ...['status=success&transaction_type=switch', 'status=running&transaction_type=get_asset'],
    ...[
      `${app}&status=fail`,
      `${app}&transaction_type=company`,
      `${app}&status=fail&transaction_type=company`,
    ],
    ...['status=fail', 'transaction_type=company', app].flatMap((filter) => [
      `${filter}&${week}`,
      `${filter}&${hours}`,
    ]),
    ...['serial_number=IM500000007&status=success', `logical_number=100007&${week}`],
  ];
}

interface Page {
  readonly filter: string;
  readonly name: 'first' | 'middle' | 'last';
  readonly request: BenchRequest;
}

async function pagesOf({ url }: BenchServer, token: string, filter: string): Promise<readonly Page[]> {
  const path = `/v1/transactions?access_token=${token}&per_page=${PER_PAGE}&${filter}`;
  const response = await fetch(url + path);
  const { pagination } = (await response.json()) as { pagination: { total_entries: number } };
  const last = Math.max(Math.ceil(pagination.total_entries / PER_PAGE), 1);
  return (
    [
      ['first', 1],
      ['middle', Math.ceil(last / 2)],
      ['last', last],
    ] as const
  ).map(([name, page]) => ({
    ...{ filter, name, request: { method: 'GET', path: `${path}&page=${page}` } },
  }));
}

/**
 * Prints what a page of each filter costs: the ratio of its time to that of the first page without a filter, which is
 * measured in turn with it. Medians of all rounds.
 */
export async function compareFilters(server: BenchServer, data: BenchData, rounds: Rounds): Promise<void> {
  print(`\nTransactions by filter: time of a page, as a multiple of the first one without a filter`);
  const table: string[][] = [['filter', 'first', 'middle', 'last']];
  const [plain] = await pagesOf(server, data.token, '');
  if (plain === undefined) return;
  const load = { milliseconds: rounds.milliseconds / 5, connections: 4 };
  const rateOf = async ({ request }: Page): Promise<number> =>
    (await runLoad(server.url, request, load)).perSecond;
  for (const filter of filtersOf(data)) {
    const cells: string[] = [];
    for (const page of await pagesOf(server, data.token, filter)) {
      const ratios: number[] = [];
      for (let round = 0; round < rounds.rounds; round += 1)
        ratios.push((await rateOf(plain)) / (await rateOf(page)));
      cells.push(median(ratios).toFixed(2));
    }
    table.push([filter === '' ? 'none' : filter, ...cells]);
  }
  printTable(table);
}
