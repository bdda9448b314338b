import { useState, type ReactNode } from 'react';

import { useMutation } from '../api';
import type { Document } from '../api/query';
import { SmallTable } from '../table/small-table';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { ForceBox, Form, useDraft } from '../ui/form';
import { pageTexts } from '../ui/words';
import { Fields } from './fields';
import {
  attachmentOf,
  inputOf,
  pathOf,
  presentOf,
  shownValue,
  type FormField,
  type Root,
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

interface Begun<Values> {
  /** The fields that were edited. */
  readonly edited: Partial<Values>;
  /** Values of these fields on the server when their edit began. */
  readonly base: Partial<Values>;
}

interface Edit<Values> {
  readonly values: Values;
  readonly set: (changed: Partial<Values>) => void;
  readonly clear: () => void;
  /** The fields as the server has them now. */
  readonly theirs: Values;
  /** Whether somebody else has changed a field since its edit began. */
  readonly isStale: boolean;
}

const NONE = { edited: {}, base: {} };
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Values of a form that edits fields of the record with this id. What was edited survives a reload of the page; all other
 * fields follow the record.
 */
function useEdit<Values extends object>(id: string, fields: Values): Edit<Values> {
  const draft = useDraft<Begun<Values>>(`${id} ${Object.keys(fields).join()}`, NONE);
  const { edited, base } = draft.values;
  const names = Object.keys(edited) as (keyof Values)[];
  return {
    values: { ...fields, ...edited },
    theirs: fields,
    isStale: names.some((name) => !isSame(base[name], fields[name]) && !isSame(edited[name], fields[name])),
    set: (changed) => {
      const before = Object.fromEntries(
        Object.keys(changed).map((name) => [name, fields[name as keyof Values]]),
      );
      draft.set({ edited: { ...edited, ...changed }, base: { ...before, ...base } });
    },
    clear: draft.clear,
  };
}

/** How a record is changed by one mutation. */
export interface RecordEdit<Input, Values = Input> {
  readonly fields: readonly FormField<Values>[];
  /**
   * A mutation of `id`, `ifMatch`, `input` and, where terminals could lose software, `force`. It selects the record with
   * its last change; see `useChangeNote`.
   */
  readonly document: Document<object, Update<Input>>;
  /** Says what follows from a change. */
  readonly note?: string;
}

interface Update<Input> {
  readonly id: string;
  readonly ifMatch: number;
  readonly input: Input;
  readonly force: boolean;
}

interface EditRecordProps<Values> extends Omit<RecordEdit<never, Values>, 'document'> {
  readonly document: Document<object, never>;
  /** The record as the server has it now. */
  readonly record: { readonly id: string; readonly revision: number };
  readonly root?: Root;
  /** Called once it is saved or given up. */
  readonly onClose: () => void;
}

/** A form that changes fields of a record. It asks before it writes over what somebody else has changed meanwhile. */
export function EditRecord<Values extends object>(props: EditRecordProps<Values>): ReactNode {
  const text = useText();
  const { record, fields, note, root, onClose } = props;
  const edit = useEdit(record.id, presentOf<Values>(fields, record));
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
        <Fields {...props} {...mutation} values={values} set={set} />
        {note !== undefined && <p className="faint">{note}</p>}
        <ForceBox label={text.force} errors={mutation.errors} isForced={isForced} onChange={setForced} />
      </Form>
      {edit.isStale && (isAsking || isRefused) && (
        <StaleDialog
          edit={edit}
          fields={fields}
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

interface StaleDialogProps<Values> {
  readonly edit: Edit<Values>;
  readonly fields: readonly FormField<Values>[];
  readonly onTake: () => void;
  readonly onOverwrite: () => void;
  readonly onClose: () => void;
}

/** Shows the fields that differ, mine beside theirs, and asks which of them hold. */
function StaleDialog<Values>(props: StaleDialogProps<Values>): ReactNode {
  const text = useText();
  const { values, theirs } = props.edit;
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
          rows={props.fields.filter((field) => shownValue(field, values) !== shownValue(field, theirs))}
          rowKey={({ name }) => name}
          columns={[
            { id: 'label', title: text.field },
            { id: 'mine', title: text.mine, render: (field) => shownValue(field, values) },
            { id: 'theirs', title: text.theirs, render: (field) => shownValue(field, theirs) },
          ]}
        />
      </div>
    </Dialog>
  );
}
