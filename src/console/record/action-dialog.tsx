import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { mutations, useDryRun, useMutation } from '../api';
import type { MutationState } from '../api/mutation';
import type { DeviceBulkChangeInput } from '../gql/graphql';
import { useFormat, useLabel } from '../text';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { Form, useDraft } from '../ui/form';
import { notify } from '../ui/toasts';
import { pageTexts } from '../ui/words';
import { useRun, type Progress, type RecordAction } from './bulk';
import { Fields } from './fields';
import { emptyOf, fieldsOf, inputOf, type Values } from './form-field';
import { nameOf } from './link';

const useText = pageTexts({
  progress: [
    (done: string, all: string) => `${done} of ${all}`,
    (done: string, all: string) => `${done} de ${all}`,
  ],
  changed: [(count: string) => `${count} changed.`, (count: string) => `${count} alterados.`],
  failed: [(count: string) => `${count} not changed:`, (count: string) => `${count} não alterados:`],
  examples: [
    (names: string, more: number) => (more > 0 ? `${names} and ${more} more` : names),
    (names: string, more: number) => (more > 0 ? `${names} e mais ${more}` : names),
  ],
  started: [(count: string) => `Started: ${count}`, (count: string) => `Iniciado: ${count}`],
});

const EXAMPLES = 20;

export interface ActionDialogProps<Row> {
  readonly action: RecordAction<Row>;
  readonly rows: readonly Row[];
  /** The filter of all records that are selected, in place of `rows`. */
  readonly all?: object | null;
  readonly onClose: () => void;
  /** Called once every record has been changed, or a job is started for that. */
  readonly onDone?: () => void;
}

/** Asks for what an action takes, and does it: many devices by a job, other records one by one. */
export default function ActionDialog<Row extends { readonly id: string }>(
  props: ActionDialogProps<Row>,
): ReactNode {
  const label = useLabel();
  const { action, rows, all = null, onClose } = props;
  const isJob = action.isJob === true && (all !== null || rows.length > 1 || !action.change);
  const fields = fieldsOf(action.fields ?? []);
  const { values, set } = useDraft(undefined, emptyOf(fields));
  const entered = inputOf(fields, values);
  const Asked = isJob ? Job<Row> : OneByOne<Row>;
  return (
    <Dialog title={label(action.id)} onClose={onClose}>
      <Asked {...props} input={entered && { ...entered, ...action.input }}>
        <Fields fields={fields} values={values} set={set} />
      </Asked>
    </Dialog>
  );
}

interface AskedProps<Row> extends ActionDialogProps<Row> {
  /** Input of the action; null while something is missing. */
  readonly input: Values | null;
  /** Fields to enter it. */
  readonly children: ReactNode;
}

interface QuestionProps<Row>
  extends AskedProps<Row>, Partial<Pick<MutationState<never, never>, 'errors' | 'failure' | 'isRunning'>> {
  /** Number of records; null until it is known. */
  readonly count: number | null;
  /** Names of some of them. */
  readonly names: readonly string[];
  readonly onSubmit: () => void;
}

/** The values that an action takes, how many records it changes, and which. */
function Question<Row>(props: QuestionProps<Row>): ReactNode {
  const text = useText();
  const format = useFormat();
  const label = useLabel();
  const { action, count, names, errors = [], failure = null, isRunning = false } = props;
  return (
    <Form
      onSubmit={props.onSubmit}
      onCancel={props.onClose}
      submit={count === null ? label(action.id) : `${label(action.id)} (${format.number(count)})`}
      isDangerous={action.isDangerous === true}
      isDisabled={count === null || count === 0 || props.input === null}
      {...{ errors, failure, isRunning }}
      shown={[]}
    >
      {props.children}
      {count !== null && <p role="status">{text.examples(names.join(', '), count - names.length)}</p>}
      <p className="faint">{label(`${action.id}Help`, '')}</p>
    </Form>
  );
}

/** Changes records by requests of their own: shows the progress, then each that failed and why. */
function OneByOne<Row extends { readonly id: string }>(props: AskedProps<Row>): ReactNode {
  const text = useText();
  const format = useFormat();
  const label = useLabel();
  const { action, rows, onClose } = props;
  const run = useRun<Row>();
  const [progress, setProgress] = useState<Progress | null>(null);
  const send = async (): Promise<void> => {
    const { failed } = await run(action, rows, props.input ?? {}, setProgress);
    if (failed.length > 0) return;
    props.onDone?.();
    onClose();
  };
  if (progress === null) {
    const names = rows.slice(0, EXAMPLES).map(nameOf);
    return <Question {...props} count={rows.length} names={names} onSubmit={() => void send()} />;
  }
  const { done, failed } = progress;
  if (done < rows.length) {
    return (
      <div className="stack">
        <progress value={done} max={rows.length} aria-label={label(action.id)} />
        <p role="status">{text.progress(format.number(done), format.number(rows.length))}</p>
      </div>
    );
  }
  return (
    <div className="stack">
      <p role="status">{text.changed(format.number(done - failed.length))}</p>
      {failed.length > 0 && <p>{text.failed(format.number(failed.length))}</p>}
      <ul className="results">
        {failed.map(({ name, message }) => (
          <li key={name}>
            <strong>{name}</strong> {message}
          </li>
        ))}
      </ul>
      <div className="form-buttons">
        <Button onPress={onClose}>{text.close}</Button>
      </div>
    </div>
  );
}

/** Starts a job that changes many devices, once the person has seen how many and which. */
function Job<Row extends { readonly id: string }>(props: AskedProps<Row>): ReactNode {
  const text = useText();
  const format = useFormat();
  const navigate = useNavigate();
  const label = useLabel();
  const { action, rows, all = null } = props;
  const ids = rows.map(({ id }) => id);
  const isEverything = all !== null && Object.keys(all).length === 0;
  const target = isEverything ? { all: true } : all === null ? { ids } : { filter: all };
  const change = props.input as DeviceBulkChangeInput | null;
  const probe = useDryRun(mutations.deviceBulkChange, change && { target, change, dryRun: true });
  const mutation = useMutation(mutations.deviceBulkChange);
  const { count = null, examples } = probe.payload ?? {};
  const start = async (): Promise<void> => {
    if (change === null) return;
    const { job } = (await mutation.run({ target, change, dryRun: false, expectCount: count })) ?? {};
    if (!job) return;
    const open = (): void => void navigate({ to: '/jobs', search: { open: job.id } });
    notify({ text: `${label(action.id)}. ${text.started(format.number(count ?? 0))}`, open });
    props.onDone?.();
    props.onClose();
  };
  return (
    <Question
      {...props}
      count={count}
      names={(examples ?? []).map(nameOf)}
      errors={[...probe.errors, ...mutation.errors]}
      failure={mutation.failure ?? probe.failure}
      isRunning={mutation.isRunning}
      onSubmit={() => void start()}
    />
  );
}
