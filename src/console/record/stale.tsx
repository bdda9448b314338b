import type { ReactNode } from 'react';

import { SmallTable } from '../table/small-table';
import { texts, useTexts } from '../text';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { useDraft } from '../ui/form';
import { words as common } from '../ui/words';

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

export interface Edit<Values> {
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
export function useEdit<Values extends object>(id: string, fields: Values): Edit<Values> {
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
export interface EditedField<Values> {
  readonly title: string;
  readonly show: (values: Values) => string | null | undefined;
}

interface StaleDialogProps<Values> {
  readonly edit: Edit<Values>;
  readonly fields: readonly EditedField<Values>[];
  readonly onTake: () => void;
  readonly onOverwrite: () => void;
  readonly onClose: () => void;
}

/** Shows the fields that differ, mine beside theirs, and asks which of them hold. */
export function StaleDialog<Values>(props: StaleDialogProps<Values>): ReactNode {
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
