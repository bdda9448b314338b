import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { mutations, useMutation } from '../../api';
import { messageOf } from '../../api/rules';
import { useMay } from '../../app/session';
import type { FleetImportMode, FleetImportMutation } from '../../gql/graphql';
import { Fields } from '../../record/fields';
import { SmallTable } from '../../table/shown';
import { useFormat, useLocale } from '../../text';
import { Dialog } from '../../ui/dialog';
import { Form, useDraft } from '../../ui/form';
import { notify } from '../../ui/toasts';
import { useText } from './words';

type Checked = FleetImportMutation['fleetImport'];

const EMPTY = { list: '', file: null as File | null, mode: 'CREATE' as FleetImportMode, issueTokens: false };

/** Enrols devices from a file or a pasted list: checks all rows, shows those that are refused, then starts a job. */
export default function EnrolDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useText();
  const format = useFormat();
  const navigate = useNavigate();
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
        isDisabled={file === null || (checked !== null && count === 0)}
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
            { name: 'file', type: 'file' },
            { name: 'mode', values: ['CREATE', 'CREATE_OR_UPDATE'] },
            { name: 'issueTokens', label: text.issueTokensToo, kind: 'flag', isShown: () => mayAdminister },
          ]}
        />
        {checked && <Result {...checked} />}
      </Form>
    </Dialog>
  );
}

/** How many rows can be enrolled, and why the others are refused. */
function Result({ count, refusedCount, refused }: Checked): ReactNode {
  const text = useText();
  const format = useFormat();
  const { language } = useLocale();
  const rows = (refused ?? []).map((row) => ({ id: String(row.line), reason: messageOf(row, language) }));
  const table = rows.map(({ id, reason }) => `${id},"${reason.replaceAll('"', '""')}"`).join('\n');
  return (
    <>
      <p role="status">{text.marked(format.number(count ?? 0), format.number(refusedCount ?? 0))}</p>
      {rows.length > 0 && (
        <div className="results" tabIndex={0} role="region" aria-label={text.result}>
          <SmallTable rows={rows} columns={[{ id: 'id', title: text.rowNumber }, 'reason']} />
          <a download="refused.csv" href={`data:text/csv;charset=utf-8,${encodeURIComponent(table)}`}>
            {text.saveAsCsv}
          </a>
        </div>
      )}
    </>
  );
}
