import type { ReactNode } from 'react';

import { mutations } from '../../api';
import { useSession } from '../../app/session';
import type { AccountQuery, Scope } from '../../gql/graphql';
import { ActionButton, creating, DialogButton, RenameButton } from '../../record/dialog-button';
import { SmallTable } from '../../table/shown';
import { useFormat } from '../../text';
import { Badge } from '../../ui/facts';
import { Card } from '../../ui/page';
import { useText } from './words';

/** Administrators can give all of them, also those that their session does not have. */
const ALL_SCOPES: readonly Scope[] = ['READ', 'WRITE', 'ADMIN', 'INGEST', 'TERMINALS'];

type Token = AccountQuery['viewer']['apiTokens']['nodes'][number];

/** The person's tokens of the API: generate, rename, renew, revoke. */
export function Tokens({ tokens }: { readonly tokens: readonly Token[] }): ReactNode {
  const text = useText();
  const format = useFormat();
  const { viewer } = useSession();
  const generate = creating({
    title: text.generate,
    fields: [
      { name: 'name', help: text.purpose, autoFocus: true },
      { name: 'expiresAt', label: text.expiresOn },
      {
        name: 'scopes',
        values: viewer.scopes.includes('ADMIN') ? ALL_SCOPES : viewer.scopes,
        isMany: true,
        initial: ['READ'],
      },
    ],
    document: mutations.apiTokenCreate,
  });
  return (
    <Card title={text.tokens} actions={<DialogButton {...generate} variant="primary" scope="READ" />}>
      <SmallTable
        rows={tokens}
        columns={[
          {
            id: 'name',
            render: ({ name, lastFour }) => (
              <>
                {name ?? text.signIn} <span className="faint code">…{lastFour}</span>
              </>
            ),
          },
          'scopes',
          'lastUsedAt',
          {
            id: 'expiresAt',
            render: ({ expiresAt, replacedBy }) =>
              expiresAt ? format[replacedBy ? 'time' : 'date'](expiresAt) : '–',
          },
          { id: 'actions', title: '', align: 'end', render: (token) => <Actions {...token} /> },
        ]}
        empty={text.noTokens}
      />
    </Card>
  );
}

function Actions({ id, name, replacedBy, revokedAt, expiresAt }: Token): ReactNode {
  const text = useText();
  const shownName = name ?? text.signIn;
  if (revokedAt) return <Badge>{text.revoked}</Badge>;
  if (expiresAt && Date.parse(expiresAt) <= Date.now()) return <Badge>{text.expired}</Badge>;
  const renew = creating({
    title: `${text.renew}: ${shownName}`,
    root: null,
    fields: ['keepOldFor'],
    document: mutations.apiTokenRenew,
    args: { id },
    submit: text.renew,
  });
  return (
    <span className="buttons">
      {name !== null && <RenameButton id={id} name={name} document={mutations.apiTokenUpdate} />}
      {replacedBy ? (
        <Badge>{`${text.replaced} …${replacedBy.lastFour}`}</Badge>
      ) : (
        <DialogButton {...renew} label={text.renew} scope="READ" icon="key" />
      )}
      <ActionButton
        variables={{ id }}
        label={text.revoke}
        title={`${text.revoke}: ${shownName}`}
        help={text.revokeHelp}
        isDangerous
        document={mutations.apiTokenRevoke}
      />
    </span>
  );
}
