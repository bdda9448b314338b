import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';

import { noteChange } from '../api';
import { failureOf, numberErrorOf } from '../api/errors';
import { useSentence, type Payload } from '../api/mutation';
import type { Document } from '../api/query';
import { useFormat, useLabel, useLocale, useTexts } from '../text';
import type { IconName } from '../ui/icon';
import { useSecrets } from '../ui/secrets';
import { words } from '../ui/words';
import type { GivenField, Values } from './form-field';
import { nameOf } from './link';
import { useChangeNote } from './undo';

/** An action on one record, or on many. */
export interface RecordAction<Row> {
  /** Words: `id` names the action, `idHelp` says what follows from it, `idDone` that it is done. */
  readonly id: string;
  readonly icon: IconName;
  /** True if it is asked before, also for one record: it cannot be taken back. */
  readonly isDangerous?: boolean;
  /** True if the menu of a record has it. */
  readonly isFor?: (row: Row) => boolean;
  readonly fields?: readonly GivenField[];
  /** Values that are sent beside those of the fields. */
  readonly input?: object;
  /** Changes one record, given what is sent. Without it, one record is changed by a job too. */
  readonly change?: (row: Row, input: never) => Promise<Payload>;
  /** True if one job makes the change to many records. Otherwise, each record is changed by itself. */
  readonly isJob?: boolean;
  /** The mutation that starts the job; that of devices without it. */
  readonly bulk?: Document<object, never>;
  /** Argument of the mutation that has the input: `change` without it. */
  readonly argument?: 'input';
  /** Warns of values that do harm; null for others. */
  readonly warning?: (input: Values) => string | null;
  /** The input that has the values of the fields, where these are not its fields. */
  readonly shape?: (values: Values) => Values;
  /** The window of an action that is more than a change of each record. */
  readonly dialog?: (props: ActionProps<Row>) => ReactNode;
}

export interface ActionProps<Row> {
  readonly rows: readonly Row[];
  /** The filter of all records that are selected, in place of `rows`. */
  readonly all?: object | null;
  readonly onClose: () => void;
  /** Called once every record has been changed, or a job is started for that. */
  readonly onDone?: () => void;
}

/** All actions on the records of a list, or of a panel. */
export type RecordActions<Row> = readonly RecordAction<Row>[];

export interface Progress {
  readonly done: number;
  readonly failed: readonly { readonly name: string; readonly message: string }[];
}

/** Requests at the same time. */
const PARALLEL = 6;

/** Does something with records, some at the same time, and says so if all of them are changed. */
export function useRun<Row extends object>() {
  const { language } = useLocale();
  const format = useFormat();
  const label = useLabel();
  const say = useSentence();
  const { saved } = useTexts(words);
  const note = useChangeNote();
  const showSecrets = useSecrets();
  return async (
    action: RecordAction<Row>,
    rows: readonly Row[],
    input: object,
    onProgress?: (progress: Progress) => void,
  ): Promise<Progress> => {
    let progress: Progress = { done: 0, failed: [] };
    const payloads: Payload[] = [];
    onProgress?.(progress);
    const waiting = [...rows];
    const work = async (): Promise<void> => {
      for (let row = waiting.shift(); row; row = waiting.shift()) {
        let message: string | null;
        try {
          const payload = await action.change?.(row, { ...input, ...action.input } as never);
          if (payload) payloads.push(payload);
          showSecrets(payload);
          message = payload?.userErrors[0] ? say(payload.userErrors[0], { input }) : null;
        } catch (error) {
          const ofNumber = numberErrorOf(error as CombinedError);
          message = ofNumber
            ? say(ofNumber, { ...input, input })
            : failureOf(error as CombinedError, language).message;
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
    const done = label(`${action.id}Done`, saved);
    note(`${done}: ${others.length === 0 ? nameOf(first) : format.number(rows.length)}`, ...payloads);
    return progress;
  };
}
