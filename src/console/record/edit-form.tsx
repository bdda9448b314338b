import { useState, type ReactNode } from 'react';

import type { MutationState } from '../api/mutation';
import type { Attachment } from '../api/upload';
import { SmallTable } from '../table/small-table';
import { texts, useTexts } from '../text';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { Form, useDraft } from '../ui/form';
import { words as common } from '../ui/words';
import { useChangeNote } from './undo';

const words = texts({
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

/** How a field is shown beside its other value. */
interface EditedField<Values> {
  readonly title: string;
  readonly show: (values: Values) => string | null | undefined;
}

interface EditFormProps<Values, Variables> {
  readonly record: { readonly id: string; readonly revision: number };
  /** The fields as the server has them now. */
  readonly present: Values;
  /** The payload selects the record with its last change, so that the change can be taken back; see `useChangeNote`. */
  readonly mutation: MutationState<Variables, unknown>;
  /** Variables of the mutation; `ifMatch` has the revision that the record must have. */
  readonly variables: (values: Values, ifMatch: number) => Variables;
  readonly attachment?: (values: Values) => Attachment | undefined;
  /** How values are shown side by side if somebody else has changed the record meanwhile. */
  readonly fields: readonly EditedField<Values>[];
  /** Paths whose errors stand at their fields: `input.name`. */
  readonly shown: readonly string[];
  /** Called once it is saved or given up. */
  readonly onClose: () => void;
  readonly children: (edit: Edit<Values>) => ReactNode;
}

/** A form that changes fields of a record. It asks before it writes over what somebody else has changed meanwhile. */
export function EditForm<Values extends object, Variables>(
  props: EditFormProps<Values, Variables>,
): ReactNode {
  const text = useTexts(common);
  const { record, mutation, onClose } = props;
  const edit = useEdit(record.id, props.present);
  const note = useChangeNote();
  const [isAsking, setAsking] = useState(false);
  const send = async (): Promise<void> => {
    const { values } = edit;
    const payload = await mutation.run(props.variables(values, record.revision), props.attachment?.(values));
    if (payload === null) return;
    edit.clear();
    note(text.saved, payload);
    onClose();
  };
  // The record on screen is loaded again after such an error.
  const isRefused = mutation.errors.some(({ code }) => code === 'STALE');
  return (
    <>
      <Form
        onSubmit={() => {
          if (edit.isStale) setAsking(true);
          else void send();
        }}
        submit={text.save}
        onCancel={() => {
          edit.clear();
          onClose();
        }}
        isRunning={mutation.isRunning}
        failure={mutation.failure}
        errors={mutation.errors}
        shown={props.shown}
      >
        {props.children(edit)}
      </Form>
      {edit.isStale && (isAsking || isRefused) && (
        <StaleDialog
          edit={edit}
          fields={props.fields}
          onTake={() => {
            edit.clear();
            mutation.reset();
            setAsking(false);
          }}
          onOverwrite={() => {
            setAsking(false);
            void send();
          }}
          onClose={() => {
            mutation.reset();
            setAsking(false);
          }}
        />
      )}
    </>
  );
}

interface StaleDialogProps<Values> {
  readonly edit: Edit<Values>;
  readonly fields: readonly EditedField<Values>[];
  readonly onTake: () => void;
  readonly onOverwrite: () => void;
  readonly onClose: () => void;
}

/** Shows the fields that differ, mine beside theirs, and asks which of them hold. */
function StaleDialog<Values>(props: StaleDialogProps<Values>): ReactNode {
  const text = useTexts(words);
  const commonText = useTexts(common);
  const { values, theirs } = props.edit;
  return (
    <Dialog
      title={text.title}
      isOpen
      onClose={props.onClose}
      footer={
        <>
          <Button onPress={props.onClose}>{commonText.cancel}</Button>
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
          rows={props.fields.filter(({ show }) => show(values) !== show(theirs))}
          rowKey={({ title }) => title}
          columns={[
            { id: 'title', title: text.field },
            { id: 'mine', title: text.mine, render: ({ show }) => show(values) ?? '–' },
            { id: 'theirs', title: text.theirs, render: ({ show }) => show(theirs) ?? '–' },
          ]}
        />
      </div>
    </Dialog>
  );
}
