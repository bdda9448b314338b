import { useState, type ReactNode } from 'react';

import { graphql, mutate } from '../../api';
import { BulkDialog, type Target } from '../../record/bulk-dialog';
import { findGroups } from '../../record/find';
import { Button } from '../../ui/button';
import { Checkbox } from '../../ui/checkbox';
import { ReferenceInput, type Reference } from '../../ui/reference-input';
import { notify } from '../../ui/toasts';
import { NUMBER_DELETE } from './number-delete';
import { useText } from './words';

const MOVE = graphql(`
  mutation LogicalNumberMove($id: ID!, $groupId: ID, $force: Boolean!) {
    logicalNumberMove(id: $id, groupId: $groupId, force: $force) {
      userErrors { code message path rule params }
    }
  }
`);

interface NumberActionsProps {
  readonly targets: readonly Target[];
  /** Called when every one has been changed. */
  readonly onDone: () => void;
}

/** Buttons that move or delete the selected logical numbers. */
export default function NumberActions(props: NumberActionsProps): ReactNode {
  const text = useText();
  const [action, setAction] = useState<'move' | 'delete' | null>(null);
  const close = (): void => setAction(null);
  return (
    <>
      <Button icon="group" onPress={() => setAction('move')}>
        {text.move}
      </Button>
      <Button icon="remove" look="danger" onPress={() => setAction('delete')}>
        {text.delete}
      </Button>
      {action === 'move' && <MoveDialog {...props} onClose={close} />}
      {action === 'delete' && (
        <BulkDialog
          title={text.deleteQuestion}
          action={text.delete}
          isDangerous
          targets={props.targets}
          change={({ id }) => mutate(NUMBER_DELETE, { id })}
          changes="LOGICAL_NUMBER"
          onClose={close}
          onDone={props.onDone}
        >
          <p>{text.deleteEffect}</p>
        </BulkDialog>
      )}
    </>
  );
}

function MoveDialog(props: NumberActionsProps & { readonly onClose: () => void }): ReactNode {
  const text = useText();
  const [group, setGroup] = useState<Reference | null>(null);
  const [force, setForce] = useState(false);
  return (
    <BulkDialog
      title={text.moveQuestion}
      action={text.move}
      isDisabled={group === null}
      targets={props.targets}
      change={({ id }) => mutate(MOVE, { id, groupId: group?.id ?? null, force })}
      changes="LOGICAL_NUMBER"
      onClose={props.onClose}
      onDone={() => {
        notify({ text: text.moved });
        props.onDone();
        props.onClose();
      }}
    >
      <p>{text.losses}</p>
      <ReferenceInput label={text.group} value={group} onChange={setGroup} find={findGroups} />
      <Checkbox isSelected={force} onChange={setForce}>
        {text.forceMove}
      </Checkbox>
    </BulkDialog>
  );
}
