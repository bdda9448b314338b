import { useState, type ReactNode } from 'react';

import type { Document } from '../api/query';
import { SmallTable } from '../table/shown';
import { useLabel } from '../text';
import { Button } from '../ui/button';
import { useDraft } from '../ui/form';
import { pageTexts } from '../ui/words';
import { SendForm } from './fields';
import {
  fieldsOf,
  isSame,
  presentOf,
  useShownValue,
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
    /** True if somebody else has changed a field since its edit began. */
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
  /** Values of the fields, and the input that has them, where these are not fields of the record. */
  readonly present?: (record: never) => object;
  readonly shape?: (values: Values) => object;
  /** Says what follows from a change. */
  readonly note?: string | undefined;
}

interface EditRecordProps extends RecordEdit {
  /** The record as the server has it now. */
  readonly record: { readonly id: string; readonly revision: number };
  readonly root?: Root;
  /** Called once it is saved or given up. */
  readonly onClose: () => void;
}

/**
 * A form that changes fields of a record. Before it writes over what somebody else has changed meanwhile, it shows the fields
 * that differ, mine beside theirs.
 */
export function EditRecord(props: EditRecordProps): ReactNode {
  const text = useText();
  const label = useLabel();
  const shown = useShownValue();
  const noteChange = useChangeNote();
  const { record, note, onClose, present = (own) => own, ...form } = props;
  const fields = fieldsOf(props.fields);
  const theirs = presentOf(fields, present(record as never));
  const edit = useEdit(record.id, theirs);
  const mine = edit.values;
  const [isTried, setTried] = useState(false);
  const isAsking = edit.isStale && isTried;
  return (
    <SendForm
      {...form}
      state={edit}
      args={{ id: record.id, ifMatch: record.revision }}
      submit={isAsking ? text.overwrite : text.save}
      isReady={() => {
        setTried(true);
        return isAsking || !edit.isStale;
      }}
      done=""
      onDone={(payload) => {
        noteChange(text.saved, payload);
        onClose();
      }}
      onCancel={() => {
        edit.clear();
        onClose();
      }}
    >
      {() => (
        <>
          {note !== undefined && <p className="faint">{note}</p>}
          {isAsking && (
            <section className="stack" aria-label={text.title}>
              <p className="note note-warning" role="alert">
                {text.question}
              </p>
              <SmallTable
                rows={fields.filter((field) => shown(field, mine) !== shown(field, theirs))}
                rowKey={({ name }) => name}
                columns={[
                  { id: 'label', title: text.field, render: (field) => field.label ?? label(field.name) },
                  { id: 'mine', title: text.mine, render: (field) => shown(field, mine) },
                  { id: 'theirs', title: text.theirs, render: (field) => shown(field, theirs) },
                ]}
              />
              <Button onPress={edit.clear}>{text.take}</Button>
            </section>
          )}
        </>
      )}
    </SendForm>
  );
}
