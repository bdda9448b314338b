import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import type { MutationState } from '../../api/mutation';
import { useMutation } from '../../api/mutation';
import type { Role } from '../../gql/graphql';
import { useTexts } from '../../text';
import { Button } from '../../ui/button';
import { Confirm, Dialog } from '../../ui/dialog';
import { Choice, type Option } from '../../ui/field';
import { FailureNote } from '../../ui/states';
import { words as common } from '../../ui/words';
import { words } from './words';

const SET_ROLE = graphql(`
  mutation MemberSetRole($userId: ID!, $role: Role!) {
    memberSetRole(userId: $userId, role: $role) {
      userErrors { code message path rule params }
    }
  }
`);

const REMOVE = graphql(`
  mutation MemberRemove($userId: ID!) {
    memberRemove(userId: $userId) {
      userErrors { code message path rule params }
    }
  }
`);

const UNLOCK = graphql(`
  mutation UserUnlock($id: ID!) {
    userUnlock(id: $id) {
      userErrors { code message path rule params }
    }
  }
`);

const DISABLE = graphql(`
  mutation UserDisable($id: ID!) {
    userDisable(id: $id) {
      userErrors { code message path rule params }
    }
  }
`);

const ENABLE = graphql(`
  mutation UserEnable($id: ID!) {
    userEnable(id: $id) {
      userErrors { code message path rule params }
    }
  }
`);

interface MemberDialogProps {
  readonly member: {
    readonly role: Role;
    readonly disabledAt: string | null;
    readonly lockedUntil: string | null;
    readonly user: { readonly id: string; readonly name: string };
  };
  readonly options: readonly Option<Role>[];
  readonly onClose: () => void;
}

/** Changes the role of a member, unlocks, disables or removes the person. */
export function MemberDialog({ member, options, onClose }: MemberDialogProps): ReactNode {
  const text = useTexts(words);
  const commonText = useTexts(common);
  const { user, disabledAt, lockedUntil } = member;
  const [role, setRole] = useState(member.role);
  const [isRemoving, setRemoving] = useState(false);
  const setRoleOf = useMutation(SET_ROLE, ['USER']);
  const remove = useMutation(REMOVE, ['USER']);
  const unlock = useMutation(UNLOCK, ['USER']);
  const disable = useMutation(DISABLE, ['USER']);
  const enable = useMutation(ENABLE, ['USER']);
  const problem = [setRoleOf, remove, unlock, disable, enable]
    .map(({ failure, errors }) => failure ?? errors[0])
    .find((each) => each !== undefined);
  const act = async <Variables,>(
    mutation: MutationState<Variables, unknown>,
    variables: Variables,
  ): Promise<void> => {
    if (await mutation.run(variables)) onClose();
  };
  return (
    <Dialog title={user.name} isOpen onClose={onClose}>
      <div className="stack">
        {problem && <FailureNote failure={problem} />}
        <Choice label={text.role} options={options} value={role} onChange={setRole} />
        <div className="buttons">
          <Button
            look="primary"
            isDisabled={role === member.role}
            onPress={() => void act(setRoleOf, { userId: user.id, role })}
          >
            {commonText.save}
          </Button>
          {lockedUntil && <Button onPress={() => void act(unlock, { id: user.id })}>{text.unlock}</Button>}
          <Button onPress={() => void act(disabledAt ? enable : disable, { id: user.id })}>
            {disabledAt ? text.enable : text.disable}
          </Button>
          <Button look="danger" onPress={() => setRemoving(true)}>
            {text.remove}
          </Button>
        </div>
      </div>
      <Confirm
        title={`${text.remove}: ${user.name}`}
        action={text.remove}
        isOpen={isRemoving}
        isRunning={remove.isRunning}
        isDangerous
        onClose={() => setRemoving(false)}
        onConfirm={() => void act(remove, { userId: user.id })}
      >
        {text.removeHelp}
      </Confirm>
    </Dialog>
  );
}
