import { useState, type ReactNode } from 'react';

import type { EntityType } from '../api/changes';
import { useMutation, type MutationState, type PayloadOf } from '../api/mutation';
import type { Document } from '../api/query';
import type { UserError } from '../api/rules';
import { useListAddress } from '../table/address';
import { useTexts } from '../text';
import { Dialog } from '../ui/dialog';
import { Choice, TextInput } from '../ui/field';
import { errorAt, ForceBox, Form, useDraft } from '../ui/form';
import { Checkbox, FileInput } from '../ui/inputs';
import { ReferenceInput, type Reference } from '../ui/reference-input';
import { notify } from '../ui/toasts';
import { words } from '../ui/words';
import { EditForm } from './edit-form';
import { attachmentOf, inputOf, pathOf, presentOf, type FormField, type Root } from './form-field';
import { recordIn } from './undo';

export type { FormField } from './form-field';

interface FieldsProps<Values> {
  readonly fields: readonly FormField<Values>[];
  readonly values: Values;
  readonly set: (changed: Partial<Values>) => void;
  readonly errors: readonly UserError[];
  /** Share of a file that is sent, 0 to 1; null while none is sent. */
  readonly progress?: number | null;
  readonly root?: Root;
}

export function Fields<Values extends object>(props: FieldsProps<Values>): ReactNode {
  const { fields, values, set, errors, progress = null, root } = props;
  const shown = fields.filter(({ isShown }) => isShown?.(values) ?? true);
  return shown.map((field) => {
    const { name, label, isFlag, isFile, options, find, ...text } = field;
    const error = errorAt(errors, ...pathOf(field, root).split('.'));
    const value: unknown = values[name];
    const change = (changed: unknown): void => set({ [name]: changed } as Partial<Values>);
    if (isFlag === true) {
      return (
        <Checkbox key={name} isSelected={value === true} onChange={change}>
          {label}
        </Checkbox>
      );
    }
    const shared = { label, onChange: change, error, ...(text.help !== undefined && { help: text.help }) };
    if (isFile === true) {
      const file = value instanceof File ? value : null;
      return <FileInput key={name} {...shared} file={file} progress={progress} />;
    }
    if (options) return <Choice key={name} {...shared} options={options} value={value as string | null} />;
    if (find) return <ReferenceInput key={name} {...shared} find={find} value={value as Reference | null} />;
    return <TextInput key={name} {...text} {...shared} value={value as string} />;
  });
}

interface SendFormProps<Data extends object, Variables, Values> {
  /** Values that the person enters survive a reload under this name; secrets have none. */
  readonly draft?: string | undefined;
  readonly empty: Values;
  readonly fields: readonly FormField<Values>[];
  readonly document: Document<Data, Variables>;
  readonly changes?: readonly EntityType[];
  readonly root?: Root;
  /** Null while something is missing. Without it, `input` has the values of the fields. */
  readonly variables?: (values: Values) => Variables | null;
  /** Further values in `input`. */
  readonly input?: object;
  /** Name of the button. */
  readonly submit?: string;
  /** Said once it is done. */
  readonly done?: (payload: PayloadOf<Data>) => string;
  readonly onDone?: (payload: PayloadOf<Data>) => void;
  readonly onCancel?: () => void;
  /** Further fields, which hold their values themselves. */
  readonly children?: (mutation: MutationState<Variables, PayloadOf<Data>>, values: Values) => ReactNode;
}

/** A form that sends one mutation. */
export function SendForm<Data extends object, Variables extends object, Values extends object>(
  props: SendFormProps<Data, Variables, Values>,
): ReactNode {
  const text = useTexts(words);
  const { fields, root, onCancel } = props;
  const { values, set, clear } = useDraft(props.draft, props.empty);
  const mutation = useMutation(props.document, props.changes);
  const input = inputOf(fields, values);
  const variables = props.variables
    ? props.variables(values)
    : input && ({ input: { ...input, ...props.input } } as Variables);
  const send = async (): Promise<void> => {
    if (variables === null) return;
    const payload = await mutation.run(variables, attachmentOf(fields, values));
    if (payload === null) return;
    clear();
    notify({ text: props.done?.(payload) ?? text.saved });
    props.onDone?.(payload);
  };
  return (
    <Form
      {...mutation}
      onSubmit={() => void send()}
      {...(onCancel && { onCancel })}
      submit={props.submit ?? text.save}
      isDisabled={variables === null}
      shown={fields.map((field) => pathOf(field, root))}
    >
      <Fields {...props} {...mutation} values={values} set={set} />
      {props.children?.(mutation, values)}
    </Form>
  );
}

export interface CreateDialogProps<Data extends object, Variables, Values> extends Omit<
  SendFormProps<Data, Variables, Values>,
  'onDone' | 'onCancel'
> {
  readonly title: string;
  /** Opens the new record in the list that is shown. */
  readonly opens?: boolean;
  readonly onCreated?: (payload: PayloadOf<Data>) => void;
  readonly onClose: () => void;
}

/** Shown by `CreateDialog` of create-dialog.tsx. */
export function CreateDialog<Data extends object, Variables extends object, Values extends object>(
  props: CreateDialogProps<Data, Variables, Values>,
): ReactNode {
  const text = useTexts(words);
  const { title, onClose, onCreated, opens = false, submit = text.create } = props;
  const [, change] = useListAddress();
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <SendForm
        {...props}
        submit={submit}
        onDone={(payload) => {
          onClose();
          onCreated?.(payload);
          if (opens) change({ open: recordIn(payload)?.id, tab: undefined });
        }}
        onCancel={onClose}
      />
    </Dialog>
  );
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

interface EditRecordProps<Input, Values> extends RecordEdit<Input, Values> {
  readonly record: { readonly id: string; readonly revision: number };
  readonly onClose: () => void;
}

/** A form that changes fields of a record; see `EditForm`. */
export function EditRecord<Input extends object, Values extends object>(
  props: EditRecordProps<Input, Values>,
): ReactNode {
  const text = useTexts(words);
  const { record, fields, note } = props;
  const mutation = useMutation(props.document as Document<object, object>);
  const [isForced, setForced] = useState(false);
  return (
    <EditForm
      record={record}
      present={presentOf<Values>(fields, record)}
      mutation={mutation}
      variables={(values, ifMatch) => {
        return { id: record.id, ifMatch, input: inputOf(fields, values), ...(isForced && { force: true }) };
      }}
      attachment={(values) => attachmentOf(fields, values)}
      fields={fields.map((field) => ({
        title: field.label,
        show: (values: Values) => shownValue(field, values),
      }))}
      shown={fields.map((field) => pathOf(field))}
      onClose={props.onClose}
    >
      {({ values, set }) => (
        <>
          <Fields {...mutation} fields={fields} values={values} set={set} />
          {note !== undefined && <p className="faint">{note}</p>}
          <ForceBox label={text.force} errors={mutation.errors} isForced={isForced} onChange={setForced} />
        </>
      )}
    </EditForm>
  );
}

function shownValue<Values>({ name, options }: FormField<Values>, values: Values): string {
  const value = values[name] as string | boolean | Reference | File | null;
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? '✓' : '–';
  if (typeof value === 'object') return value.name;
  return options?.find((option) => option.value === value)?.label ?? value;
}
