import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import type { Role } from '../../gql/graphql';
import { ActionButton } from '../../record/action-button';
import type { Option } from '../../text';
import { Dialog } from '../../ui/dialog';
import { Choice } from '../../ui/field';
import { useText } from './words';

const SET_ROLE = graphql(`
  mutation MemberSetRole($userId: ID!, $role: Role!) {
    memberSetRole(userId: $userId, role: $role) { userErrors { code message path rule params } }
  }
`);

const REMOVE = graphql(`
  mutation MemberRemove($userId: ID!) {
    memberRemove(userId: $userId) { userErrors { code message path rule params } }
  }
`);

const UNLOCK = graphql(`
  mutation UserUnlock($id: ID!) {
    userUnlock(id: $id) { userErrors { code message path rule params } }
  }
`);

const DISABLE = graphql(`
  mutation UserDisable($id: ID!) {
    userDisable(id: $id) { userErrors { code message path rule params } }
  }
`);

const ENABLE = graphql(`
  mutation UserEnable($id: ID!) {
    userEnable(id: $id) { userErrors { code message path rule params } }
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
export default function MemberDialog({ member, options, onClose }: MemberDialogProps): ReactNode {
  const text = useText();
  const { user, disabledAt, lockedUntil } = member;
  const [role, setRole] = useState(member.role);
  const ofUser = { variables: { id: user.id }, changes: ['USER'], onDone: onClose } as const;
  const ofMember = { changes: ['USER'], onDone: onClose } as const;
  return (
    <Dialog title={user.name} isOpen onClose={onClose}>
      <div className="stack">
        <Choice label={text.role} options={options} value={role} onChange={setRole} />
        <div className="buttons">
          <ActionButton
            {...ofMember}
            label={text.save}
            isDisabled={role === member.role}
            document={SET_ROLE}
            variables={{ userId: user.id, role }}
          />
          {lockedUntil && <ActionButton {...ofUser} label={text.unlock} document={UNLOCK} />}
          {disabledAt ? (
            <ActionButton {...ofUser} label={text.enable} document={ENABLE} />
          ) : (
            <ActionButton {...ofUser} label={text.disable} document={DISABLE} />
          )}
          <ActionButton
            {...ofMember}
            label={text.removeMember}
            title={`${text.removeMember}: ${user.name}`}
            help={text.removeHelp}
            isDangerous
            document={REMOVE}
            variables={{ userId: user.id }}
          />
        </div>
      </div>
    </Dialog>
  );
}
