import { useState, type ReactNode } from 'react';

import { texts, useTexts } from '../text';
import { useFormat } from '../text/format';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { words as common } from '../ui/words';
import { bulkWords, useRun, type Progress, type RecordAction, type RecordActions } from './bulk';
import { Fields } from './fields';

const words = texts({
  progress: [
    (done: string, all: string) => `${done} of ${all}`,
    (done: string, all: string) => `${done} de ${all}`,
  ],
  changed: [(count: string) => `${count} changed.`, (count: string) => `${count} alterados.`],
  failed: [(count: string) => `${count} not changed:`, (count: string) => `${count} não alterados:`],
});

const EXAMPLES = 20;

export interface BulkDialogProps<Row, Values> {
  readonly actions: RecordActions<Row, Values>;
  readonly action: RecordAction<Row, Values>;
  readonly rows: readonly Row[];
  readonly onClose: () => void;
  /** Called once every record has been changed. */
  readonly onDone: () => void;
}

/** Something done with many records: shows how many and which, then the progress, then each that failed and why. */
export default function BulkDialog<Row, Values extends object>(
  props: BulkDialogProps<Row, Values>,
): ReactNode {
  const text = useTexts(words);
  const bulkText = useTexts(bulkWords);
  const commonText = useTexts(common);
  const format = useFormat();
  const { actions, action, rows, onClose } = props;
  const run = useRun(actions);
  const [values, setValues] = useState(actions.empty);
  const [progress, setProgress] = useState<Progress | null>(null);
  const isFinished = progress?.done === rows.length;
  const names = rows.slice(0, EXAMPLES).map(actions.nameOf);
  const send = async (): Promise<void> => {
    const { failed } = await run(action, rows, values, setProgress);
    if (failed.length > 0) return;
    props.onDone();
    onClose();
  };
  const buttons = (
    <>
      <Button onPress={onClose}>{commonText.cancel}</Button>
      <Button
        look={action.isDangerous === true ? 'danger' : 'primary'}
        isPending={progress !== null}
        isDisabled={action.isReady?.(values) === false}
        onPress={() => void send()}
      >
        {`${action.name} (${format.number(rows.length)})`}
      </Button>
    </>
  );
  return (
    <Dialog
      title={action.name}
      isOpen
      onClose={onClose}
      footer={isFinished ? <Button onPress={onClose}>{commonText.close}</Button> : buttons}
    >
      <div className="stack">
        {progress === null && (
          <>
            <p>{bulkText.examples(names.join(', '), rows.length - names.length)}</p>
            <Fields
              fields={action.fields ?? []}
              values={values}
              set={(changed) => setValues({ ...values, ...changed })}
              errors={[]}
            />
            <p className="faint">{action.effect}</p>
          </>
        )}
        {progress !== null && !isFinished && (
          <>
            <progress value={progress.done} max={rows.length} aria-label={action.name} />
            <p role="status">{text.progress(format.number(progress.done), format.number(rows.length))}</p>
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
