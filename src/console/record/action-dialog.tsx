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
import { useRun, type ActionProps, type Progress, type RecordAction } from './bulk';
import { useChangedRecords } from './changed';
import { Fields } from './fields';
import { emptyOf, fieldsOf, inputOf, useMissingFields, type Values } from './form-field';
import { useJobEnd } from './job-end';
import { nameOf } from './link';

const useText = pageTexts({
  nobody: ['There is nothing to change.', 'Não há nada a alterar.'],
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

export interface ActionDialogProps<Row> extends ActionProps<Row> {
  readonly action: RecordAction<Row>;
}

/** Asks for what an action takes, and does it: many records by a job where there is one, others one by one. */
export default function ActionDialog<Row extends { readonly id: string }>(
  props: ActionDialogProps<Row>,
): ReactNode {
  const label = useLabel();
  const { action, rows, all = null, onClose } = props;
  const isJob = action.isJob === true && (all !== null || rows.length > 1 || !action.change);
  const fields = fieldsOf(action.fields ?? []);
  const { values, set } = useDraft(undefined, emptyOf(fields));
  const given = inputOf(fields, values);
  const entered = given && (action.shape?.(given) ?? given);
  const Asked = isJob ? Job<Row> : OneByOne<Row>;
  return (
    <Dialog title={label(action.id)} onClose={onClose}>
      <Asked
        {...props}
        input={entered && { ...entered, ...action.input }}
        missing={useMissingFields()(fields, values)}
      >
        <Fields fields={fields} values={values} set={set} />
      </Asked>
    </Dialog>
  );
}

interface AskedProps<Row> extends ActionDialogProps<Row> {
  /** Input of the action; null while something is missing. */
  readonly input: Values | null;
  /** Names of the fields that are missing, in words; null if none is. */
  readonly missing: string | null;
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
  const warning = (props.input && action.warning?.(props.input)) ?? null;
  return (
    <Form
      onSubmit={props.onSubmit}
      onCancel={props.onClose}
      submit={count === null ? label(action.id) : `${label(action.id)} (${format.number(count)})`}
      isDangerous={action.isDangerous === true || warning !== null}
      disabledReason={props.missing ?? (count === null ? text.checking : count === 0 ? text.nobody : null)}
      {...{ errors, failure, isRunning }}
      shown={[]}
    >
      {props.children}
      {warning !== null && <p className="note note-bad">{warning}</p>}
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

/** Starts a job that changes many records, once the person has seen how many and which. */
function Job<Row extends { readonly id: string }>(props: AskedProps<Row>): ReactNode {
  const text = useText();
  const format = useFormat();
  const label = useLabel();
  const { action, rows, all = null } = props;
  const ids = rows.map(({ id }) => id);
  const sayEnd = useJobEnd();
  const leadTo = useChangedRecords();
  const isEverything = all !== null && Object.keys(all).length === 0;
  const target = isEverything ? { all: true } : all === null ? { ids } : { filter: all };
  const change = props.input as DeviceBulkChangeInput | null;
  const document = (action.bulk ?? mutations.deviceBulkChange) as typeof mutations.deviceBulkChange;
  const args =
    change &&
    ({ target, [action.argument ?? 'change']: change } as { target: object; change: typeof change });
  const probe = useDryRun(document, args && { ...args, dryRun: true });
  const mutation = useMutation(document);
  const { count = null, examples } = probe.payload ?? {};
  const start = async (): Promise<void> => {
    const payload = args && (await mutation.run({ ...args, dryRun: false, expectCount: count }));
    if (!payload) return;
    const { job } = payload;
    const many = format.number(count ?? 0);
    const said = job ? `${label(action.id)}. ${text.started(many)}` : `${label(`${action.id}Done`)}: ${many}`;
    notify({ text: said, ...leadTo([payload]) });
    if (job) sayEnd(job.id, label(action.id));
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
