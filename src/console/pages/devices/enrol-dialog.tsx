import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { mutations, useMutation } from '../../api';
import { useMay } from '../../app/session';
import type { FleetImportMode, FleetImportMutation } from '../../gql/graphql';
import { Fields } from '../../record/fields';
import { useJobEnd } from '../../record/job-end';
import { useFormat } from '../../text';
import { Dialog } from '../../ui/dialog';
import { Form, useDraft } from '../../ui/form';
import { notify } from '../../ui/toasts';
import { ImportPreview } from './import-preview';
import { useText } from './words';

type Checked = FleetImportMutation['fleetImport'];

/** Headings of a file with all that can be imported. */
const TEMPLATE =
  'serial_number,logical_number,group,enabled,tags,notes,merchant_name,merchant_address,number_tags,number_notes,parameters\r\n';

const EMPTY = { list: '', file: null as File | null, mode: 'CREATE' as FleetImportMode, issueTokens: false };

/** Enrols devices from a file or a pasted list: checks all rows, shows what each changes or why it is refused, then starts a job. */
export default function EnrolDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useText();
  const format = useFormat();
  const navigate = useNavigate();
  const sayEnd = useJobEnd();
  const { values, set, clear } = useDraft('enrol', EMPTY);
  const [checked, setChecked] = useState<Checked | null>(null);
  const mutation = useMutation(mutations.fleetImport);
  const mayAdminister = useMay('ADMIN');
  const { list, mode, issueTokens } = values;
  const file = values.file ?? (list.trim() === '' ? null : new File([list], 'list.csv'));
  const send = async (): Promise<void> => {
    if (file === null) return;
    // Rows are left out only after the person has seen that they are.
    const errorPolicy = checked?.refusedCount ? 'REJECT_FAILED_ROWS' : 'REJECT_EVERYTHING';
    const input = { file: null, mode, errorPolicy, issueTokens } as const;
    const payload = await mutation.run({ input, dryRun: checked === null }, { path: 'input.file', file });
    setChecked(payload);
    if (!payload?.job) return;
    clear();
    notify({ text: text.started });
    sayEnd(payload.job.id, text.enrol);
    onClose();
    void navigate({ to: '/jobs', search: { open: payload.job.id } });
  };
  const count = checked?.count ?? 0;
  return (
    <Dialog title={text.enrol} size="large" onClose={onClose}>
      <Form
        {...mutation}
        onSubmit={() => void send()}
        submit={checked ? `${text.enrol} (${format.number(count)})` : text.check}
        disabledReason={
          file === null ? text.noRows : checked !== null && count === 0 ? text.noneToEnrol : null
        }
        onCancel={onClose}
        shown={['input.file']}
      >
        <Fields
          {...mutation}
          values={values}
          set={(changed) => {
            set(changed);
            setChecked(null);
          }}
          fields={[
            { name: 'list', rows: 6, autoFocus: true },
            { name: 'file', type: 'file', isOptional: true },
            { name: 'mode', values: ['CREATE', 'CREATE_OR_UPDATE'] },
            { name: 'issueTokens', label: text.issueTokensToo, kind: 'flag', isShown: () => mayAdminister },
          ]}
        />
        <a download="devices.csv" href={`data:text/csv;charset=utf-8,${encodeURIComponent(TEMPLATE)}`}>
          {text.template}
        </a>
        {checked && <ImportPreview {...checked} />}
      </Form>
    </Dialog>
  );
}
