import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { mutations, useDryRun, useMutation } from '../api';
import type { DeviceTargetInput } from '../gql/graphql';
import { texts, useTexts } from '../text';
import { useFormat } from '../text/format';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { notify } from '../ui/toasts';
import { bulkWords, type RecordAction } from './bulk';
import { Fields } from './fields';

const words = texts({
  started: [(count: string) => `Started: ${count}`, (count: string) => `Iniciado: ${count}`],
});

interface JobDialogProps<Values> {
  readonly action: RecordAction<never, Values>;
  readonly empty: Values;
  readonly target: DeviceTargetInput;
  readonly onClose: () => void;
  /** Called once the job is started. */
  readonly onDone: () => void;
}

/** Starts a job that changes many devices, once the person has seen how many and which. */
export default function JobDialog<Values extends object>(props: JobDialogProps<Values>): ReactNode {
  const text = useTexts(words);
  const bulkText = useTexts(bulkWords);
  const format = useFormat();
  const navigate = useNavigate();
  const { action, target, onClose } = props;
  const [values, setValues] = useState(props.empty);
  const change = (action.isReady?.(values) ?? true) ? (action.input?.(values) ?? null) : null;
  const probe = useDryRun(mutations.deviceBulkChange, change && { target, change, dryRun: true });
  const mutation = useMutation(mutations.deviceBulkChange, ['JOB']);
  const { count = null, examples } = probe.payload ?? {};
  const names = (examples ?? []).map(({ serialNumber }) => serialNumber);
  const start = async (): Promise<void> => {
    if (change === null) return;
    const { job } = (await mutation.run({ target, change, dryRun: false, expectCount: count })) ?? {};
    if (!job) return;
    const open = (): void => void navigate({ to: '/jobs', search: { open: job.id } });
    notify({ text: `${action.name}. ${text.started(format.number(count ?? 0))}`, open });
    props.onDone();
    onClose();
  };
  const errors = [...probe.errors, ...mutation.errors];
  return (
    <Dialog title={action.name} isOpen onClose={onClose}>
      <Form
        onSubmit={() => void start()}
        onCancel={onClose}
        submit={count === null ? action.name : `${action.name} (${format.number(count)})`}
        isRunning={mutation.isRunning}
        isDisabled={count === null || count === 0}
        failure={mutation.failure ?? probe.failure}
        errors={errors}
        shown={[]}
      >
        <Fields
          fields={action.fields ?? []}
          values={values}
          set={(changed) => setValues({ ...values, ...changed })}
          errors={[]}
        />
        {count !== null && <p role="status">{bulkText.examples(names.join(', '), count - names.length)}</p>}
        <p className="faint">{action.effect}</p>
      </Form>
    </Dialog>
  );
}
