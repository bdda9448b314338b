import type { ReactNode } from 'react';

import type { EntityType } from '../api/changes';
import type { UserError } from '../api/errors';
import { useMutation, type MutationState } from '../api/mutation';
import type { Document } from '../api/query';
import type { Attachment } from '../api/upload';
import { useTexts } from '../text';
import { Dialog } from '../ui/dialog';
import { Checkbox, Choice, TextInput, type Option } from '../ui/field';
import { errorAt, Form, useDraft } from '../ui/form';
import { ReferenceInput, type Reference } from '../ui/reference-input';
import { notify } from '../ui/toasts';
import { words } from '../ui/words';
import { EditForm } from './edit-form';
import type { Changed } from './undo';

/** A field of a form. Its value is a text, a flag with `isFlag`, one of `options`, or a record with `find`. */
export interface FormField<Values> {
  readonly name: keyof Values & string;
  readonly label: string;
  readonly help?: string;
  /** Lines of a text area. */
  readonly rows?: number;
  /** Kind of a text: `date`, `password`. */
  readonly type?: string;
  readonly options?: readonly Option[];
  readonly isFlag?: boolean;
  readonly find?: (text: string) => Promise<readonly Reference[]>;
  /** Name in the input of the mutation, where it is another one. */
  readonly argument?: string;
}

interface FieldsProps<Values> {
  readonly fields: readonly FormField<Values>[];
  readonly values: Values;
  readonly set: (changed: Partial<Values>) => void;
  readonly errors: readonly UserError[];
}

const pathOf = <Values,>({ name, argument = name }: FormField<Values>): string => `input.${argument}`;

export function Fields<Values extends object>({
  fields,
  values,
  set,
  errors,
}: FieldsProps<Values>): ReactNode {
  return fields.map((field) => {
    const { name, label, isFlag, options, find, help, rows, type } = field;
    const error = errorAt(errors, ...pathOf(field).split('.'));
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
    if (options) return <Choice key={name} {...shared} options={options} value={value as string | null} />;
    if (find) return <ReferenceInput key={name} {...shared} find={find} value={value as Reference | null} />;
    return (
      <TextInput
        key={name}
        {...shared}
        value={value as string}
        {...(help !== undefined && { help })}
        {...(rows !== undefined && { rows })}
        {...(type !== undefined && { type })}
      />
    );
  });
}

interface CreateDialogProps<Data extends object, Variables, Values> {
  readonly title: string;
  /** Values that the person enters survive a reload under this name. */
  readonly draft: string;
  readonly empty: Values;
  readonly fields: readonly FormField<Values>[];
  readonly document: Document<Data, Variables>;
  readonly changes: readonly EntityType[];
  /** Null while something is missing. */
  readonly variables: (values: Values) => Variables | null;
  readonly attachment?: Attachment | null;
  /** Name of the button; "Create" without it. */
  readonly submit?: string;
  readonly onCreated?: (payload: Payload<Data>) => void;
  readonly onClose: () => void;
  /** Further fields, which hold their values themselves. */
  readonly children?: (mutation: MutationState<Variables, Payload<Data>>) => ReactNode;
}

type Payload<Data> = Exclude<Data[keyof Data], string | undefined>;

/** A window with a form that creates something. */
export function CreateDialog<Data extends object, Variables extends object, Values extends object>(
  props: CreateDialogProps<Data, Variables, Values>,
): ReactNode {
  const text = useTexts(words);
  const { fields, onClose, attachment } = props;
  const { values, set, clear } = useDraft(props.draft, props.empty);
  const mutation = useMutation(props.document, props.changes);
  const variables = props.variables(values);
  const submit = async (): Promise<void> => {
    if (variables === null) return;
    const payload = await mutation.run(variables, attachment ?? undefined);
    if (payload === null) return;
    clear();
    notify({ text: text.saved });
    onClose();
    props.onCreated?.(payload);
  };
  return (
    <Dialog title={props.title} isOpen onClose={onClose}>
      <Form
        {...mutation}
        onSubmit={() => void submit()}
        onCancel={onClose}
        submit={props.submit ?? text.create}
        isDisabled={variables === null}
        shown={fields.map(pathOf)}
      >
        {props.children?.(mutation)}
        <Fields fields={fields} values={values} set={set} errors={mutation.errors} />
      </Form>
    </Dialog>
  );
}

interface EditFieldsProps<Variables, Payload, Values> {
  readonly record: { readonly id: string; readonly revision: number };
  readonly present: Values;
  readonly fields: readonly FormField<Values>[];
  readonly mutation: MutationState<Variables, Payload>;
  readonly input: (values: Values, ifMatch: number) => Variables;
  readonly changed: (payload: Payload) => Changed | null | undefined;
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
      shown={fields.map(pathOf)}
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

function shownValue<Values>({ name, options }: FormField<Values>, values: Values): string {
  const value = values[name] as string | boolean | Reference | null;
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? '✓' : '–';
  if (typeof value === 'object') return value.name;
  return options?.find((option) => option.value === value)?.label ?? value;
}
