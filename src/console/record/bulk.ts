import type { CombinedError } from 'urql';

import { noteChange } from '../api';
import { failureOf } from '../api/errors';
import { messageOf, type UserError } from '../api/rules';
import type { DeviceBulkChangeInput } from '../gql/graphql';
import { useLocale } from '../text';
import { useFormat } from '../text/format';
import type { IconName } from '../ui/icon';
import type { FormField } from './fields';
import { nameOf as recordName } from './link';
import { useChangeNote } from './undo';

interface Payload {
  readonly userErrors: readonly UserError[];
}

/** An action on one record, or on many. `Values` has the fields that it asks for. */
export interface RecordAction<Row, Values> {
  readonly name: string;
  readonly icon: IconName;
  /** Said once it is done: "Disabled". */
  readonly done: string;
  /** Whether it is asked before, also for one record: it cannot be taken back. */
  readonly isDangerous?: boolean;
  /** Whether the menu of a record has it. */
  readonly isFor?: (row: Row) => boolean;
  /** Says what follows from it. */
  readonly effect?: string;
  readonly fields?: readonly FormField<Values>[];
  readonly isReady?: (values: Values) => boolean;
  /** Changes one record. Without it, one record is changed by a job too. */
  readonly change?: (row: Row, values: Values) => Promise<Payload>;
  /** The change that one job makes to many devices. Without it, each record is changed by itself. */
  readonly input?: (values: Values) => DeviceBulkChangeInput;
}

/** All actions on the records of a list, or of a panel. */
export interface RecordActions<Row, Values> {
  /** Says which record a row is; its name without it. */
  readonly nameOf?: (row: Row) => string;
  readonly empty: Values;
  readonly actions: readonly RecordAction<Row, Values>[];
}

export interface Progress {
  readonly done: number;
  readonly failed: readonly { readonly name: string; readonly message: string }[];
}

/** Requests at the same time. */
const PARALLEL = 6;

type Run<Row, Values> = (
  action: RecordAction<Row, Values>,
  rows: readonly Row[],
  values: Values,
  onProgress?: (progress: Progress) => void,
) => Promise<Progress>;

/** Does something with records, some at the same time, and says so if all of them are changed. */
export function useRun<Row extends object, Values>({
  nameOf = recordName,
}: RecordActions<Row, Values>): Run<Row, Values> {
  const { language } = useLocale();
  const format = useFormat();
  const note = useChangeNote();
  return async (action, rows, values, onProgress) => {
    let progress: Progress = { done: 0, failed: [] };
    let payload: Payload | undefined;
    onProgress?.(progress);
    const waiting = [...rows];
    const work = async (): Promise<void> => {
      for (let row = waiting.shift(); row; row = waiting.shift()) {
        let message: string | null;
        try {
          payload = await action.change?.(row, values);
          message = payload?.userErrors[0] ? messageOf(payload.userErrors[0], language) : null;
        } catch (error) {
          ({ message } = failureOf(error as CombinedError, language));
        }
        const failed = message === null ? [] : [{ name: nameOf(row), message }];
        progress = { done: progress.done + 1, failed: [...progress.failed, ...failed] };
        onProgress?.(progress);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    noteChange();
    const [first, ...others] = rows;
    if (!first || progress.failed.length > 0) return progress;
    if (others.length === 0) note(`${action.done}: ${nameOf(first)}`, payload);
    else note(`${action.done}: ${format.number(rows.length)}`);
    return progress;
  };
}
