import { useState, type ReactNode } from 'react';

import { type EntityType, useMutation } from '../api';
import type { Document } from '../api/query';
import { texts, useTexts } from '../text';
import { Button } from '../ui/button';
import { Confirm } from '../ui/dialog';
import { Checkbox } from '../ui/inputs';
import { FailureNote } from '../ui/states';
import { notify } from '../ui/toasts';
import { words as common } from '../ui/words';

const words = texts({
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
export type DeleteDocument<Data> =
  | Document<Data, DeleteVariables>
  | Document<Data, Omit<DeleteVariables, 'force'>>;

export interface RecordRow {
  readonly id: string;
  /** Absent on records that are never changed or deleted. */
  readonly revision?: number;
}

interface DeleteButtonProps<Data extends object> {
  readonly record: RecordRow;
  readonly name: string;
  readonly document: DeleteDocument<Data>;
  readonly changes: EntityType;
  readonly onDeleted: () => void;
}

/** Deletes a record once the person has confirmed it; software in use is deleted only if that is confirmed as well. */
export function DeleteButton<Data extends object>(props: DeleteButtonProps<Data>): ReactNode {
  const text = useTexts(words);
  const commonText = useTexts(common);
  const { record, name } = props;
  const [isAsking, setAsking] = useState(false);
  const [isForced, setForced] = useState(false);
  const mutation = useMutation(props.document as Document<Data, object>, [props.changes]);
  const isInUse = mutation.errors.some(({ code }) => code === 'IN_USE') || isForced;
  const [error] = mutation.errors;
  const confirm = async (): Promise<void> => {
    const force = isForced ? { force: true } : {};
    if (!(await mutation.run({ id: record.id, ifMatch: record.revision ?? 0, ...force }))) return;
    setAsking(false);
    notify({ text: text.deleted(name) });
    props.onDeleted();
  };
  const close = (): void => {
    setAsking(false);
    setForced(false);
    mutation.reset();
  };
  return (
    <>
      <Button look="danger" onPress={() => setAsking(true)}>
        {commonText.delete}
      </Button>
      <Confirm
        title={text.title(name)}
        action={commonText.delete}
        isOpen={isAsking}
        isRunning={mutation.isRunning}
        isDangerous
        onClose={close}
        onConfirm={() => void confirm()}
      >
        <div className="stack">
          <p>{text.help}</p>
          {error && <FailureNote failure={{ message: error.message }} />}
          {mutation.failure && <FailureNote failure={mutation.failure} />}
          {isInUse && (
            <Checkbox isSelected={isForced} onChange={setForced}>
              {text.force}
            </Checkbox>
          )}
        </div>
      </Confirm>
    </>
  );
}
