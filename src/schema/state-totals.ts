/** Tables with the numbers of rows of other tables by state, for each record that these refer to; triggers maintain them. */
import { COMMAND_STATES, DELIVERY_STATES } from './messages.js';
import { SOFTWARE_STATES } from './software.js';

export interface StateTotals {
  /** Table whose rows are counted, and the table with a row of numbers for each value of the column `by`, but null. */
  readonly of: string;
  readonly into: string;
  readonly by: string;
  /** Columns of counted rows that may change, and on which `counts` depend. */
  readonly columns: readonly string[];
  /** SQL, by the column with the number, of whether a row counts. `column` returns the name of one of its columns. */
  readonly counts: Readonly<Record<string, (column: (name: string) => string) => string>>;
}

const inStates = (states: readonly string[]): StateTotals['counts'] =>
  Object.fromEntries(states.map((state) => [state, (column) => `${column('state')} = '${state}'`]));

export const STATE_TOTALS: readonly StateTotals[] = [
  {
    of: 'notification_deliveries',
    into: 'notification_totals',
    by: 'notification_id',
    columns: ['state'],
    counts: inStates(DELIVERY_STATES),
  },
  {
    of: 'notification_deliveries',
    into: 'command_totals',
    by: 'command_id',
    columns: ['state'],
    counts: inStates(COMMAND_STATES),
  },
  {
    of: 'logical_number_app_versions',
    into: 'app_version_totals',
    by: 'app_version_id',
    columns: [],
    counts: { numbers: () => '1 = 1' },
  },
  {
    of: 'terminal_versions',
    into: 'app_version_totals',
    by: 'app_version_id',
    columns: ['state', 'attempts'],
    counts: { ...inStates(SOFTWARE_STATES), fetched: (column) => `${column('attempts')} > 0` },
  },
];
