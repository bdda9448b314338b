import { useState, type ReactNode } from 'react';
import type { CombinedError } from 'urql';

import { noteChange, type EntityType } from '../api/changes';
import { failureOf, type UserError } from '../api/errors';
import { messageOf } from '../api/rules';
import { texts, useLocale, useTexts, type Language } from '../text';
import { useFormat } from '../text/format';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { words as common } from '../ui/words';

const words = texts({
  examples: [
    (names: string, more: number) => (more > 0 ? `${names} and ${more} more` : names),
    (names: string, more: number) => (more > 0 ? `${names} e mais ${more}` : names),
  ],
  progress: [
    (done: string, all: string) => `${done} of ${all}`,
    (done: string, all: string) => `${done} de ${all}`,
  ],
  changed: [(count: string) => `${count} changed.`, (count: string) => `${count} alterados.`],
  failed: [(count: string) => `${count} not changed:`, (count: string) => `${count} não alterados:`],
});

const EXAMPLES = 20;
/** Requests at the same time. */
const PARALLEL = 6;

export interface Target {
  readonly id: string;
  readonly name: string;
}

interface BulkDialogProps {
  readonly title: string;
  /** Name of the button that does it. */
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly targets: readonly Target[];
  /** Changes one record. */
  readonly change: (target: Target) => Promise<{ readonly userErrors: readonly UserError[] }>;
  readonly changes: EntityType;
  readonly onClose: () => void;
  /** Called when every record has been changed. */
  readonly onDone: () => void;
  /** Fields of the change, above the examples. */
  readonly children?: ReactNode;
  readonly isDisabled?: boolean;
}

interface Progress {
  readonly done: number;
  readonly failed: readonly { readonly name: string; readonly message: string }[];
}

/** A change of many records: shows how many and which, then the progress, then the result of each that failed. */
export function BulkDialog(props: BulkDialogProps): ReactNode {
  const text = useTexts(words);
  const commonText = useTexts(common);
  const format = useFormat();
  const { targets, onClose } = props;
  const { progress, isRunning, run } = useBulk(props);
  const names = targets.slice(0, EXAMPLES).map(({ name }) => name);

  const isFinished = progress !== null && !isRunning;
  return (
    <Dialog
      title={props.title}
      isOpen
      onClose={onClose}
      footer={
        isFinished ? (
          <Button onPress={onClose}>{commonText.close}</Button>
        ) : (
          <>
            <Button onPress={onClose}>{commonText.cancel}</Button>
            <Button
              look={props.isDangerous === true ? 'danger' : 'primary'}
              isPending={isRunning}
              isDisabled={props.isDisabled ?? false}
              onPress={() => void run()}
            >
              {`${props.action} (${format.number(targets.length)})`}
            </Button>
          </>
        )
      }
    >
      <div className="stack">
        {progress === null ? props.children : null}
        {progress === null && <p>{text.examples(names.join(', '), targets.length - names.length)}</p>}
        {isRunning && (
          <>
            <progress value={progress?.done ?? 0} max={targets.length} aria-label={props.title} />
            <p role="status">
              {text.progress(format.number(progress?.done ?? 0), format.number(targets.length))}
            </p>
          </>
        )}
        {isFinished && (
          <>
            <p role="status">{text.changed(format.number(progress.done - progress.failed.length))}</p>
            {progress.failed.length > 0 && <p>{text.failed(format.number(progress.failed.length))}</p>}
            <ul className="results">
              {progress.failed.map(({ name, message }) => (
                <li key={name}>
                  <strong>{name}</strong> {message}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Dialog>
  );
}

/** Changes the records, some at the same time, and counts. */
function useBulk({ targets, change, changes, onDone }: BulkDialogProps): {
  readonly progress: Progress | null;
  readonly isRunning: boolean;
  readonly run: () => Promise<void>;
} {
  const { language } = useLocale();
  const [progress, setProgress] = useState<Progress | null>(null);
  const [isRunning, setRunning] = useState(false);
  const run = async (): Promise<void> => {
    setRunning(true);
    let state: Progress = { done: 0, failed: [] };
    setProgress(state);
    const waiting = [...targets];
    const work = async (): Promise<void> => {
      for (let target = waiting.shift(); target; target = waiting.shift()) {
        const message = await failureOfChange(change(target), language);
        const failed = message === null ? state.failed : [...state.failed, { name: target.name, message }];
        state = { done: state.done + 1, failed };
        setProgress(state);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    noteChange(changes);
    setRunning(false);
    if (state.failed.length === 0) onDone();
  };
  return { progress, isRunning, run };
}

/** Why one record was not changed; null if it was. */
async function failureOfChange(
  change: ReturnType<BulkDialogProps['change']>,
  language: Language,
): Promise<string | null> {
  try {
    const [error] = (await change).userErrors;
    return error ? messageOf(error, language) : null;
  } catch (error) {
    return failureOf(error as CombinedError, language).message;
  }
}
