import { useState, type ReactNode } from 'react';

import { useMutation, type PayloadOf } from '../api/mutation';
import type { Document } from '../api/query';
import type { UserError } from '../api/rules';
import { Button } from '../ui/button';
import { Confirm } from '../ui/dialog';
import { ForceBox } from '../ui/form';
import type { IconName } from '../ui/icon';
import { FailureNote } from '../ui/states';
import { notify } from '../ui/toasts';
import { pageTexts } from '../ui/words';

interface ActionButtonProps<Data, Variables> {
  readonly label: string;
  readonly icon?: IconName;
  readonly isDangerous?: boolean;
  /** Explains the action before it is confirmed. Without it, nothing is asked. */
  readonly help?: string;
  /** Title of the question; the label without it. */
  readonly title?: string;
  readonly document: Document<Data, Variables>;
  readonly variables: Variables;
  readonly onDone?: (payload: PayloadOf<Data>) => void;
  /** Called when the question is shown. */
  readonly onAsk?: () => void;
  /** Shown below the explanation. */
  readonly children?: (errors: readonly UserError[]) => ReactNode;
}

/** A button that sends one mutation, and says why if that fails. */
export function ActionButton<Data extends object, Variables extends object>(
  props: ActionButtonProps<Data, Variables>,
): ReactNode {
  const { label, icon, help, title = label, isDangerous = false } = props;
  const [isAsking, setAsking] = useState(false);
  const { run, reset, errors, problem, isRunning } = useMutation(props.document);
  const act = async (): Promise<void> => {
    const payload = await run(props.variables);
    if (payload === null) return;
    setAsking(false);
    props.onDone?.(payload);
  };
  const ask = (): void => {
    reset();
    props.onAsk?.();
    setAsking(true);
  };
  const note = problem && <FailureNote failure={problem} />;
  return (
    <>
      <Button
        look={isDangerous ? 'danger' : 'plain'}
        {...(icon && { icon })}
        isPending={isRunning}
        onPress={() => (help === undefined ? void act() : ask())}
      >
        {label}
      </Button>
      {help === undefined && note}
      <Confirm
        title={title}
        action={label}
        isOpen={isAsking}
        isRunning={isRunning}
        isDangerous={isDangerous}
        onClose={() => setAsking(false)}
        onConfirm={() => void act()}
      >
        <div className="stack">
          <p>{help}</p>
          {note}
          {props.children?.(errors)}
        </div>
      </Confirm>
    </>
  );
}

const useText = pageTexts({
  title: [(name: string) => `Delete ${name}?`, (name: string) => `Excluir ${name}?`],
  help: ['This cannot be undone.', 'Isto não pode ser desfeito.'],
  deleted: [(name: string) => `${name} is deleted`, (name: string) => `${name} foi excluído`],
  force: ['Delete all the same', 'Excluir mesmo assim'],
});

interface DeleteVariables {
  readonly id: string;
  readonly ifMatch: number;
  readonly force: boolean;
}

/** A mutation of `id`, `ifMatch` and, where terminals could lose software, `force`. */
export type DeleteDocument = Document<object, DeleteVariables>;

export interface RecordRow {
  readonly id: string;
  /** Absent on records that are never changed or deleted. */
  readonly revision?: number;
}

interface DeleteButtonProps {
  readonly record: RecordRow;
  readonly name: string;
  readonly document: DeleteDocument;
  readonly onDeleted: () => void;
}

/** Deletes a record once the person has confirmed it; software in use is deleted only if that is confirmed as well. */
export function DeleteButton({ record, name, document, onDeleted }: DeleteButtonProps): ReactNode {
  const text = useText();
  const [isForced, setForced] = useState(false);
  return (
    <ActionButton
      label={useText().delete}
      title={text.title(name)}
      help={text.help}
      isDangerous
      document={document as Document<object, object>}
      variables={{ id: record.id, ifMatch: record.revision ?? 0, ...(isForced && { force: true }) }}
      onAsk={() => setForced(false)}
      onDone={() => {
        notify({ text: text.deleted(name) });
        onDeleted();
      }}
    >
      {(errors) => <ForceBox label={text.force} errors={errors} isForced={isForced} onChange={setForced} />}
    </ActionButton>
  );
}
