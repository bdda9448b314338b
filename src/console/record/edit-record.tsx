import { useState, type ReactNode } from 'react';

import { useMutation } from '../api';
import type { Document } from '../api/query';
import { SmallTable } from '../table/shown';
import { useLabel } from '../text';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { ForceBox, Form, useDraft } from '../ui/form';
import { pageTexts } from '../ui/words';
import { Fields } from './fields';
import {
  attachmentOf,
  fieldsOf,
  inputOf,
  pathOf,
  presentOf,
  useShownValue,
  type FormField,
  type GivenField,
  type Root,
  type Values,
} from './form-field';
import { useChangeNote } from './undo';

const useText = pageTexts({
  title: ['Changed by somebody else meanwhile', 'Alterado por outra pessoa'],
  question: [
    'While you were editing, the record was changed. Take these values, or save yours over them?',
    'Enquanto você editava, o registro foi alterado. Quer ficar com estes valores ou salvar os seus por cima?',
  ],
  field: ['Field', 'Campo'],
  mine: ['Yours', 'Seus'],
  theirs: ['Now on the server', 'Agora no servidor'],
  take: ['Take these values', 'Ficar com estes valores'],
  overwrite: ['Save mine', 'Salvar os meus'],
});

interface Begun {
  /** The fields that were edited. */
  readonly edited: Values;
  /** Values of these fields on the server when their edit began. */
  readonly base: Values;
}

const NONE: Begun = { edited: {}, base: {} };
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Values of a form that edits fields of the record with this id, which on the server are `theirs`. What was edited survives
 * a reload of the page; all other fields follow the record.
 */
function useEdit(id: string, theirs: Values) {
  const draft = useDraft(`${id} ${Object.keys(theirs).join()}`, NONE);
  const { edited, base } = draft.values;
  const isChanged = (name: string): boolean =>
    !isSame(base[name], theirs[name]) && !isSame(edited[name], theirs[name]);
  return {
    values: { ...theirs, ...edited },
    /** Whether somebody else has changed a field since its edit began. */
    isStale: Object.keys(edited).some(isChanged),
    set: (changed: Values) => {
      const before = Object.fromEntries(Object.keys(changed).map((name) => [name, theirs[name]]));
      draft.set({ edited: { ...edited, ...changed }, base: { ...before, ...base } });
    },
    clear: draft.clear,
  };
}

/** How a record is changed by one mutation. */
export interface RecordEdit {
  readonly fields: readonly GivenField[];
  /**
   * A mutation of `id`, `ifMatch`, `input` and, where terminals could lose software, `force`. It selects the record with
   * its last change; see `useChangeNote`.
   */
  readonly document: Document<object, never>;
  /** Says what follows from a change. */
  readonly note?: string;
}

interface EditRecordProps extends RecordEdit {
  /** The record as the server has it now. */
  readonly record: { readonly id: string; readonly revision: number };
  readonly root?: Root;
  /** Called once it is saved or given up. */
  readonly onClose: () => void;
}

/** A form that changes fields of a record. It asks before it writes over what somebody else has changed meanwhile. */
export function EditRecord(props: EditRecordProps): ReactNode {
  const text = useText();
  const { record, note, root, onClose } = props;
  const fields = fieldsOf(props.fields);
  const theirs = presentOf(fields, record);
  const edit = useEdit(record.id, theirs);
  const { values, set } = edit;
  const mutation = useMutation(props.document as Document<Record<string, object>, object>);
  const noteChange = useChangeNote();
  const [isAsking, setAsking] = useState(false);
  const [isForced, setForced] = useState(false);
  const send = async (): Promise<void> => {
    const input = inputOf(fields, values);
    const variables = {
      id: record.id,
      ifMatch: record.revision,
      ...(root === null ? input : { input }),
      ...(isForced && { force: true }),
    };
    const payload = await mutation.run(variables, attachmentOf(fields, values));
    if (payload === null) return;
    edit.clear();
    noteChange(text.saved, payload);
    onClose();
  };
  // The record on screen is loaded again after such an error.
  const isRefused = mutation.errors.some(({ code }) => code === 'STALE');
  const goOn = (): void => {
    mutation.reset();
    setAsking(false);
  };
  return (
    <>
      <Form
        {...mutation}
        onSubmit={() => {
          if (edit.isStale) setAsking(true);
          else void send();
        }}
        submit={text.save}
        onCancel={() => {
          edit.clear();
          onClose();
        }}
        shown={fields.map((field) => pathOf(field, root))}
      >
        <Fields {...props} {...mutation} fields={fields} values={values} set={set} />
        {note !== undefined && <p className="faint">{note}</p>}
        <ForceBox label={text.force} errors={mutation.errors} isForced={isForced} onChange={setForced} />
      </Form>
      {edit.isStale && (isAsking || isRefused) && (
        <StaleDialog
          fields={fields}
          mine={values}
          theirs={theirs}
          onTake={() => {
            edit.clear();
            goOn();
          }}
          onOverwrite={() => {
            setAsking(false);
            void send();
          }}
          onClose={goOn}
        />
      )}
    </>
  );
}

/** Shows the fields that differ, mine beside theirs, and asks which of them hold. */
function StaleDialog(props: {
  readonly fields: readonly FormField[];
  readonly mine: Values;
  readonly theirs: Values;
  readonly onTake: () => void;
  readonly onOverwrite: () => void;
  readonly onClose: () => void;
}): ReactNode {
  const text = useText();
  const label = useLabel();
  const shown = useShownValue();
  const { mine, theirs } = props;
  return (
    <Dialog
      title={text.title}
      isOpen
      onClose={props.onClose}
      footer={
        <>
          <Button onPress={props.onClose}>{text.cancel}</Button>
          <Button onPress={props.onTake}>{text.take}</Button>
          <Button look="primary" onPress={props.onOverwrite}>
            {text.overwrite}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p>{text.question}</p>
        <SmallTable
          rows={props.fields.filter((field) => shown(field, mine) !== shown(field, theirs))}
          rowKey={({ name }) => name}
          columns={[
            { id: 'label', title: text.field, render: (field) => field.label ?? label(field.name) },
            { id: 'mine', title: text.mine, render: (field) => shown(field, mine) },
            { id: 'theirs', title: text.theirs, render: (field) => shown(field, theirs) },
          ]}
        />
      </div>
    </Dialog>
  );
}
