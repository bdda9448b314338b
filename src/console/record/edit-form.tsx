import { useState, type ReactNode } from 'react';

import type { MutationState } from '../api/mutation';
import type { Attachment } from '../api/upload';
import { useTexts } from '../text';
import { Form } from '../ui/form';
import { words } from '../ui/words';
import { StaleDialog, useEdit, type Edit, type EditedField } from './stale';
import { useChangeNote } from './undo';

interface EditFormProps<Values, Variables, Payload> {
  readonly record: { readonly id: string; readonly revision: number };
  /** The fields as the server has them now. */
  readonly present: Values;
  /** The payload selects the record with its last change, so that the change can be taken back; see `useChangeNote`. */
  readonly mutation: MutationState<Variables, Payload>;
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
export function EditForm<Values extends object, Variables, Payload>(
  props: EditFormProps<Values, Variables, Payload>,
): ReactNode {
  const text = useTexts(words);
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
