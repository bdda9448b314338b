import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { mutations, useDryRun, useMutation } from '../api';
import type { MutationState } from '../api/mutation';
import type { DeviceBulkChangeInput, DeviceTargetInput } from '../gql/graphql';
import { useFormat } from '../text';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { notify } from '../ui/toasts';
import { pageTexts } from '../ui/words';
import { useRun, type Progress, type RecordAction, type RecordActions } from './bulk';
import { Fields } from './fields';
import { emptyOf, fieldsOf, inputOf, type FormField, type Values } from './form-field';
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
  readonly actions: RecordActions<Row>;
  readonly action: RecordAction<Row>;
  readonly rows: readonly Row[];
  /** The filter of all records that are selected, in place of `rows`. */
  readonly all?: object | null;
  readonly onClose: () => void;
  /** Called once every record has been changed, or a job is started for that. */
  readonly onDone: () => void;
}

/** Asks for what an action takes, and does it: many devices by a job, other records one by one. */
export default function ActionDialog<Row extends { readonly id: string }>(
  props: ActionDialogProps<Row>,
): ReactNode {
  const { action, rows, all = null } = props;
  const isJob = action.isJob === true && (all !== null || rows.length > 1 || !action.change);
  if (!isJob) return <OneByOne {...props} />;
  const everything = all !== null && Object.keys(all).length === 0;
  const ids = rows.map(({ id }) => id);
  return <Job {...props} target={everything ? { all: true } : all === null ? { ids } : { filter: all }} />;
}

/** Values that the person enters for an action, and the input that is sent then: null while something is missing. */
interface ActionValues {
  readonly fields: readonly FormField[];
  readonly values: Values;
  readonly set: (changed: Values) => void;
  readonly input: Values | null;
}

function useActionValues<Row>({ fields: given = [], input }: RecordAction<Row>): ActionValues {
  const fields = fieldsOf(given);
  const [values, setValues] = useState(emptyOf(fields));
  const entered = inputOf(fields, values);
  const set = (changed: Values): void => setValues({ ...values, ...changed });
  return { fields, values, set, input: entered && { ...entered, ...input } };
}

interface ActionFormProps<Row> extends Partial<Pick<MutationState<never, never>, 'errors' | 'failure'>> {
  readonly action: RecordAction<Row>;
  readonly form: ActionValues;
  /** Number of records; null until it is known. */
  readonly count: number | null;
  /** Names of some of them. */
  readonly names: readonly string[];
  readonly isRunning: boolean;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}

/** The values that an action takes, how many records it changes, and which. */
function ActionForm<Row>(props: ActionFormProps<Row>): ReactNode {
  const text = useText();
  const format = useFormat();
  const { action, form, count, names, errors = [], failure = null } = props;
  return (
    <Form
      onSubmit={props.onSubmit}
      onCancel={props.onClose}
      submit={count === null ? action.name : `${action.name} (${format.number(count)})`}
      isDangerous={action.isDangerous === true}
      isRunning={props.isRunning}
      isDisabled={count === null || count === 0 || form.input === null}
      failure={failure}
      errors={errors}
      shown={[]}
    >
      <Fields {...form} />
      {count !== null && <p role="status">{text.examples(names.join(', '), count - names.length)}</p>}
      <p className="faint">{action.effect}</p>
    </Form>
  );
}

/** Changes records by requests of their own: shows the progress, then each that failed and why. */
function OneByOne<Row extends object>(props: ActionDialogProps<Row>): ReactNode {
  const text = useText();
  const format = useFormat();
  const { actions, action, rows, onClose } = props;
  const run = useRun(actions);
  const form = useActionValues(action);
  const [progress, setProgress] = useState<Progress | null>(null);
  const isFinished = progress?.done === rows.length;
  const send = async (): Promise<void> => {
    const { failed } = await run(action, rows, form.input ?? {}, setProgress);
    if (failed.length > 0) return;
    props.onDone();
    onClose();
  };
  if (progress === null) {
    return (
      <Dialog title={action.name} isOpen onClose={onClose}>
        <ActionForm
          {...{ action, form, onClose }}
          count={rows.length}
          names={rows.slice(0, EXAMPLES).map(actions.nameOf ?? nameOf)}
          isRunning={false}
          onSubmit={() => void send()}
        />
      </Dialog>
    );
  }
  const close = <Button onPress={onClose}>{text.close}</Button>;
  return (
    <Dialog title={action.name} isOpen onClose={onClose} footer={isFinished && close}>
      <div className="stack">
        {isFinished ? (
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
        ) : (
          <>
            <progress value={progress.done} max={rows.length} aria-label={action.name} />
            <p role="status">{text.progress(format.number(progress.done), format.number(rows.length))}</p>
          </>
        )}
      </div>
    </Dialog>
  );
}

/** Starts a job that changes many devices, once the person has seen how many and which. */
function Job<Row>(props: ActionDialogProps<Row> & { readonly target: DeviceTargetInput }): ReactNode {
  const text = useText();
  const format = useFormat();
  const navigate = useNavigate();
  const { action, target, onClose } = props;
  const form = useActionValues(action);
  const change = form.input as DeviceBulkChangeInput | null;
  const probe = useDryRun(mutations.deviceBulkChange, change && { target, change, dryRun: true });
  const mutation = useMutation(mutations.deviceBulkChange);
  const { count = null, examples } = probe.payload ?? {};
  const start = async (): Promise<void> => {
    if (change === null) return;
    const { job } = (await mutation.run({ target, change, dryRun: false, expectCount: count })) ?? {};
    if (!job) return;
    const open = (): void => void navigate({ to: '/jobs', search: { open: job.id } });
    notify({ text: `${action.name}. ${text.started(format.number(count ?? 0))}`, open });
    props.onDone();
    onClose();
  };
  return (
    <Dialog title={action.name} isOpen onClose={onClose}>
      <ActionForm
        {...{ action, form, count, onClose }}
        names={(examples ?? []).map(nameOf)}
        errors={[...probe.errors, ...mutation.errors]}
        failure={mutation.failure ?? probe.failure}
        isRunning={mutation.isRunning}
        onSubmit={() => void start()}
      />
    </Dialog>
  );
}
