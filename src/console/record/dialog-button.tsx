import { lazy, Suspense, useState, type ReactNode } from 'react';

import { useMutation, type PayloadOf } from '../api/mutation';
import type { Document } from '../api/query';
import { useMay } from '../app/session';
import type { Scope } from '../gql/graphql';
import { useTexts } from '../text';
import { Button, type ButtonProps } from '../ui/button';
import { FailureNote } from '../ui/states';
import { notify } from '../ui/toasts';
import { words } from '../ui/words';
import type { CreateDialogProps } from './fields';

export interface DialogButtonProps extends Pick<ButtonProps, 'icon' | 'variant'> {
  readonly label: string;
  /** Right without which there is no button. */
  readonly scope?: Scope;
  /** The window, while it is open. */
  readonly dialog: (close: () => void) => ReactNode;
}

/** A button that opens a window in which records are changed, for those who may. */
export function DialogButton(props: DialogButtonProps): ReactNode {
  const { label, scope = 'WRITE', dialog, ...button } = props;
  const [isOpen, setOpen] = useState(false);
  if (!useMay(scope)) return null;
  return (
    <>
      <Button {...button} onPress={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && <Suspense>{dialog(() => setOpen(false))}</Suspense>}
    </>
  );
}

/** A window with a form that sends one mutation. It is loaded when it is shown. */
const CreateDialog = lazy(async () => ({ default: (await import('./fields')).CreateDialog })) as <
  Data extends object,
>(
  props: CreateDialogProps<Data>,
) => ReactNode;

export type Creating<Data extends object> = Omit<CreateDialogProps<Data>, 'onClose'>;

/** The button that opens such a window. */
export const creating = <Data extends object>(props: Creating<Data>): DialogButtonProps => ({
  label: props.title,
  icon: 'add',
  dialog: (close) => <CreateDialog {...props} onClose={close} />,
});

interface ActionButtonProps<Data extends object, Variables> {
  readonly label: string;
  readonly isDangerous?: boolean;
  /** Explains the action before it is confirmed. Without it, nothing is asked. */
  readonly help?: string;
  /** Title of the question; the label without it. */
  readonly title?: string;
  readonly document: Document<Data, Variables>;
  readonly variables: Variables;
  /** Said once it is done. */
  readonly done?: string;
  readonly onDone?: (payload: PayloadOf<Data>) => void;
  readonly force?: string;
}

/** A button that sends one mutation, and says why if that fails. */
export function ActionButton<Data extends object, Variables extends object>(
  props: ActionButtonProps<Data, Variables>,
): ReactNode {
  const { label, help, title = label, done = '', variables, document, isDangerous = false } = props;
  const { run, problem, isRunning } = useMutation(document);
  const variant = isDangerous ? 'danger' : 'plain';
  if (help !== undefined) {
    const asked = { ...props, title, done, document: document as Document<Data, never>, root: null };
    const question = creating({ ...asked, fields: [], args: variables, submit: label });
    return <DialogButton variant={variant} label={label} scope="READ" dialog={question.dialog} />;
  }
  const act = async (): Promise<void> => {
    const payload = await run(variables);
    if (payload === null) return;
    if (done !== '') notify({ text: done });
    props.onDone?.(payload);
  };
  return (
    <>
      <Button variant={variant} isPending={isRunning} onPress={() => void act()}>
        {label}
      </Button>
      {problem && <FailureNote failure={problem} />}
    </>
  );
}

interface RenameButtonProps<Data extends object> extends Pick<CreateDialogProps<Data>, 'root' | 'document'> {
  readonly id: string;
  /** The name that it has now. */
  readonly name: string;
}

/** Renames a record by a mutation of `id` and the name. */
export function RenameButton<Data extends object>({ id, name, ...form }: RenameButtonProps<Data>): ReactNode {
  const text = useTexts(words);
  const { dialog } = creating({
    title: `${text.rename}: ${name}`,
    fields: [{ name: 'name', initial: name, autoFocus: true }],
    args: { id },
    submit: text.rename,
    ...form,
  });
  return <DialogButton label={text.rename} icon="edit" scope="READ" dialog={dialog} />;
}
