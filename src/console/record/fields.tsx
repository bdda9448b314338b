import type { ReactNode } from 'react';

import type { EntityType } from '../api/changes';
import { useMutation, type MutationState, type PayloadOf } from '../api/mutation';
import type { Document } from '../api/query';
import type { UserError } from '../api/rules';
import type { Attachment } from '../api/upload';
import { useListAddress } from '../table/address';
import { type Option, useTexts } from '../text';
import { Dialog } from '../ui/dialog';
import { Choice, TextInput } from '../ui/field';
import { errorAt, Form, useDraft } from '../ui/form';
import { Checkbox } from '../ui/inputs';
import { ReferenceInput, type Reference } from '../ui/reference-input';
import { notify } from '../ui/toasts';
import { words } from '../ui/words';
import { EditForm } from './edit-form';
import { recordIn } from './undo';

/** A field of a form. Its value is a text, a flag with `isFlag`, one of `options`, or a record with `find`. */
export interface FormField<Values> {
  readonly name: keyof Values & string;
  readonly label: string;
  readonly help?: string;
  /** Lines of a text area. */
  readonly rows?: number;
  /** Kind of a text: `date`, `password`. */
  readonly type?: string;
  readonly autoComplete?: string;
  readonly autoFocus?: boolean;
  readonly options?: readonly Option[];
  readonly isFlag?: boolean;
  readonly find?: (text: string) => Promise<readonly Reference[]>;
  /** Name in the input of the mutation, where it is another one. */
  readonly argument?: string;
  /** Whether the field is asked for, given the other values. */
  readonly isShown?: (values: Values) => boolean;
}

interface FieldsProps<Values> {
  readonly fields: readonly FormField<Values>[];
  readonly values: Values;
  readonly set: (changed: Partial<Values>) => void;
  readonly errors: readonly UserError[];
  readonly root?: Root;
}

/** Argument of the mutation that has the values: `input`; null where each value is an argument. */
type Root = string | null;

const pathOf = <Values,>({ name, argument = name }: FormField<Values>, root: Root = 'input'): string =>
  root === null ? argument : `${root}.${argument}`;

export function Fields<Values extends object>(props: FieldsProps<Values>): ReactNode {
  const { fields, values, set, errors, root } = props;
  const shown = fields.filter(({ isShown }) => isShown?.(values) ?? true);
  return shown.map((field) => {
    const { name, label, isFlag, options, find, ...text } = field;
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
    const shared = { label, onChange: change, error };
    if (options)
      return (
        <Choice key={name} {...shared} help={text.help} options={options} value={value as string | null} />
      );
    if (find) return <ReferenceInput key={name} {...shared} find={find} value={value as Reference | null} />;
    return <TextInput key={name} {...text} {...shared} value={value as string} />;
  });
}

interface SendFormProps<Data extends object, Variables, Values> {
  /** Values that the person enters survive a reload under this name; secrets have none. */
  readonly draft?: string;
  readonly empty: Values;
  readonly fields: readonly FormField<Values>[];
  readonly document: Document<Data, Variables>;
  readonly changes?: readonly EntityType[];
  readonly root?: Root;
  /** Null while something is missing. */
  readonly variables: (values: Values) => Variables | null;
  readonly attachment?: Attachment | null;
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
  const variables = props.variables(values);
  const send = async (): Promise<void> => {
    if (variables === null) return;
    const payload = await mutation.run(variables, props.attachment ?? undefined);
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
      <Fields {...props} values={values} set={set} errors={mutation.errors} />
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

interface EditFieldsProps<Variables, Payload, Values> {
  readonly record: { readonly id: string; readonly revision: number };
  readonly present: Values;
  readonly fields: readonly FormField<Values>[];
  readonly mutation: MutationState<Variables, Payload>;
  readonly input: (values: Values, ifMatch: number) => Variables;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** A form that changes fields of a record; see `EditForm`. */
export function EditFields<Variables, Payload, Values extends object>(
  props: EditFieldsProps<Variables, Payload, Values>,
): ReactNode {
  const { fields, mutation } = props;
  return (
    <EditForm
      {...props}
      variables={props.input}
      fields={fields.map((field) => ({
        title: field.label,
        show: (values: Values) => shownValue(field, values),
      }))}
      shown={fields.map((field) => pathOf(field))}
    >
      {({ values, set }) => (
        <>
          <Fields fields={fields} values={values} set={set} errors={mutation.errors} />
          {props.children}
        </>
      )}
    </EditForm>
  );
}

interface Update {
  readonly input: unknown;
}

interface EditRecordProps<Data, Variables extends Update, Values> {
  readonly record: { readonly id: string; readonly revision: number };
  readonly present: Values;
  readonly fields: readonly FormField<Values>[];
  /** A mutation of `id`, `ifMatch` and `input`, which selects the record with its last change; see `useChangeNote`. */
  readonly document: Document<Data, Variables>;
  readonly changes: readonly EntityType[];
  readonly input: (values: Values) => Variables['input'];
  readonly onClose: () => void;
}

/** A form that changes fields of a record by one mutation. */
export function EditRecord<Data extends object, Variables extends Update, Values extends object>(
  props: EditRecordProps<Data, Variables, Values>,
): ReactNode {
  const { record, document, changes, input } = props;
  return (
    <EditFields
      {...props}
      mutation={useMutation(document, changes)}
      input={(values, ifMatch) => ({ id: record.id, ifMatch, input: input(values) }) as unknown as Variables}
    />
  );
}

function shownValue<Values>({ name, options }: FormField<Values>, values: Values): string {
  const value = values[name] as string | boolean | Reference | null;
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? '✓' : '–';
  if (typeof value === 'object') return value.name;
  return options?.find((option) => option.value === value)?.label ?? value;
}
